"""Input fields interpolated to the cells of a rank, at any time of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import InputError
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.mesh.sphere import longitude_bounds, middle_longitude, position_text
from halcyon.run.reductions import elementwise_minimum, minimum
from halcyon.wave.gridded import Catalogue, ComponentInterpolation, Grid, Interpolation, Series

if TYPE_CHECKING:
    from mpi4py import MPI

_MAX_GRIDS = 6  # grids in memory: both components, before and after a time, and of the next record


class CellFields:
    """Quantities from the files of one forcing of the case, such as both components of the wind, on the first
    `n_cells` cells of this rank. Vectors have eastward and northward components.

    Raises the same InputError on all ranks if the files' grid does not cover a cell.
    """

    def __init__(
        self,
        catalogues: Sequence[Catalogue],
        local: LocalMesh,
        n_cells: int,
        start: np.datetime64,
        comm: MPI.Comm,
        *,
        reach: float = 0.0,
        location: str = "",
    ) -> None:
        """Collective. reach: largest distance over which missing values are filled [m]; location: file and
        line of the case that name the files, for errors."""
        self._comm, self._reach = comm, reach
        self._location = f"{location}: " if location else ""
        self._longitude = np.degrees(local.mesh.cell_longitude[:n_cells])
        self._latitude = np.degrees(local.mesh.cell_latitude[:n_cells])
        self._ids = local.part.cells.to_global[: local.part.cells.n_owned]
        # The last grids, and the interpolation from each of scalars and of both components of vectors.
        self._interpolations: list[tuple[Grid, Interpolation, dict[int, ComponentInterpolation]]] = []
        grids = [record.grid for catalogue in catalogues for record in catalogue.records]
        self._is_turned = len(catalogues) == 2 and not all(grid.is_plain for grid in grids)
        self._relative_to_grid = [catalogue.relative_to_grid for catalogue in catalogues]
        self._series = [
            Series(catalogue, partial(self._interpolation_of, axis), start)
            for axis, catalogue in enumerate(catalogues)
        ]
        self._covering: list[Grid] = []  # the last grids that are known to cover the cells
        for catalogue in catalogues:
            self._require_cover(catalogue.grid)

    def at(self, time_s: float) -> list[np.ndarray]:
        """Collective. The values (cell) of each quantity at a time since the start [s].

        Reads records that are not in memory. Raises InputError if a record cannot be read, or has a missing
        or invalid value at a cell."""
        for series in self._series:
            for record in series.records_to_read(time_s):
                self._require_cover(series.grid_of(record))
                with all_ranks_raise(self._comm):
                    values = series.read(record, time_s)
                self._require_valid(series, record, values)
        of_series = [series.at(time_s) for series in self._series]
        return [*(of_series[0] + of_series[1])] if self._is_turned else of_series

    def _interpolation(self, grid: Grid) -> tuple[Interpolation, dict[int, ComponentInterpolation]]:
        """The interpolation from a grid, made once per grid, and its interpolations of components."""
        for known_grid, scalar, components in self._interpolations:
            if known_grid.same_as(grid):
                return scalar, components
        # A thread that reads the next record may add another grid at the same time.
        scalar, components = grid.interpolation(self._longitude, self._latitude, self._reach), {}
        self._interpolations = [*self._interpolations, (grid, scalar, components)][-_MAX_GRIDS:]
        return scalar, components

    def _interpolation_of(self, axis: int, grid: Grid) -> Interpolation | ComponentInterpolation:
        """The interpolation of a quantity from a grid."""
        scalar, components = self._interpolation(grid)
        if not self._is_turned:
            return scalar
        if axis not in components:
            components[axis] = scalar.component(axis, relative_to_grid=self._relative_to_grid[axis])
        return components[axis]

    def _require_cover(self, grid: Grid) -> None:
        """Collective. Raises InputError if a grid does not cover the cells."""
        if any(grid is each for each in self._covering):
            return
        with all_ranks_raise(self._comm):
            interpolation, _ = self._interpolation(grid)
        mesh_extent = self._mesh_extent()
        self._raise_if_any(
            ~interpolation.covered,
            lambda cell: (
                f"{grid.path} does not cover {self._cell_text(cell)}: it reaches {grid.extent}, the mesh"
                f" {mesh_extent}. Give files that cover the mesh, or make the region of the mesh smaller."
            ),
        )
        self._covering = [*self._covering, grid][-_MAX_GRIDS:]

    def _mesh_extent(self) -> str:
        """Collective. The bounds of the cell centres of all ranks."""
        bounds = elementwise_minimum(self._comm, longitude_bounds(self._longitude))
        is_negative = middle_longitude(bounds) == 0
        west, east = bounds[2 * is_negative], -bounds[2 * is_negative + 1]
        south, minus_north = (minimum(self._comm, x) for x in (self._latitude.min(), -self._latitude.max()))
        return f"from {west:g} to {east:g} E and from {south:g} to {-minus_north:g} N"

    def _require_valid(self, series: Series, record: int, values: np.ndarray) -> None:
        lowest, highest = series.catalogue.quantity.limits

        def text_of(cell: int) -> str:
            in_file = series.value_beyond(record, cell)
            value = values.T[cell].sum() if in_file is None else in_file
            return (
                f"{series.location(record)}: {series.catalogue.quantity.name} is {_value_text(value)} at"
                f" {self._cell_text(cell)}. {self._advice(value, lowest, highest)}"
            )

        is_valid = (values >= lowest) & (values <= highest)  # of each contribution, if vectors are turned
        self._raise_if_any(np.asarray(~(is_valid.all(axis=0) if self._is_turned else is_valid)), text_of)

    def _advice(self, value: float, lowest: float, highest: float) -> str:
        """The end of the error text for a missing or invalid value."""
        if np.isnan(value) and self._reach:
            return f"There is no value within {self._reach:g} m. Raise the option reach, or correct the file."
        if np.isnan(value):
            return "Give files without gaps."
        return (
            f"It must be from {lowest:g} to {highest:g}: check units, and mark missing values by _FillValue."
        )

    def _raise_if_any(self, is_wrong: np.ndarray, text_of: Callable[[int], str]) -> None:
        """Collective. Raises InputError if any rank has a wrong cell, with the text of the wrong cell that
        has the lowest global id."""
        from mpi4py import MPI

        wrong_cells = np.flatnonzero(is_wrong[: len(self._ids)])
        no_cell = np.iinfo(np.int64).max
        lowest_id = self._comm.allreduce(int(self._ids[wrong_cells].min(initial=no_cell)), op=MPI.MIN)
        if lowest_id == no_cell:
            return
        with all_ranks_raise(self._comm):
            for cell in wrong_cells[self._ids[wrong_cells] == lowest_id]:
                raise InputError(self._location + text_of(cell))

    def _cell_text(self, cell: int) -> str:
        return f"cell {self._ids[cell]} ({position_text(self._longitude[cell], self._latitude[cell])})"


def _value_text(value: float) -> str:
    if np.isnan(value):
        return "missing"
    return "out of its limits at a grid point nearby" if np.isinf(value) else f"{value:g}"
