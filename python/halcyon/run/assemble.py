"""From a case to what runs: mesh, spectrum, winds, stations and the model of one rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import graph, wave
from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.forcing import ConstantWind, TrackWind
from halcyon.config.mesh import MadeMesh, Spectrum
from halcyon.mesh import Mesh, read_mpas
from halcyon.run.errors import from_root
from halcyon.run.prepare import owners_of_file, prepare_mesh

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.wave.track import Track


@dataclass(frozen=True)
class Parts:
    """What the loop works with. `track` is None where the wind does not come from one."""

    mesh: Mesh
    grid: wave.SpectralGrid
    wind: Any
    track: Track | None
    station_cells: np.ndarray


def parts_of(case: Case) -> Parts:
    """Reads and checks all input of a case. Raises InputError and ConfigError for what does not do."""
    grid = spectral_grid(case.mesh.spectrum)
    _check_physics(case, grid)
    mesh = read_mpas(str(prepare_mesh(case, lambda text: None)))
    _check_depths(mesh, case)
    wind, track = wind_of(case, mesh)
    return Parts(mesh, grid, wind, track, station_cells(case, mesh))


def _check_physics(case: Case, grid: wave.SpectralGrid) -> None:
    """Raises ConfigError where the source terms cannot work on the bins of the spectrum."""
    try:
        wave.make_physics(case.physics.set, grid, **case.physics.values())
    except ConfigError as error:
        raise ConfigError(f"{case.place('mesh', 'spectrum')}: {error}") from None


def _check_depths(mesh: Mesh, case: Case) -> None:
    depth = mesh.bottom_depth
    if len(depth) != mesh.n_cells:
        raise InputError(
            f"The mesh {case.mesh.file} has no depths: it needs the variable bottomDepth(nCells) [m]."
        )
    if not (depth > 0).all():
        cell = int(np.argmin(depth > 0))
        lon, lat = np.degrees((mesh.cell_longitude[cell], mesh.cell_latitude[cell]))
        raise InputError(
            f"The mesh {case.mesh.file} has a depth of {depth[cell]:g} m at cell {cell}"
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


def wind_of(case: Case, mesh: Mesh) -> tuple[Any, Track | None]:
    """The wind of a case, and the track that it follows, checked to cover the run and to enter the region."""
    from halcyon.wave.track import read_track
    from halcyon.wave.wind import Options, constant_wind, vortex_wind

    given = case.forcing.wind
    if isinstance(given, TrackWind):
        track = read_track(given.track)
        start, end = (np.datetime64(time, "s") for time in (case.time.start, case.time.end))
        track.check(start, end, _box(case, mesh))
        return vortex_wind(track, start=start, options=Options(**given.vortex_options())), track
    if isinstance(given, ConstantWind):
        return constant_wind(speed=given.constant.speed, direction=given.constant.direction), None
    return constant_wind(speed=0.0, direction=0.0), None


def _box(case: Case, mesh: Mesh) -> tuple[float, float, float, float]:
    """West, east, south, north [degrees] of the region, or of the mesh where it comes from a file."""
    if isinstance(case.mesh, MadeMesh) and case.mesh.region:
        region = case.mesh.region
        return region.west, region.east, region.south, region.north
    longitude, latitude = np.degrees(mesh.cell_longitude), np.degrees(mesh.cell_latitude)
    return longitude.min(), longitude.max(), latitude.min(), latitude.max()


def station_cells(case: Case, mesh: Mesh) -> np.ndarray:
    """The cell (global id) that stands for each station: the nearest, within two of its widths.

    Raises InputError for a station without sea near it."""
    cells = []
    for i, station in enumerate(case.output.stations):
        lon, lat = np.radians((station.longitude, station.latitude))
        point = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
        chords = np.linalg.norm(mesh.cell_points - point, axis=1)
        cell = int(np.argmin(chords))
        distance, width = chords[cell], np.sqrt(mesh.area_cell[cell])
        if distance > 2 * width:
            raise InputError(
                f"{case.place('output', 'stations', i)}: station '{station.name}' at"
                f" {station.longitude:g} E {station.latitude:g} N is"
                f" {distance * EARTH_RADIUS / 1e3:.0f} km from the nearest sea cell of the mesh, which is"
                f" {width * EARTH_RADIUS / 1e3:.0f} km wide. Move the station into the sea."
            )
        cells.append(cell)
    return np.array(cells, np.int64)


def owners_of(case: Case, mesh: Mesh, comm: MPI.Comm) -> np.ndarray:
    """Collective. The rank int32 (cell) of each cell: computed by every rank, or read by the first.

    Raises InputError where the file of the partition does not do."""
    given = case.partition
    if given.method == "file":
        return from_root(comm, lambda: owners_of_file(case, comm.size, mesh.n_cells))
    lists = mesh.cell_offsets, mesh.cells_on_cell
    return graph.partition(*lists, comm.size, method=given.method, seed=given.seed)


def model_of(case: Case, parts: Parts, comm: MPI.Comm, core_comm: Any) -> wave.Model:
    """Collective. This rank's model, with its part of the mesh."""
    mesh = parts.mesh
    options = {name: float(v) if type(v) is int else v for name, v in case.physics.values().items()}
    return wave.Model(
        core_comm,
        mesh,
        owners_of(case, mesh, comm),
        parts.grid,
        great_circle=case.equations.great_circle_turning,
        refraction=case.equations.refraction,
        physics=case.physics.set,
        physics_options=options,
        method=case.exchange.method,
        layers=case.exchange.layers,
        overlap=case.exchange.overlap,
    )
