"""The variables of a file that a start needs, the record of its time, and how parts of them are read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.run.start.levels import Levels
from halcyon.run.start.quantities import Quantity
from halcyon.wave.gridded.times import decoded, shown, time_variable

_SHOWN_TIMES = 6


@dataclass(frozen=True)
class Variable:
    """A variable of an open netCDF file. space: its dimensions of places; levels: None where it has none."""

    path: str
    data: Any
    quantity: Quantity
    factor: float
    record: int
    time: str | None
    space: tuple[str, ...]
    levels: Levels | None

    @property
    def place(self) -> str:
        return f"{self.path}: {self.data.name}"

    def blocks(self):
        """Slices of its levels in the order of the file, each no more than lies together on the disk."""
        if self.levels is None:
            return [slice(0, 1)]
        chunks = self.data.chunking()
        whole = isinstance(chunks, (list, tuple))
        size = chunks[self.data.dimensions.index(self.levels.dimension)] if whole else 1
        return [slice(k, min(k + size, self.levels.size)) for k in range(0, self.levels.size, size)]

    def read(self, block: slice, space: tuple[slice, ...]) -> np.ndarray:
        """Levels of a block at a part of the places, (level, *space) in the file's precision and
        unit, NaN where missing."""
        taken = dict(zip(self.space, space, strict=True))
        if self.levels is not None:
            taken[self.levels.dimension] = block
        if self.time is not None:
            taken[self.time] = self.record
        index = tuple(taken.get(name, 0) for name in self.data.dimensions)
        try:
            values = np.ma.asarray(self.data[index])
        except (OSError, RuntimeError, IndexError) as error:
            raise InputError(f"{self.place} cannot be read: {error}.") from None
        kept = [name for name in self.data.dimensions if isinstance(taken.get(name, 0), slice)]
        order = [*([] if self.levels is None else [self.levels.dimension]), *self.space]
        values = values if values.dtype.kind == "f" else values.astype(float)
        values = np.transpose(np.ma.filled(values, np.nan), [kept.index(name) for name in order])
        return values[None] if self.levels is None else values

    def scaled(self, level: np.ndarray) -> np.ndarray:
        """A level that was read, laid flat, float64 in the unit of the quantity."""
        return self.factor * level.astype(float).ravel()


def find(path: str, file: Any, quantity: Quantity, level: str | None, space: tuple[str, ...]) -> Any:
    """The variable of a quantity on the dimensions of places and, where it is to have levels, on those: by
    its standard name, or by a name that is known. None where there is none; InputError where it is not
    plain."""
    fitting = [
        v
        for v in file.variables.values()
        if set(space) <= set(v.dimensions)
        and (level is None or level in v.dimensions)
        and (level is not None or not _has_levels(file, v, space))
    ]
    standard = [v for v in fitting if getattr(v, "standard_name", "") in quantity.standard_names]
    named = [v for v in fitting if v.name.lower() in quantity.names]
    found = standard if len(standard) == 1 else [v for v in standard if v in named] or standard or named
    if len(found) > 1:
        raise InputError(
            f"{path} has {len(found)} variables that may be {quantity.name}:"
            f" {', '.join(v.name for v in found)}. Leave one of them in the file."
        )
    return found[0] if found else None


def _has_levels(file: Any, variable: Any, space: tuple[str, ...]) -> bool:
    time = time_variable(file, variable)
    known = {*space, *(time.dimensions if time is not None else ())}
    return any(len(file.dimensions[name]) > 1 for name in variable.dimensions if name not in known)


def record_of(
    path: str, file: Any, variable: Any, wanted: datetime | None, said: bool
) -> tuple[int, str | None]:
    """The record of a time (UTC), None: the only one, and the dimension of times; said: whether the case
    names the time for this file. Raises InputError where the file does not have it."""
    time = time_variable(file, variable)
    if wanted is None:
        if time is not None and time.size != 1:
            raise InputError(f"{path}: {variable.name} has {time.size} times. Leave one of them in the file.")
        return 0, None if time is None or not time.ndim else time.dimensions[0]
    if time is None:
        if said:
            raise InputError(f"{path} has no times, but initial.time names one. Leave it out.")
        return 0, None
    times = decoded(time, path)
    found = np.flatnonzero(times == np.datetime64(wanted, "ms"))
    if not len(found):
        texts = [shown(each) for each in times[:_SHOWN_TIMES]]
        more = f" ... {shown(times[-1])}" if len(times) > _SHOWN_TIMES else ""
        raise InputError(
            f"{path} has no record of {shown(wanted)} UTC. It has {', '.join(texts)}{more}. Name one by"
            " initial.time."
        )
    return int(found[0]), (time.dimensions[0] if time.ndim else None)
