"""Spectra at the open boundaries of the region, set in the boundary cells before each transport step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS, InputError
from halcyon.config.case import Case
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.remap.faces import points_of
from halcyon.run.input.boundary_report import BoundaryReport
from halcyon.run.input.boundary_source import PointRecords, boundary_sources, region_of
from halcyon.run.input.open_cells import automatic_distance, distance_text, distances_m, open_cells
from halcyon.run.progress import print_on_root
from halcyon.run.reductions import maximum, minimum
from halcyon.wave.records import files_text
from halcyon.wave.spectra import point_weights
from halcyon.wave.spectra.energy import Moments

if TYPE_CHECKING:
    from mpi4py import MPI


class OpenBoundary:
    """The open boundary cells of this rank and their action density [m2 s2] (cell, frequency, direction).

    The action density is interpolated from the nearest points of the files (see `point_weights`), and
    linearly in time.
    """

    def __init__(self, case: Case, local: LocalMesh, grid: wave.SpectralGrid, comm: MPI.Comm) -> None:
        """Collective. Raises the same error on all ranks."""
        self._comm, self._grid, self._case = comm, grid, case
        with all_ranks_raise(comm):
            sources = boundary_sources(case)
            self._records = [PointRecords(source, grid, case.time.start) for source in sources]
        self._files = files_text(sorted({path for source in sources for path in source.paths}))
        region, found = region_of(case), open_cells(local, region_of(case))
        longitude, latitude = (
            np.concatenate([getattr(source, name) for source in sources])
            for name in ("longitude", "latitude")
        )
        points = points_of(longitude, latitude)
        widths_m = EARTH_RADIUS * np.sqrt(np.asarray(local.mesh.area_cell)[found.cells])
        widest_m = maximum(comm, float(widths_m.max(initial=0)))
        assert case.boundary is not None
        limit_m = case.boundary.distance or automatic_distance(points, region, widest_m)
        centres = np.asarray(local.mesh.cell_points)[found.cells]
        with all_ranks_raise(comm):
            usable = self._with_spectra(centres, points, limit_m)
        distance_m = distances_m(centres, points[usable])
        is_near = distance_m <= limit_m
        self._require_near(is_near, distance_m, limit_m)
        self.open = found.selected(is_near)
        self.cells, centres = self.open.cells, centres[is_near]
        weights = point_weights(centres, points[usable])
        nearest = usable[weights.points[:, 0]]
        self.report = BoundaryReport(
            comm,
            local.part.cells.to_global[self.cells],
            self.open.sides,
            nearest,
            distance_m[is_near],
            (longitude, latitude),
        )
        used, self._weights = weights.restricted()
        for records, of_source in zip(self._records, self._of_sources(usable[used]), strict=True):
            records.use(of_source)
        self._check_energy()
        self._depth = np.asarray(local.mesh.bottom_depth)[self.cells]
        self._moments = Moments(grid.frequency, grid.direction, tail_of_last=True)

    def set(self, model: wave.Model, time_s: float) -> None:
        """Collective. Sets the spectra at a time since the start [s] in the open cells that are not under
        ice. Raises InputError if a record cannot be read."""
        self._read(time_s)
        if len(self.cells):
            ice_free = model.under_ice(self.cells.astype(np.int32)) == 0
            values = np.concatenate([records.action(time_s) for records in self._records])
            model.action[self.cells[ice_free]] = self._weights.combine(values)[ice_free]

    def table(self) -> list[str]:
        """The rows of the plan: which point serves which cells."""
        return [self._header, *self.report.table()]

    def measure(self, model: wave.Model, time_s: float) -> None:
        """Collective. Sets the spectra at a time since the start [s], and adds their energy, and that of the
        spectra of the files, to the report."""
        self.set(model, time_s)
        given = np.zeros((len(self.cells), 2))
        begin = 0
        for records in self._records:
            n = len(records.points)
            for points, shares in zip(self._weights.points.T, self._weights.shares.T, strict=True):
                here = np.flatnonzero((points >= begin) & (points < begin + n))
                if len(here):
                    moments = records.moments_at(time_s)[points[here] - begin]
                    energy = self._energy(records.moments, moments, here)
                    given[here] += shares[here, None] * energy
            begin += n
        density = model.action[self.cells] * np.asarray(self._grid.sigma)[:, None]
        taken = self._energy(self._moments, self._moments.of(density), np.arange(len(self.cells)))
        self.report.add(self._comm, given, taken)

    def _energy(self, moments: Moments, values: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """The variance [m2] and the energy flux into the region [W] (n, 2) of moments at open cells."""
        flux = (moments.flux(values, self._depth[cells]) * self.open.inward[cells]).sum(axis=1)
        return np.stack([moments.variance(values), flux], axis=1)

    def _read(self, time_s: float) -> None:
        with all_ranks_raise(self._comm):
            for records in self._records:
                records.read(time_s)

    def _of_sources(self, points: np.ndarray) -> list[np.ndarray]:
        """Points of all sources (ascending indices), as the indices of the points of each source."""
        ends = np.cumsum([len(records.source.longitude) for records in self._records])
        begins = [0, *ends[:-1]]
        return [
            points[(points >= begin) & (points < end)] - begin
            for begin, end in zip(begins, ends, strict=True)
        ]

    def _with_spectra(self, centres: np.ndarray, points: np.ndarray, limit_m: float) -> np.ndarray:
        """The indices of the points (point, 3), less those needed at the centres (n, 3) that have no
        spectra."""
        usable = np.arange(len(points))
        while len(usable):
            near = centres[distances_m(centres, points[usable]) <= limit_m]
            used = usable[np.unique(point_weights(near, points[usable]).points)]
            lacking = [
                records.without_spectra(of_source)
                for records, of_source in zip(self._records, self._of_sources(used), strict=True)
            ]
            is_lacking = np.concatenate(lacking)
            if not is_lacking.any():
                break
            usable = np.setdiff1d(usable, used[is_lacking])
        return usable

    def _require_near(self, is_near: np.ndarray, distance_m: np.ndarray, limit_m: float) -> None:
        """Collective. Raises InputError if no rank has an open cell near a point; warns of open cells of a
        region that are far from all points."""
        comm, location = self._comm, self._case.location("boundary")
        is_region = region_of(self._case) is not None
        n_near, n_far = (comm.allreduce(int(n)) for n in (is_near.sum(), (~is_near).sum()))
        nearest_m = minimum(comm, float(distance_m.min(initial=np.inf)))
        farthest_m = maximum(comm, float(distance_m[~is_near].max(initial=0)))
        within = f"{distance_text(limit_m)} of the points of {self._files}"
        if n_near == 0:
            nearest = f": the nearest is {distance_text(nearest_m)} away" if n_far else ""
            if np.isinf(nearest_m) and n_far:
                nearest = ": none of these points has spectra, as on land"
            raise InputError(
                f"{location}: no cell of the mesh lies at an open boundary within {within}{nearest}. Check"
                " longitudes and latitudes of the points, or set boundary.distance [m], or remove the group"
                " boundary."
            )
        edge = "the open sides" if is_region else "the edge of the mesh"
        closed = f"; the other {n_far} are closed" if n_far else ""
        self._header = f"{n_near} cells at {edge} within {within}{closed}"
        if n_far and is_region:
            print_on_root(
                comm,
                f"warning: {location}: {n_far} of {n_near + n_far} open cells are not within {within} (up to"
                f" {distance_text(farthest_m)}): no waves enter there. Give points there, or set"
                " boundary.distance [m].",
            )

    def _check_energy(self) -> None:
        """Collective. Raises InputError if the spectra have no energy; warns if they do not change."""
        comm = self._comm
        for warning in dict.fromkeys(text for records in self._records for text in records.source.warnings):
            print_on_root(comm, f"warning: {self._case.location('boundary')}: {warning}")
        if minimum(comm, all(records.is_zero for records in self._records)):
            raise InputError(
                f"{self._case.location('boundary')}: the spectra of {self._files} have no energy at the"
                " first, the middle and the last time of the run. Give others, or remove the group boundary."
            )
        if minimum(comm, all(records.is_constant for records in self._records)):
            print_on_root(
                comm,
                f"warning: {self._case.location('boundary')}: the spectra of {self._files} do not change"
                " during the run.",
            )
