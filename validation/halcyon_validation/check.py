"""What a validation case found, and what it should have found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Check:
    """A number of a case [unit] and the bounds within which it must lie; `source` says whose they are."""

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    source: str = ""

    @property
    def passed(self) -> bool:
        """Whether the value is within its bounds; NaN never is."""
        return self.low <= self.value <= self.high


def near(name: str, value: float, target: float, relative: float, **rest: str) -> Check:
    """A check that a value is within a fraction of its target."""
    margin = abs(target) * relative
    return Check(name, value, target - margin, target + margin, **rest)


def conserved(changes: Mapping[str, float], where: str = "", **most: float) -> list[Check]:
    """Checks that integrals, by name, change by no more than a fraction of what they were."""
    return [Check(where + name.replace("_", " "), changes[name], 0, most[name]) for name in most]


@dataclass(frozen=True)
class Outcome:
    """What a case found: its checks, and by caption what draws its figures into a file."""

    checks: list[Check]
    figures: dict[str, Callable[[Path], None]] = field(default_factory=dict)


Case = Callable[..., Outcome]


def by_name(*cases: Case) -> dict[str, Case]:
    """Cases by the names of their functions."""
    return {case.__name__: case for case in cases}
