"""The times of a run: steps of transport within steps of the sources within output intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from halcyon.base import ConfigError
from halcyon.config.case import Case

SAFETY = 0.95  # of the CFL limit, where the step is ours to choose
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Steps:
    """Steps [s] and how many of them there are.

    A source step is `transports` steps of transport; an output interval is `sources` source steps.
    """

    start: datetime
    step_s: float
    source_step_s: float
    transports: int
    sources: int
    n_source_steps: int

    def time(self, n_source_steps: int) -> datetime:
        """UTC after so many source steps."""
        return self.start + timedelta(seconds=n_source_steps * self.source_step_s)

    def source_steps(self, done: int = 0) -> Iterator[tuple[int, bool]]:
        """Numbers of the source steps behind those that are done, and whether a record is due after each."""
        for number in range(done + 1, self.n_source_steps + 1):
            yield number, number % self.sources == 0 or number == self.n_source_steps

    def restart_is_due(self, number: int, interval_s: float | Literal["none"]) -> bool:
        """Whether a source step is the first that reaches a multiple of the interval."""
        if interval_s == "none":
            return False
        before_s, now_s = (number - 1) * self.source_step_s, number * self.source_step_s
        return math.floor(now_s / interval_s + _ROUNDING) > math.floor(before_s / interval_s + _ROUNDING)


def transport_step(case: Case, cfl_limit_s: float) -> float:
    """The step of transport [s]: the case's own, or the longest below the CFL limit that fits source_step.

    Raises ConfigError where the case's step is beyond the limit."""
    time = case.time
    if time.step == "auto":
        return time.source_step / math.ceil(time.source_step / (SAFETY * cfl_limit_s))
    if time.step > cfl_limit_s:
        longest = time.source_step / math.ceil(time.source_step / cfl_limit_s)
        raise ConfigError(
            f"{case.place('time', 'step')}: time.step = {time.step:g} s is beyond the CFL limit of"
            f" {cfl_limit_s:.1f} s that this mesh and spectrum have. Take at most {longest:g}, or 'auto'."
        )
    return time.step


def steps_of(case: Case, cfl_limit_s: float) -> Steps:
    """The steps of a case on a mesh with that CFL limit [s]."""
    time = case.time
    step_s = transport_step(case, cfl_limit_s)
    return Steps(
        start=time.start,
        step_s=step_s,
        source_step_s=time.source_step,
        transports=round(time.source_step / step_s),
        sources=round(case.output.interval / time.source_step),
        n_source_steps=round(case.duration_s / time.source_step),
    )
