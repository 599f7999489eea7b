"""An open file of an initial state: its grid, record and variables, and their interpolation to points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.io.field_source import mesh_topology
from halcyon.mesh.cf_file import find_variable, format_time, reading, time_of, times_of
from halcyon.mesh.data_file import open_data
from halcyon.mesh.sphere import position_text
from halcyon.run.start.quantities import Levels
from halcyon.run.start.source_grid import FaceSourceGrid, LatLonSourceGrid
from halcyon.wave.gridded import Quantity

Array = np.ndarray
_SHOWN_TIMES = 6


@dataclass(frozen=True)
class Variable:
    """A variable of an open file, at one record."""

    path: str
    data: Any  # xarray variable
    quantity: Quantity
    factor: float  # converts the file's values to the unit of the quantity
    levels: Levels | None  # None without levels
    levels_per_chunk: int  # number of levels in a storage chunk of the file

    @property
    def label(self) -> str:
        """File and name of the variable, for errors."""
        return f"{self.path}: {self.data.name}"

    def level_fields(self, read: Callable[[Any], Array]) -> Iterator[Array]:
        """Yields each level in file order as a flat float64 array in the unit of the quantity, NaN where
        missing.

        @param read reads the values of some levels in a window of the grid, levels first
        """
        n, size = (1, 1) if self.levels is None else (self.levels.size, self.levels_per_chunk)
        for k in range(0, n, size):
            chunk = {} if self.levels is None else {self.levels.dimension: slice(k, k + size)}
            with reading(self.label):
                values = read(self.data.isel(chunk)).astype(float)
            for level in values.reshape(min(size, n - k), -1):
                yield self.factor * level


class Source:
    """The variables of an open file on its horizontal grid at a time."""

    def __init__(self, path: str, file: Any, time: datetime | None, is_time_given: bool) -> None:
        """time: UTC, None for a file with one time; is_time_given: whether the case has initial.time."""
        self.path, self.file, self._time, self._is_time_given = path, file, time, is_time_given
        self.grid = (
            LatLonSourceGrid(path, file) if mesh_topology(file) is None else FaceSourceGrid(path, file)
        )

    def variable(self, quantity: Quantity, levels: Levels | None = None) -> Variable | None:
        """The variable of a quantity, on `levels` or without levels; None if the file has no such variable.
        Raises InputError if several variables match."""

        def fits(variable: Any) -> bool:
            other_dimensions = [name for name in variable.dims if name not in self.grid.dimensions]
            if variable.ndim - len(other_dimensions) < len(self.grid.dimensions):
                return False
            if levels is not None:
                return levels.dimension in other_dimensions
            time_dimensions = getattr(time_of(self.file, variable), "dims", ())
            return not any(
                self.file.sizes[name] > 1 for name in other_dimensions if name not in time_dimensions
            )

        variable = find_variable(self.path, self.file, quantity, "Leave one of them in the file.", fits)
        return None if variable is None else self._variable(variable, quantity, levels)

    def require_variable(self, quantity: Quantity, levels: Levels | None = None) -> Variable:
        """As `variable`, but raises InputError if the file has no such variable."""
        variable = self.variable(quantity, levels)
        if variable is None:
            suffix = "" if levels is None else f" on {levels.dimension}"
            raise InputError(self.missing_text(quantity, suffix))
        return variable

    def missing_text(self, quantity: Quantity, suffix: str = "") -> str:
        """The error text for a missing quantity; suffix: added to the name of the quantity."""
        names = [*(f"standard_name {name}" for name in quantity.standard_names), *quantity.names]
        return (
            f"{self.path} has no variable of {quantity.name}{suffix} ({', '.join(names)}). Add it to the"
            " file, or give another file."
        )

    def find_with_levels(self, quantity: Quantity) -> Any:
        """The variable of a quantity, preferably a variable with levels. Raises InputError if the file has no
        variable of the quantity."""
        for has_levels in (True, False):
            # A variable with more dimensions than the grid is taken to have levels.
            min_dimensions = len(self.grid.dimensions) + has_levels
            for name, variable in self.file.variables.items():
                has_name = variable.attrs.get("standard_name") in quantity.standard_names
                is_on_grid = {*self.grid.dimensions} <= {*variable.dims} and variable.ndim >= min_dimensions
                if (has_name or name.lower() in quantity.names) and is_on_grid:
                    return self.file[name]
        raise InputError(self.missing_text(quantity))

    def variable_named(self, name: str, quantity: Quantity) -> Variable:
        """A variable without levels by its name."""
        return self._variable(self.file[name], quantity, levels=None)

    def _variable(self, data: Any, quantity: Quantity, levels: Levels | None) -> Variable:
        record, time_dimension = self._record_of(data)
        level_dimension = None if levels is None else levels.dimension
        used_dimensions = (*self.grid.dimensions, time_dimension, level_dimension)
        other_dimensions = [name for name in data.dims if name not in used_dimensions]
        for name in other_dimensions:
            if data.sizes[name] != 1:  # such as ensemble members
                raise InputError(
                    f"{self.path}: {data.name} has {data.sizes[name]} values along the dimension {name}."
                    " Give a file with one of them only."
                )
        remedy = f"Convert it to {quantity.unit}, or correct the attribute units."
        factor = quantity.factor(str(data.attrs.get("units", "")), f"{self.path}: {data.name}", remedy)
        chunks = dict(zip(data.dims, data.encoding.get("chunksizes") or (), strict=False))
        indices = dict.fromkeys(other_dimensions, 0)
        if time_dimension is not None:
            indices[time_dimension] = record
        return Variable(
            path=self.path,
            data=data.isel(indices),
            quantity=quantity,
            factor=factor,
            levels=levels,
            levels_per_chunk=chunks.get(level_dimension, 1),
        )

    def _record_of(self, variable: Any) -> tuple[int, Any]:
        """The index of the record at the requested time, and the name of the time dimension (None if the
        variable has none). Raises InputError if the file has no record at this time."""
        time, requested = time_of(self.file, variable), self._time
        dimension = None if time is None or not {*time.dims} & {*variable.dims} else time.dims[0]
        if requested is None:
            if time is not None and time.size != 1:
                raise InputError(
                    f"{self.path}: {variable.name} has {time.size} times. Give a file with one of them only."
                )
            return 0, dimension
        if time is None:
            if self._is_time_given:
                raise InputError(f"{self.path} has no times, but initial.time is given. Remove initial.time.")
            return 0, None
        times = times_of(self.path, time)
        matching = np.flatnonzero(times == np.datetime64(requested, "ms"))
        if not len(matching):
            texts = [format_time(each) for each in times[:_SHOWN_TIMES]]
            last_text = f" ... {format_time(times[-1])}" if len(times) > _SHOWN_TIMES else ""
            raise InputError(
                f"{self.path} has no record of {format_time(requested)} UTC. It has "
                f"{', '.join(texts)}{last_text}. Give one of them as initial.time."
            )
        return int(matching[0]), dimension


class SourceInterpolator:
    """Interpolates variables of a source to points (n, 3) of the unit sphere."""

    def __init__(self, source: Source, points: Array) -> None:
        self._grid: Any = source.grid
        self._points = points
        self._window: Any  # of the kind of grid
        self._stencil, self._window = self._grid.stencil(points)

    def field(self, variable: Variable, change: Callable[[Array], Array] | None = None) -> Array:
        """Values (n) of a variable without levels; `change` is applied before interpolation. Raises
        InputError for missing or invalid values."""
        (values,) = self._level_fields(variable)
        interpolated = self._stencil.interpolate(values if change is None else change(values))
        self._check_limits(variable, values[self._stencil.nodes])
        _check_gaps(variable, interpolated[:, None], self._points)
        return interpolated

    def column(
        self,
        variable: Variable,
        *,
        bounded: bool = False,
        change: Callable[[Array], Array] | None = None,
    ) -> Array:
        """Values (n, level) from the top down, or (n, 1) without levels; NaN on levels below the
        surface or above the data of the file. Raises InputError for other missing values. bounded:
        interpolated values are within the range of the surrounding values, also after rounding; `change` is
        applied before interpolation."""
        interpolate = self._stencil.interpolate_bounded if bounded else self._stencil.interpolate
        return self._columns(
            variable, interpolate if change is None else lambda values: interpolate(change(values))
        )

    def component(self, eastward: Variable, northward: Variable, directions: Array) -> Array:
        """The component (n, level) of a vector along directions (n, 3); (n, 1) without levels."""
        pairs = zip((eastward, northward), self._stencil.projected(directions), strict=True)
        component: Any = sum(self._columns(variable, stencil.interpolate) for variable, stencil in pairs)
        # The levels with a value may differ between the two variables.
        _check_gaps(eastward, component, self._points)
        return component

    def _level_fields(self, variable: Variable) -> Iterator[Array]:
        return variable.level_fields(lambda part: self._grid.read(part, self._window))

    def _columns(self, variable: Variable, interpolate: Callable[[Array], Array]) -> Array:
        """Values (n, level) from the top down, where `interpolate` is applied to each level."""
        level_from_top = [0] if variable.levels is None else np.argsort(variable.levels.order)
        columns = np.empty((self._stencil.size, len(level_from_top)))
        for k, values in enumerate(self._level_fields(variable)):  # level k of the file
            self._check_limits(variable, values)
            columns[:, level_from_top[k]] = interpolate(values)
        _check_gaps(variable, columns, self._points)
        return columns

    def _check_limits(self, variable: Variable, values: Array) -> None:
        low, high = variable.quantity.limits
        is_invalid = (values < low) | (values > high) | np.isinf(values)
        if is_invalid.any():
            raise InputError(
                f"{variable.label} holds {values[is_invalid].flat[0]:g} {variable.quantity.unit}, outside"
                f" the range of {variable.quantity.name} ({low:g} to {high:g}). Correct the file, or its"
                " attribute units."
            )


def _check_gaps(variable: Variable, values: Array, points: Array) -> None:
    """Raises InputError for points (n, 3) without any value, or with a missing value between levels with
    values."""
    is_missing = np.isnan(values)
    if not is_missing.any():
        return
    is_present = ~is_missing
    is_gap = np.logical_or.accumulate(is_present, axis=1) & is_missing
    is_gap &= np.logical_or.accumulate(is_present[:, ::-1], axis=1)[:, ::-1]
    wrong_points = np.flatnonzero(is_gap.any(axis=1) | ~is_present.any(axis=1))
    if len(wrong_points):
        x, y, z = points[wrong_points[0]]
        lon, lat = np.degrees((np.arctan2(y, x), np.arcsin(z)))
        raise InputError(
            f"{variable.label} has no value near {position_text(lon, lat)}. Fill the gap, or give another"
            " file."
        )


@contextmanager
def open_source(path: Path, time: datetime | None = None, is_time_given: bool = False) -> Iterator[Source]:
    """Opens a file, netCDF or GRIB, or a Zarr store as `Source`. Raises InputError if it cannot be read or is
    truncated."""
    with open_data(path) as file:
        yield Source(str(path), file, time, is_time_given)
