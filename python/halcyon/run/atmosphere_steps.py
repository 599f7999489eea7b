"""The times of a run of a core: steps within output intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from halcyon.base import ConfigError, RunError
from halcyon.config.run_case import RunCase
from halcyon.run.run_steps import RunSteps

LEAST = 1e-3  # [s]: no air is so fast
SAFETY = 0.9  # of the longest stable step, where the step is ours to choose: winds grow


@dataclass(frozen=True)
class AtmosphereSteps(RunSteps):
    """A step [s], how many make a record and how many the run."""

    start: datetime
    step_s: float
    per_record: int
    n_steps: int


def atmosphere_steps_of(case: RunCase, longest_s: float) -> AtmosphereSteps:
    """The steps of a case whose longest stable step at the start is known [s].

    Raises ConfigError where the case's own step is longer, and RunError where no step is stable."""
    if longest_s < LEAST:
        raise RunError(
            f"The start is nothing to go on from: steps of {longest_s:.2g} s at most are stable. Look at its"
            " winds."
        )
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
