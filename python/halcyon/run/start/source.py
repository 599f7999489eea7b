"""A file of a state that is open: its places, its record and its variables, brought to other places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.io.field_source import mesh_of
from halcyon.mesh.whole_file import open_netcdf
from halcyon.run.start.faces import OnFaces
from halcyon.run.start.latlon import LatLon
from halcyon.run.start.levels import Levels
from halcyon.run.start.quantities import Quantity
from halcyon.run.start.variables import Variable, find, record_of

Array = np.ndarray


class Source:
    """What an open file has on its places at a time."""

    def __init__(self, path: str, file: Any, time: datetime | None, said: bool) -> None:
        """time: UTC, None: whatever it is; said: whether the case names it for this file."""
        self.path, self._file, self._time, self._said = path, file, time, said
        self.places = LatLon(path, file) if mesh_of(file) is None else OnFaces(path, file)

    def variable(self, quantity: Quantity, levels: Levels | None = None) -> Variable | None:
        """That of a quantity on levels, or without any; None where the file has none."""
        dimension = None if levels is None else levels.dimension
        return self._made(
            find(self.path, self._file, quantity, dimension, self.places.dimensions), quantity, levels
        )

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
            for each in self._file.variables.values():
                named = getattr(each, "standard_name", "") in quantity.standard_names
                if (named or each.name.lower() in quantity.names) and self._is_field(each, has_levels):
                    return each
        raise InputError(self.missing(quantity))

    def named(self, name: str, quantity: Quantity) -> Variable:
        """A variable without levels by its name."""
        return self._made(self._file[name], quantity, None)

    @property
    def file(self) -> Any:
        return self._file

    def _is_field(self, variable: Any, has_levels: bool) -> bool:
        n = len(self.places.dimensions) + has_levels
        return set(self.places.dimensions) <= set(variable.dimensions) and variable.ndim >= n

    def _made(self, data: Any, quantity: Quantity, levels: Levels | None) -> Variable | None:
        if data is None:
            return None
        record, time = record_of(self.path, self._file, data, self._time, self._said)
        self._require_plain(data, {*self.places.dimensions, time, getattr(levels, "dimension", None)})
        factor = quantity.factor(data, f"{self.path}: {data.name}")
        return Variable(self.path, data, quantity, factor, record, time, self.places.dimensions, levels)

    def _require_plain(self, data: Any, known: set[str | None]) -> None:
        """Raises InputError where a variable has more dimensions than it should, such as members."""
        for name, size in zip(data.dimensions, data.shape, strict=True):
            if name not in known and size != 1:
                raise InputError(
                    f"{self.path}: {data.name} has {size} of the dimension {name}. Leave one of them in the"
                    " file."
                )


class Gathered:
    """Variables of a source at points (n, 3) of the unit sphere."""

    def __init__(self, source: Source, points: Array) -> None:
        self._source, self._points = source, points
        self._corners, self._window = source.places.corners(points)

    def field(self, variable: Variable, change: Callable[[Array], Array] | None = None) -> Array:
        """Values (n) of a variable without levels, interpolated after a change where one is given. Raises
        InputError where one is missing or cannot be."""
        (values,) = self._source.places.maps(variable, self._window)
        found = self._corners.mean(values if change is None else change(values))
        self._check(variable, values[self._corners.nodes], found[:, None])
        return found

    def column(self, variable: Variable, *, bounded: bool = False) -> Array:
        """Values (n, level) from the top down. Where levels lie below the ground, or above what the file
        knows, they may be NaN; InputError where others are, or all. bounded: to the last bit not beyond
        those around them."""
        mean = self._corners.bounded_mean if bounded else self._corners.mean
        levels = variable.levels
        found = np.empty((self._corners.size, levels.size))
        rank = np.argsort(levels.order)
        for k, values in enumerate(self._source.places.maps(variable, self._window)):
            self._check_limits(variable, values)
            found[:, rank[k]] = mean(values)
        _check_gaps(variable, found, self._points)
        return found

    def across(self, eastward: Variable, northward: Variable, directions: Array) -> Array:
        """The component (n, level), or (n, 1) without levels, along directions (n, 3) of a vector."""
        levels, total = eastward.levels, 0.0
        rank = [0] if levels is None else np.argsort(levels.order)
        for variable, corners in zip((eastward, northward), self._corners.along(directions), strict=True):
            part = np.empty((corners.size, len(rank)))
            for k, values in enumerate(self._source.places.maps(variable, self._window)):
                self._check_limits(variable, values)
                part[:, rank[k]] = corners.mean(values)
            _check_gaps(variable, part, self._points)
            total = total + part
        _check_gaps(eastward, total, self._points)  # where one has a value and the other has none
        return total

    def _check(self, variable: Variable, values: Array, found: Array) -> None:
        self._check_limits(variable, values)
        _check_gaps(variable, found, self._points)

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
