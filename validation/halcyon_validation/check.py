"""What a validation case found, and what it should have found."""

from __future__ import annotations

from collections.abc import Callable
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


@dataclass(frozen=True)
class Outcome:
    """What a case found: its checks, and by caption what draws its figures into a file."""

    checks: list[Check]
    figures: dict[str, Callable[[Path], None]] = field(default_factory=dict)
