"""Where a run writes spectra as the boundary of others."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import InputError
from halcyon.config.boundary import Nest
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import agreed
from halcyon.run.places import Centres, nearest_cells

if TYPE_CHECKING:
    from mpi4py import MPI

NEAR = 2.0  # widths of a cell, within which a point of a nest has a spectrum


def nest_cells(nest: Nest, place: str, mesh: LocalMesh, comm: MPI.Comm) -> tuple[list[int], Centres]:
    """Collective. The cells (global ids, ascending) that stand for the points of a nest, and the longitudes
    and latitudes [degrees] of their centres; place: of the nest in its case, for errors.

    Raises InputError where the points cannot be read, or none lies in the sea of the run."""
    with agreed(comm):
        longitude, latitude = points_of_nest(nest, place)
    cells, centres = nearest_cells(longitude, latitude, mesh, comm, within=NEAR)
    with agreed(comm):
        if not cells:
            raise InputError(f"{place}: no point of the nest '{nest.name}' lies in the sea of this run.")
    return cells, centres


def points_of_nest(nest: Nest, place: str) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes [degrees] of the points of a nest. Raises InputError where they cannot be
    read."""
    if nest.mesh is not None:
        return _boundary_of(nest.mesh)
    try:
        with nest.points.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file, skipinitialspace=True)
            if not {"longitude", "latitude"} <= {*(rows.fieldnames or ())}:
                raise ValueError("its first line does not name them")
            table = np.array([_position(row) for row in rows]).reshape(-1, 2)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{place}: {nest.points} must be CSV with the columns longitude and latitude: {reason}."
        ) from None
    longitude, latitude = table.T
    wrong = ~((np.abs(latitude) <= 90) & (longitude >= -180) & (longitude <= 540))
    if wrong.any():
        raise InputError(f"{place}: {nest.points} has no position in row {np.flatnonzero(wrong)[0] + 1}.")
    return longitude, latitude


def _position(row: dict[str, str]) -> tuple[float, float]:
    """Longitude and latitude [degrees]; NaN where there are none."""
    try:
        return float(row["longitude"]), float(row["latitude"])
    except (TypeError, ValueError):
        return np.nan, np.nan


def _boundary_of(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the cells of a mesh that lack a neighbour."""
    from halcyon import mesh

    found = mesh.read_mpas(str(path))
    lacking = np.asarray(found.cells_on_cell) < 0
    cells = np.unique(np.repeat(np.arange(found.n_cells), np.diff(found.cell_offsets))[lacking])
    return np.degrees(found.cell_longitude[cells]), np.degrees(found.cell_latitude[cells])
