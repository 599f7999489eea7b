"""From a case to what runs: mesh, spectrum, winds, stations and the model of one rank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.mesh import MadeMesh, Spectrum
from halcyon.config.mesh_file import count_cells
from halcyon.config.run_case import RunCase
from halcyon.decomposition import LocalMesh, read_local_mesh
from halcyon.launch.errors import agreed
from halcyon.mesh.sphere import to_points
from halcyon.run.boundary import OpenBoundary
from halcyon.run.extremes import least, least_of_each
from halcyon.run.forcing import Forcing, forcing_of
from halcyon.run.places import nearest
from halcyon.run.prepare import owners_of_file
from halcyon.run.steps import Steps

if TYPE_CHECKING:
    from mpi4py import MPI


@dataclass(frozen=True)
class Station:
    """The cell (global id) that stands for a station, and its centre [degrees]."""

    cell: int
    longitude: float
    latitude: float


@dataclass(frozen=True)
class Parts:
    """What the loop works with: of the mesh this rank's part; CFL limits [s] (frequency) of all of it.
    `boundary` is None where nothing enters."""

    mesh: LocalMesh
    grid: wave.SpectralGrid
    cfl_limits_s: np.ndarray
    forcing: Forcing
    boundary: OpenBoundary | None
    stations: list[Station]


def parts_of(case: Case, mesh_file: Path, comm: MPI.Comm) -> Parts:
    """Collective. Reads and checks all input of a case. Raises what does not do on all ranks."""
    with agreed(comm):
        grid = spectral_grid(case.mesh.spectrum)
        _check_physics(case, grid)
    mesh = local_mesh_of(case, mesh_file, comm)
    _check_depths(mesh, case, comm)
    box = _box(case, mesh, comm)
    forcing = forcing_of(case, mesh, box, comm)
    boundary = None if case.boundary is None else OpenBoundary(case, mesh, grid, comm)
    with agreed(comm):
        limits_s = wave.cfl_limits(
            mesh.mesh,
            grid,
            great_circle=case.equations.great_circle_turning,
            scheme=case.equations.scheme,
            swell_age=case.equations.swell_age,
            strongest_current=case.time.strongest_current,
        )
    stations = stations_of(case, mesh, comm)
    return Parts(mesh, grid, least_of_each(comm, limits_s), forcing, boundary, stations)


def local_mesh_of(case: RunCase, mesh_file: Path, comm: MPI.Comm) -> LocalMesh:
    """Collective. This rank's part of the mesh, cut by METIS or as the case's file says."""
    given, owners, how = case.partition, None, {}
    with agreed(comm):
        if given.method != "file":
            how = {"method": given.method, "seed": given.seed}
        elif comm.rank == 0:
            owners = owners_of_file(case, comm.size, count_cells(mesh_file))
    return read_local_mesh(comm, str(mesh_file), layers=case.halo_layers, owners=owners, **how)


def _check_physics(case: Case, grid: wave.SpectralGrid) -> None:
    """Raises ConfigError where the source terms cannot work on the bins of the spectrum."""
    try:
        wave.make_physics(case.physics.set, grid, **case.physics.values())
    except ConfigError as error:
        raise ConfigError(f"{case.place('mesh', 'spectrum')}: {error}") from None


def _check_depths(local: LocalMesh, case: Case, comm: MPI.Comm) -> None:
    """Collective. Raises InputError for a mesh without depths, or the first cell that is not under water."""
    depth = np.asarray(local.mesh.bottom_depth)
    with agreed(comm):
        if len(depth) != local.mesh.n_cells:
            raise InputError(
                f"The mesh {case.mesh.file} has no depths: it needs the variable bottomDepth(nCells) [m]."
            )
    ids = local.part.cells.to_global[: local.part.cells.n_owned]
    dry = np.flatnonzero(~(depth[: len(ids)] > 0))
    first = least(comm, min((int(ids[cell]) for cell in dry), default=local.n_items[0]))
    with agreed(comm):
        for cell in dry[ids[dry] == first]:
            lon, lat = np.degrees((local.mesh.cell_longitude[cell], local.mesh.cell_latitude[cell]))
            raise InputError(
                f"The mesh {case.mesh.file} has a depth of {depth[cell]:g} m at cell {first}"
                f" ({lon:.2f} E {lat:.2f} N). bottomDepth is positive down; leave land out of the mesh."
            )


def spectral_grid(spectrum: Spectrum) -> wave.SpectralGrid:
    """The bins that a case asks for."""
    return wave.SpectralGrid(
        frequencies=spectrum.frequencies,
        first_frequency=spectrum.first_frequency,
        ratio=spectrum.ratio,
        directions=spectrum.directions,
    )


def _box(case: Case, local: LocalMesh, comm: MPI.Comm) -> tuple[float, float, float, float]:
    """Collective. West, east, south, north [degrees] of the region, or of the mesh where it comes from a
    file."""
    if isinstance(case.mesh, MadeMesh) and case.mesh.region:
        region = case.mesh.region
        return region.west, region.east, region.south, region.north
    longitude, latitude = np.degrees(local.mesh.cell_longitude), np.degrees(local.mesh.cell_latitude)
    west, east, south, north = (
        least(comm, bound) for bound in (longitude.min(), -longitude.max(), latitude.min(), -latitude.max())
    )
    return west, -east, south, -north


def stations_of(case: Case, local: LocalMesh, comm: MPI.Comm) -> list[Station]:
    """Collective. The cell that stands for each station: the nearest, within two of its widths.

    Raises InputError for a station without sea near it."""
    stations = []
    for i, station in enumerate(case.output.stations):
        point = to_points(station.longitude, station.latitude)
        distance, cell, width, longitude, latitude = least(comm, nearest(point, local))
        with agreed(comm):
            if distance > 2 * width:
                raise InputError(
                    f"{case.place('output', 'stations', i)}: station '{station.name}' at"
                    f" {station.longitude:g} E {station.latitude:g} N is"
                    f" {distance * EARTH_RADIUS / 1e3:.0f} km from the nearest sea cell of the mesh, which is"
                    f" {width * EARTH_RADIUS / 1e3:.0f} km wide. Move the station into the sea."
                )
        stations.append(Station(cell, longitude, latitude))
    return stations


def model_of(case: Case, parts: Parts, steps: Steps, core_comm: Any) -> wave.Model:
    """Collective. This rank's model, with its part of the mesh."""
    options = {name: float(v) if type(v) is int else v for name, v in case.physics.values().items()}
    return wave.Model(
        core_comm,
        parts.mesh,
        parts.grid,
        great_circle=case.equations.great_circle_turning,
        refraction=case.equations.refraction,
        scheme=case.equations.scheme,
        swell_age=case.equations.swell_age,
        bands=steps.bands,
        least_depth=case.equations.least_depth,
        ice_threshold=case.equations.ice_threshold,
        physics=case.physics.set,
        physics_options=options,
        method=case.exchange.method,
        overlap=case.exchange.overlap,
    )
