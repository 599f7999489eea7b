"""The cells of a run: this rank's part of the mesh, and the cells nearest to stations and points."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.config.case import Case
from halcyon.config.mesh import GeneratedMesh
from halcyon.config.mesh_file import count_cells
from halcyon.config.run_case import RunCase
from halcyon.decomposition import LocalMesh, read_local_mesh
from halcyon.launch.errors import all_ranks_raise, from_root
from halcyon.mesh.geojson import read_region
from halcyon.mesh.sphere import (
    longitude_bounds,
    middle_longitude,
    position_text,
    to_lonlat,
    to_points,
    wrapped,
)
from halcyon.run.prepare import owners_from_file
from halcyon.run.progress import print_on_root
from halcyon.run.reductions import elementwise_minimum, minimum

if TYPE_CHECKING:
    from mpi4py import MPI

MAX_STATION_DISTANCE = 2.0  # largest distance between a station and its cell, in cell widths
Centres = tuple[np.ndarray, np.ndarray]  # longitudes and latitudes [degrees] of cell centres


def local_mesh_of(case: RunCase, mesh_file: Path, comm: MPI.Comm) -> LocalMesh:
    """Collective. This rank's part of the mesh, partitioned by METIS or by the file of the case."""
    partition, owners = case.partition, None
    options: dict[str, Any] = {}
    with all_ranks_raise(comm):
        if partition.method != "file":
            options = {"method": partition.method, "seed": partition.seed}
        elif comm.rank == 0:
            owners = owners_from_file(case, comm.size, count_cells(mesh_file))
    return read_local_mesh(comm, str(mesh_file), layers=case.halo_layers, owners=owners, **options)


def middle_of_longitudes(case: RunCase, local: LocalMesh, comm: MPI.Comm) -> float:
    """Collective. The middle [degrees] of the longitudes in the files of a run: they are within 180 degrees
    of it, as those that the case gives. With a region, its middle; otherwise that of `middle_longitude`,
    negative if the case has a negative longitude."""
    mesh = case.mesh
    if isinstance(mesh, GeneratedMesh) and (mesh.region or mesh.polygon):
        box = mesh.region.to_spec().box if mesh.region else from_root(comm, lambda: _bounds(mesh))
        west, _, east, _ = box
        return (west + east) / 2
    owned = np.degrees(local.mesh.cell_longitude[: local.part.cells.n_owned])
    bounds = elementwise_minimum(comm, longitude_bounds(owned))
    return middle_longitude(bounds, is_negative=_has_negative(case.model_dump(exclude_unset=True)))


def _bounds(mesh: GeneratedMesh) -> tuple[float, ...]:
    """West, south, east, north [degrees] of the polygons of a mesh."""
    assert mesh.polygon is not None
    bounds: tuple[float, ...] = read_region(mesh.polygon).bounds
    return bounds


def _has_negative(options: Any) -> bool:
    """Whether an option `longitude` or `west` is negative in groups and lists of options."""
    if isinstance(options, dict):
        names = [name for name in ("longitude", "west") if isinstance(options.get(name), float | int)]
        return any(options[name] < 0 for name in names) or any(map(_has_negative, options.values()))
    return isinstance(options, list) and any(map(_has_negative, options))


def cell_description(local: LocalMesh, cell: int) -> str:
    """Global id and centre of an owned cell: `cell 1234 (128.31 E 34.50 N)`."""
    lon, lat = np.degrees((local.mesh.cell_longitude[cell], local.mesh.cell_latitude[cell]))
    return f"cell {local.part.cells.to_global[cell]} ({position_text(lon, lat)})"


def nearest_cells(
    longitude: np.ndarray,
    latitude: np.ndarray,
    local: LocalMesh,
    comm: MPI.Comm,
    *,
    max_widths: float,
    middle: float,
) -> tuple[list[int], Centres]:
    """Collective. The cells (ascending unique global ids) nearest to points [degrees], and their centres,
    with longitudes around `middle`.

    Points that are more than `max_widths` cell widths from the nearest cell are left out."""
    nearest_here = [_nearest(point, local) for point in to_points(longitude, latitude)]
    nearest_on_ranks = comm.allgather(nearest_here)
    # The least distance; at equal distances the lowest global id.
    nearest = [min(candidates) for candidates in zip(*nearest_on_ranks, strict=True)]
    is_near = [distance <= max_widths * width for distance, _, width, *_ in nearest]
    centre_of = {row[1]: row[3:5] for row, near in zip(nearest, is_near, strict=True) if near}
    cells = sorted(centre_of)
    centres = np.array([centre_of[cell] for cell in cells]).reshape(-1, 2)
    return cells, (wrapped(centres[:, 0], middle), centres[:, 1])


def _nearest(point: np.ndarray, local: LocalMesh) -> tuple[float, int, float, float, float, bool]:
    """Returns (chord distance, global id, width, longitude, latitude, whether it contains the point) of the
    owned cell nearest to a point (3) of the unit sphere: distance and width in Earth radii, longitude and
    latitude of the centre in degrees."""
    mesh, n_owned = local.mesh, local.part.cells.n_owned
    ids, centres = local.part.cells.to_global[:n_owned], np.asarray(mesh.cell_points)[:n_owned]
    squared = sum((centres[:, axis] - point[axis]) ** 2 for axis in range(3))
    cell = np.lexsort((ids, squared))[0]
    longitude, latitude = to_lonlat(centres[cell][None])
    width = float(np.sqrt(mesh.area_cell[cell]))
    corners = mesh.vertex_points[mesh.vertices_on_cell[slice(*mesh.cell_offsets[cell : cell + 2])]]
    sides = np.cross(corners, np.roll(corners, -1, axis=0))  # normal to each side, inwards
    is_inside = bool((sides @ point >= 0).all())
    distance = float(np.sqrt(squared[cell]))
    return distance, int(ids[cell]), width, float(longitude[0]), float(latitude[0]), is_inside


@dataclass(frozen=True)
class Station:
    """The cell (global id) that represents a station, and the cell's centre [degrees]."""

    cell: int
    longitude: float
    latitude: float


def station_cells(case: Case, local: LocalMesh, comm: MPI.Comm, middle: float) -> list[Station]:
    """Collective. The nearest cell to each station, within two cell widths; longitudes around `middle`. Warns
    of a station outside its cell.

    Raises InputError for a station without a sea cell nearby."""
    stations = []
    for i, station in enumerate(case.output.stations):
        point = to_points(station.longitude, station.latitude)
        distance, cell, width, longitude, latitude, is_inside = minimum(comm, _nearest(point, local))
        position = (
            f"{case.location('output', 'stations', i)}: station '{station.name}' at"
            f" {station.longitude:g} E {station.latitude:g} N is"
        )
        distance_km, width_km = (x * EARTH_RADIUS / 1e3 for x in (distance, width))
        with all_ranks_raise(comm):
            if distance > MAX_STATION_DISTANCE * width:
                raise InputError(
                    f"{position} {distance_km:.0f} km from the nearest sea cell of the mesh, a cell of"
                    f" {width_km:.0f} km width. Move the station into the sea."
                )
        if not is_inside:
            cell_position = position_text(longitude, latitude)
            print_on_root(
                comm,
                f"warning: {position} in no cell of the mesh. Its values are those of the nearest sea cell,"
                f" {distance_km:.0f} km away at {cell_position}.",
            )
        stations.append(Station(cell, float(wrapped(longitude, middle)), latitude))
    return stations
