"""The times of a run of a core: steps within output intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from halcyon.base import ConfigError
from halcyon.config.run_case import RunCase

SAFETY = 0.9  # of the longest stable step, where the step is ours to choose: winds grow
_ROUNDING = 1e-9


@dataclass(frozen=True)
class AtmosphereSteps:
    """A step [s], how many make a record and how many the run."""

    start: datetime
    step_s: float
    per_record: int
    n_steps: int

    def time(self, n_steps: float) -> datetime:
        """UTC after so many steps."""
        return self.start + timedelta(seconds=n_steps * self.step_s)

    def record_is_due(self, number: int) -> bool:
        """Whether a record is written after a step."""
        return number % self.per_record == 0 or number == self.n_steps

    def restart_is_due(self, number: int, interval_s: float | Literal["none"]) -> bool:
        """Whether a step is the first that reaches a multiple of the interval."""
        if interval_s == "none":
            return False
        before, now = ((n * self.step_s) / interval_s + _ROUNDING for n in (number - 1, number))
        return math.floor(now) > math.floor(before)


def atmosphere_steps_of(case: RunCase, longest_s: float) -> AtmosphereSteps:
    """The steps of a case whose longest stable step at the start is known [s].

    Raises ConfigError where the case's own step is longer."""
    interval = case.output.interval
    if case.time.step == "auto":
        per_record = _steps_in(interval, SAFETY * longest_s)
    else:
        _check_step(case, longest_s)
        per_record = round(interval / case.time.step)
    records = round(case.duration_s / interval)
    return AtmosphereSteps(case.time.start, interval / per_record, per_record, per_record * records)


def _steps_in(interval_s: float, longest_s: float) -> int:
    """How many equal steps that are not longer make an interval: of whole seconds, where that does not make
    them shorter than half."""
    least = math.ceil(interval_s / longest_s)
    if interval_s % 1 == 0:
        for count in range(least, 2 * least):
            if interval_s % count == 0:
                return count
    return least


def _check_step(case: RunCase, longest_s: float) -> None:
    step_s = case.time.step
    if step_s > longest_s:
        longest = case.output.interval / _steps_in(case.output.interval, longest_s)
        raise ConfigError(
            f"{case.place('time', 'step')}: time.step = {step_s:g} s is longer than the {longest_s:.1f} s"
            f" that are stable on this mesh from this start. Take at most {longest:g}, or 'auto'."
        )
