"""The cells of a run: this rank's part of the mesh, and the cells nearest to stations and points."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.config.case import Case
from halcyon.config.mesh_file import count_cells
from halcyon.config.run_case import RunCase
from halcyon.decomposition import LocalMesh, read_local_mesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.mesh.sphere import to_lonlat, to_points
from halcyon.run.prepare import owners_from_file
from halcyon.run.reductions import minimum

if TYPE_CHECKING:
    from mpi4py import MPI

Centres = tuple[np.ndarray, np.ndarray]  # longitudes and latitudes [degrees] of cell centres


def local_mesh_of(case: RunCase, mesh_file: Path, comm: MPI.Comm) -> LocalMesh:
    """Collective. This rank's part of the mesh, partitioned by METIS or by the file of the case."""
    partition, owners, options = case.partition, None, {}
    with all_ranks_raise(comm):
        if partition.method != "file":
            options = {"method": partition.method, "seed": partition.seed}
        elif comm.rank == 0:
            owners = owners_from_file(case, comm.size, count_cells(mesh_file))
    return read_local_mesh(comm, str(mesh_file), layers=case.halo_layers, owners=owners, **options)


def cell_description(local: LocalMesh, cell: int) -> str:
    """Global id and centre of an owned cell: `cell 1234 (128.31 E 34.50 N)`."""
    lon, lat = np.degrees((local.mesh.cell_longitude[cell], local.mesh.cell_latitude[cell]))
    return f"cell {local.part.cells.to_global[cell]} ({lon:.2f} E {lat:.2f} N)"


def nearest_cells(
    longitude: np.ndarray, latitude: np.ndarray, local: LocalMesh, comm: MPI.Comm, *, max_widths: float
) -> tuple[list[int], Centres]:
    """Collective. The cells (ascending unique global ids) nearest to points [degrees], and their centres.
    Points that are more than `max_widths` cell widths from the nearest cell are left out."""
    nearest_here = [_nearest(point, local) for point in to_points(longitude, latitude)]
    nearest_on_ranks = comm.allgather(nearest_here)
    # The least distance; at equal distances the lowest global id.
    nearest = [min(candidates) for candidates in zip(*nearest_on_ranks, strict=True)]
    centre_of = {cell: centre for distance, cell, width, *centre in nearest if distance <= max_widths * width}
    cells = sorted(centre_of)
    centres = np.array([centre_of[cell] for cell in cells]).reshape(-1, 2)
    return cells, (centres[:, 0], centres[:, 1])


def _nearest(point: np.ndarray, local: LocalMesh) -> tuple[float, int, float, float, float]:
    """Returns (chord distance, global id, width, longitude, latitude) of the owned cell nearest to a point
    (3) of the unit sphere: distance and width in Earth radii, longitude and latitude of the centre in
    degrees."""
    mesh, n_owned = local.mesh, local.part.cells.n_owned
    ids, centres = local.part.cells.to_global[:n_owned], np.asarray(mesh.cell_points)[:n_owned]
    squared = sum((centres[:, axis] - point[axis]) ** 2 for axis in range(3))
    cell = np.lexsort((ids, squared))[0]
    longitude, latitude = to_lonlat(centres[cell][None])
    width = float(np.sqrt(mesh.area_cell[cell]))
    return float(np.sqrt(squared[cell])), int(ids[cell]), width, float(longitude[0]), float(latitude[0])


@dataclass(frozen=True)
class Station:
    """The cell (global id) that represents a station, and the cell's centre [degrees]."""

    cell: int
    longitude: float
    latitude: float


def station_cells(case: Case, local: LocalMesh, comm: MPI.Comm) -> list[Station]:
    """Collective. The nearest cell to each station, within two cell widths.

    Raises InputError for a station without a sea cell nearby."""
    stations = []
    for i, station in enumerate(case.output.stations):
        point = to_points(station.longitude, station.latitude)
        distance, cell, width, longitude, latitude = minimum(comm, _nearest(point, local))
        with all_ranks_raise(comm):
            if distance > 2 * width:
                raise InputError(
                    f"{case.location('output', 'stations', i)}: station '{station.name}' at"
                    f" {station.longitude:g} E {station.latitude:g} N is"
                    f" {distance * EARTH_RADIUS / 1e3:.0f} km from the nearest sea cell of the mesh, a cell"
                    f" of {width * EARTH_RADIUS / 1e3:.0f} km width. Move the station into the sea."
                )
        stations.append(Station(cell, longitude, latitude))
    return stations
