"""A file of a state that is open: its places, its record and its variables, brought to other places."""

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
from halcyon.mesh.cf_file import find_variable, format_time, open_netcdf, reading, time_of, times_of
from halcyon.run.start.places import LatLon, OnFaces
from halcyon.run.start.quantities import Levels
from halcyon.wave.gridded import Quantity

Array = np.ndarray
_SHOWN_TIMES = 6


@dataclass(frozen=True)
class Variable:
    """A variable of an open file at a record, on places and levels, None where it has none; factor: into the
    unit of the quantity; together: how many levels lie together on the disk."""

    path: str
    data: Any
    quantity: Quantity
    factor: float
    levels: Levels | None
    together: int

    @property
    def place(self) -> str:
        return f"{self.path}: {self.data.name}"

    def maps(self, read: Callable[[Any], Array]) -> Iterator[Array]:
        """Its levels in the order of the file, laid flat, float64 in the unit of the quantity, NaN where
        missing; read: gives a part of the places of some levels, levels first."""
        n, size = (1, 1) if self.levels is None else (self.levels.size, self.together)
        for k in range(0, n, size):
            block = {} if self.levels is None else {self.levels.dimension: slice(k, k + size)}
            with reading(self.place):
                values = read(self.data.isel(block))
            for level in values.reshape(min(size, n - k), -1):
                yield self.factor * level.astype(float)


class Source:
    """What an open file has on its places at a time."""

    def __init__(self, path: str, file: Any, time: datetime | None, said: bool) -> None:
        """time: UTC, None: whatever it is; said: whether the case names it for this file."""
        self.path, self.file, self._time, self._said = path, file, time, said
        self.places = LatLon(path, file) if mesh_topology(file) is None else OnFaces(path, file)

    def variable(self, quantity: Quantity, levels: Levels | None = None) -> Variable | None:
        """That of a quantity on levels, or without any; None where the file has none. Raises InputError where
        several may be it."""

        def fits(variable: Any) -> bool:
            others = [name for name in variable.dims if name not in self.places.dimensions]
            if variable.ndim - len(others) < len(self.places.dimensions):
                return False
            if levels is not None:
                return levels.dimension in others
            along = getattr(time_of(self.file, variable), "dims", ())
            return not any(self.file.sizes[name] > 1 for name in others if name not in along)

        found = find_variable(self.path, self.file, quantity, "Leave one of them in the file.", fits)
        return None if found is None else self._made(found, quantity, levels)

    def required(self, quantity: Quantity, levels: Levels | None = None) -> Variable:
        """The same. Raises InputError where there is none."""
        found = self.variable(quantity, levels)
        if found is None:
            raise InputError(self.missing(quantity, "" if levels is None else f" on {levels.dimension}"))
        return found

    def missing(self, quantity: Quantity, where: str = "") -> str:
        """The text for a quantity that is not there."""
        names = [*(f"standard_name {each}" for each in quantity.standard_names), *quantity.names]
        return (
            f"{self.path} has no variable of {quantity.name}{where} ({', '.join(names)}). Add it to the file,"
            " or give another."
        )

    def with_levels(self, quantity: Quantity) -> Any:
        """The variable of the file that has a quantity on the most dimensions. Raises InputError where there
        is none."""
        for has_levels in (True, False):
            n = len(self.places.dimensions) + has_levels
            for name, each in self.file.variables.items():
                named = each.attrs.get("standard_name") in quantity.standard_names
                on_places = {*self.places.dimensions} <= {*each.dims} and each.ndim >= n
                if (named or name.lower() in quantity.names) and on_places:
                    return self.file[name]
        raise InputError(self.missing(quantity))

    def named(self, name: str, quantity: Quantity) -> Variable:
        """A variable without levels by its name."""
        return self._made(self.file[name], quantity, None)

    def _made(self, data: Any, quantity: Quantity, levels: Levels | None) -> Variable:
        record, time = self._record_of(data)
        level = None if levels is None else levels.dimension
        others = [name for name in data.dims if name not in (*self.places.dimensions, time, level)]
        for name in others:
            if data.sizes[name] != 1:  # such as members
                raise InputError(
                    f"{self.path}: {data.name} has {data.sizes[name]} of the dimension {name}. Leave one of"
                    " them in the file."
                )
        remedy = f"Bring it to {quantity.unit}, or mend the attribute units."
        factor = quantity.factor(str(data.attrs.get("units", "")), f"{self.path}: {data.name}", remedy)
        chunks = dict(zip(data.dims, data.encoding.get("chunksizes") or (), strict=False))
        taken = dict.fromkeys(others, 0) | ({} if time is None else {time: record})
        return Variable(self.path, data.isel(taken), quantity, factor, levels, chunks.get(level, 1))

    def _record_of(self, variable: Any) -> tuple[int, str | None]:
        """The record of the time and its dimension, None where the variable has none. Raises InputError where
        the file does not have it."""
        time, wanted = time_of(self.file, variable), self._time
        dimension = None if time is None or not {*time.dims} & {*variable.dims} else time.dims[0]
        if wanted is None:
            if time is not None and time.size != 1:
                raise InputError(
                    f"{self.path}: {variable.name} has {time.size} times. Leave one of them in the file."
                )
            return 0, dimension
        if time is None:
            if self._said:
                raise InputError(f"{self.path} has no times, but initial.time names one. Leave it out.")
            return 0, None
        times = times_of(self.path, time)
        found = np.flatnonzero(times == np.datetime64(wanted, "ms"))
        if not len(found):
            texts = [format_time(each) for each in times[:_SHOWN_TIMES]]
            more = f" ... {format_time(times[-1])}" if len(times) > _SHOWN_TIMES else ""
            raise InputError(
                f"{self.path} has no record of {format_time(wanted)} UTC. It has {', '.join(texts)}{more}. Name one"
                " by initial.time."
            )
        return int(found[0]), dimension


class Gathered:
    """Variables of a source at points (n, 3) of the unit sphere."""

    def __init__(self, source: Source, points: Array) -> None:
        self._places, self._points = source.places, points
        self._corners, self._window = source.places.corners(points)

    def field(self, variable: Variable, change: Callable[[Array], Array] | None = None) -> Array:
        """Values (n) of a variable without levels, interpolated after a change where one is given. Raises
        InputError where one is missing or cannot be."""
        (values,) = self._maps(variable)
        found = self._corners.mean(values if change is None else change(values))
        self._check_limits(variable, values[self._corners.nodes])
        _check_gaps(variable, found[:, None], self._points)
        return found

    def column(self, variable: Variable, *, bounded: bool = False) -> Array:
        """Values (n, level) from the top down, or (n, 1) without levels. Where levels lie below the ground,
        or above what the file knows, they may be NaN; InputError where others are, or all. bounded: to the
        last bit not beyond those around them."""
        return self._means(variable, self._corners.bounded_mean if bounded else self._corners.mean)

    def across(self, eastward: Variable, northward: Variable, directions: Array) -> Array:
        """The component (n, level), or (n, 1) without levels, along directions (n, 3) of a vector."""
        pairs = zip((eastward, northward), self._corners.along(directions), strict=True)
        total = sum(self._means(variable, corners.mean) for variable, corners in pairs)
        _check_gaps(eastward, total, self._points)  # where one has a value and the other has none
        return total

    def _maps(self, variable: Variable) -> Iterator[Array]:
        return variable.maps(lambda part: self._places.read(part, self._window))

    def _means(self, variable: Variable, mean: Callable[[Array], Array]) -> Array:
        rank = [0] if variable.levels is None else np.argsort(variable.levels.order)
        found = np.empty((self._corners.size, len(rank)))
        for k, values in enumerate(self._maps(variable)):
            self._check_limits(variable, values)
            found[:, rank[k]] = mean(values)
        _check_gaps(variable, found, self._points)
        return found

    def _check_limits(self, variable: Variable, values: Array) -> None:
        low, high = variable.quantity.limits
        bad = (values < low) | (values > high) | np.isinf(values)
        if bad.any():
            raise InputError(
                f"{variable.place} holds {values[bad].flat[0]:g} {variable.quantity.unit}, which is no"
                f" value of {variable.quantity.name} ({low:g} to {high:g}). Mend the file, or its"
                " attribute units."
            )


def _check_gaps(variable: Variable, found: Array, points: Array) -> None:
    """Raises InputError for places (n, 3) where no value is, or one is missing between others."""
    missing = np.isnan(found)
    if not missing.any():
        return
    there = ~missing
    between = np.logical_or.accumulate(there, axis=1) & missing
    between &= np.logical_or.accumulate(there[:, ::-1], axis=1)[:, ::-1]
    bad = np.flatnonzero(between.any(axis=1) | ~there.any(axis=1))
    if len(bad):
        x, y, z = points[bad[0]]
        lon, lat = np.degrees((np.arctan2(y, x), np.arcsin(z)))
        raise InputError(
            f"{variable.place} has no value near {lon:.2f} E {lat:.2f} N. Fill the gap, or give another file."
        )


@contextmanager
def opened(path: Path, time: datetime | None = None, said: bool = False) -> Iterator[Source]:
    """A file that is open, as `Source`. Raises InputError where it cannot be read or is cut short."""
    with open_netcdf(path) as file:
        yield Source(str(path), file, time, said)
