"""Spectra at the open boundaries of the region, set in the boundary cells before each transport step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.forcing import Boundary
from halcyon.config.mesh import GeneratedMesh, Region
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.mesh.sphere import to_lonlat
from halcyon.remap.faces import points_of
from halcyon.run.input.forcing import locate_errors
from halcyon.wave.gridded.catalogue import needed_records
from halcyon.wave.records import TimeInterpolation, files_text, seconds_since
from halcyon.wave.spectra import Rebinning, SpectraSource, open_spectra, point_weights
from halcyon.wave.spectra.points import nearest_distance

if TYPE_CHECKING:
    from mpi4py import MPI

# Tolerance of the estimated position of a missing neighbour, in distances between cell centres.
SLACK = 0.25


class OpenBoundary:
    """The open boundary cells of this rank and their action density [m2 s2] (cell, frequency, direction).

    The action density is interpolated from the nearest points of the files (see `point_weights`), and
    linearly in time.
    """

    def __init__(self, case: Case, local: LocalMesh, grid: wave.SpectralGrid, comm: MPI.Comm) -> None:
        """Collective. Raises the same error on all ranks."""
        self._comm = comm
        with all_ranks_raise(comm):
            source = boundary_spectra(case)
        points = points_of(source.longitude, source.latitude)
        cells = open_cells(local, region_of(case))
        centres = np.asarray(local.mesh.cell_points)[cells]
        if case.boundary.distance is not None and len(cells):
            is_near = nearest_distance(centres, points) * EARTH_RADIUS <= case.boundary.distance
            cells, centres = cells[is_near], centres[is_near]
        self._require_cells(case, source, len(cells))
        self.cells = cells
        used_points, self._weights = point_weights(centres, points).restricted()
        rebinning = Rebinning(source.frequency, source.direction, grid)
        times_s = seconds_since(case.time.start, source.times)
        self._spectra = TimeInterpolation(
            times_s, lambda record: self._interpolated(source, rebinning, record, used_points)
        )

    def set(self, model: wave.Model, time_s: float) -> None:
        """Collective. Sets the spectra at a time since the start [s] in the open cells that are not under
        ice. Raises InputError if a record cannot be read."""
        for record in self._spectra.records_to_read(time_s):
            with all_ranks_raise(self._comm):
                self._spectra.read(record, time_s)
        if len(self.cells):
            ice_free = model.under_ice(self.cells.astype(np.int32)) == 0
            model.action[self.cells[ice_free]] = self._spectra.at(time_s)[ice_free]

    def exclude_from_transport(self, model: wave.Model) -> None:
        """Makes all transport substeps leave the spectra of the open cells unchanged."""
        model.hold_cells(self.cells.astype(np.int32))

    def _interpolated(
        self, source: SpectraSource, rebinning: Rebinning, record: int, used_points: np.ndarray
    ) -> np.ndarray:
        """The action density of a record in the open cells."""
        if not len(self.cells):
            return np.empty(0)
        return self._weights.combine(rebinning.action(source.density(record, used_points)))

    def _require_cells(self, case: Case, source: SpectraSource, n_cells: int) -> None:
        """Collective. Raises InputError if no rank has open cells."""
        if self._comm.allreduce(n_cells) == 0:
            raise InputError(
                f"{case.location('boundary')}: no cell of the mesh lies at an open boundary"
                f"{_distance_text(case.boundary, source)}. Remove the group boundary, or check the points of"
                " its files."
            )


def _distance_text(boundary: Boundary, source: SpectraSource) -> str:
    return (
        ""
        if boundary.distance is None
        else f" within {boundary.distance:g} m of the points of {source.paths[0]}"
    )


def boundary_spectra(case: Case) -> SpectraSource:
    """The boundary spectra of a case. Raises ConfigError or InputError, with file and line of the case, for
    unsuitable files."""
    boundary = case.boundary
    with locate_errors(case, "boundary"):
        if boundary.distance is None and region_of(case) is None:
            raise ConfigError(
                "the mesh has no region with open sides: give boundary.distance, the largest distance "
                "between a boundary cell and a point of the spectra [m]."
            )
        source = open_spectra(boundary.files, directions=boundary.directions, variable=boundary.variable)
        start, end = (np.datetime64(time, "ms") for time in (case.time.start, case.time.end))
        label = f"{files_text(source.paths)}: the boundary"
        needed_records(source.times, start, end, boundary.longest_gap, label)
    return source


def region_of(case: Case) -> Region | None:
    """The box of the mesh; None if the mesh is from a file or cut by a polygon."""
    is_box = isinstance(case.mesh, GeneratedMesh) and case.mesh.polygon is None
    return case.mesh.region if is_box else None


def open_cells(local: LocalMesh, region: Region | None) -> np.ndarray:
    """The owned cells (ascending local indices) that lack a neighbour because the region ends there.

    The centre of a missing neighbour is estimated by mirroring the cell's centre at the edge without
    neighbour. If the mirrored point is in the region, the missing neighbour is taken as land, otherwise as
    sea. Without a region all cells that lack a neighbour are open."""
    mesh, n_owned = local.mesh, local.part.cells.n_owned
    offsets = np.asarray(mesh.cell_offsets[: n_owned + 1])
    cell_of_neighbor = np.repeat(np.arange(n_owned), np.diff(offsets))
    missing_neighbors = np.flatnonzero(np.asarray(mesh.cells_on_cell[: offsets[-1]]) < 0)
    cells = cell_of_neighbor[missing_neighbors]
    if region is not None:
        edges = np.asarray(mesh.edges_on_cell)[missing_neighbors]
        centres = np.asarray(mesh.cell_points)[cells]
        mirrored = 2 * np.asarray(mesh.edge_points)[edges] - centres
        slack = SLACK * np.degrees(np.linalg.norm(mirrored - centres, axis=1))
        longitude, latitude = to_lonlat(mirrored / np.linalg.norm(mirrored, axis=1)[:, None])
        cells = cells[~_well_inside(region, longitude, latitude, slack)]
    return np.unique(cells)


def _well_inside(box: Region, longitude: np.ndarray, latitude: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Whether points lie in a box, at least `slack` [degrees of arc] from its sides."""
    longitude_slack = slack / np.cos(np.radians(latitude))
    degrees_from_west, width = (longitude - box.west) % 360, box.east - box.west
    is_within = (degrees_from_west >= longitude_slack) & (degrees_from_west <= width - longitude_slack)
    if width >= 360:
        is_within[:] = True
    return is_within & (latitude >= box.south + slack) & (latitude <= box.north - slack)
