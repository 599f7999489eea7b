"""Results of validation cases, and their expected ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Check:
    """A value of a case [unit] and its lower and upper bound; `source`: origin of the bounds."""

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    source: str = ""

    @property
    def passed(self) -> bool:
        """True if the value is within its bounds; False for NaN."""
        return self.low <= self.value <= self.high


def near(name: str, value: float, target: float, relative: float, **texts: str) -> Check:
    """A check that a value is within a relative tolerance of its target. texts: `unit` and `source`."""
    margin = abs(target) * relative
    return Check(name, value, target - margin, target + margin, **texts)


def conserved(changes: Mapping[str, float], prefix: str = "", **maxima: float) -> list[Check]:
    """Checks that the relative changes of integrals do not exceed the given maxima (by name)."""
    return [Check(prefix + name.replace("_", " "), changes[name], 0, maxima[name]) for name in maxima]


@dataclass(frozen=True)
class Table:
    """A table of texts; each row has as many cells as there are heads."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Outcome:
    """The result of a case: its checks, the functions that draw its figures into a file, and its tables, both
    by caption."""

    checks: list[Check]
    figures: dict[str, Callable[[Path], None]] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)


Case = Callable[..., Outcome]


def by_name(*cases: Case) -> dict[str, Case]:
    """Maps function names to cases."""
    return {case.__name__: case for case in cases}
