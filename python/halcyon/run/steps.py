"""The times of a run: steps of transport within steps of the sources within output intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from halcyon.base import ConfigError
from halcyon.config.case import Case
from halcyon.run.bands import best_bands

SAFETY = 0.95  # of the CFL limit, where the step is ours to choose
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Steps:
    """Steps [s] and how many of them there are.

    A source step is `transports` steps of transport; an output interval is `sources` source steps. `bands`
    are groups of neighbouring frequencies: how many each has, and of how many steps of its own a step of
    transport consists for it.
    """

    start: datetime
    step_s: float
    source_step_s: float
    transports: int
    sources: int
    n_source_steps: int
    bands: list[tuple[int, int]]

    @property
    def shortest_step_s(self) -> float:
        """Of any band [s]."""
        return self.step_s / max(n_steps for _, n_steps in self.bands)

    def time(self, n_source_steps: int) -> datetime:
        """UTC after so many source steps."""
        return self.start + timedelta(seconds=n_source_steps * self.source_step_s)

    @property
    def n_steps(self) -> int:
        """Of the sources."""
        return self.n_source_steps

    def record_is_due(self, number: int) -> bool:
        """Whether a record is written after a source step."""
        return number % self.sources == 0 or number == self.n_source_steps

    def restart_is_due(self, number: int, interval_s: float | Literal["none"]) -> bool:
        """Whether a source step is the first that reaches a multiple of the interval."""
        if interval_s == "none":
            return False
        before_s, now_s = (number - 1) * self.source_step_s, number * self.source_step_s
        return math.floor(now_s / interval_s + _ROUNDING) > math.floor(before_s / interval_s + _ROUNDING)


def steps_of(case: Case, cfl_limits_s: Sequence[float]) -> Steps:
    """The steps of a case on a mesh with those CFL limits [s] (frequency).

    With `time.step: auto`, sources and transport take one step together, in which each band has as many steps
    as its limit needs. Raises ConfigError where the case's own step is beyond the limit."""
    time = case.time
    limits_s = [float(limit) for limit in cfl_limits_s]
    if time.step == "auto":
        step_s = time.source_step
        needed = [math.ceil(step_s / (SAFETY * limit)) for limit in limits_s]
        bands = best_bands(needed, most=None if time.bands == "auto" else time.bands)
    else:
        _check_step(case, min(limits_s))
        step_s, bands = time.step, [(len(limits_s), 1)]
    return Steps(
        start=time.start,
        step_s=step_s,
        source_step_s=time.source_step,
        transports=round(time.source_step / step_s),
        sources=round(case.output.interval / time.source_step),
        n_source_steps=round(case.duration_s / time.source_step),
        bands=bands,
    )


def _check_step(case: Case, limit_s: float) -> None:
    time = case.time
    if time.step > limit_s:
        longest = time.source_step / math.ceil(time.source_step / limit_s)
        raise ConfigError(
            f"{case.place('time', 'step')}: time.step = {time.step:g} s is beyond the CFL limit of"
            f" {limit_s:.1f} s that this mesh and spectrum have. Take at most {longest:g}, or 'auto'."
        )


def check_currents(case: Case, steps: Steps, cfl_limits_s: Sequence[float]) -> None:
    """Raises ConfigError where the limits [s] (frequency) with the present current and level are below the
    steps."""
    first = 0
    for n, n_steps in steps.bands:
        limit_s, step_s = min(cfl_limits_s[first : first + n]), steps.step_s / n_steps
        first += n
        if step_s > limit_s:
            place = case.place("time", "strongest_current")
            raise ConfigError(
                f"{place}: with the present current and water level the CFL limit of transport is"
                f" {limit_s:.1f} s, below its step of {step_s:.1f} s. time.strongest_current ="
                f" {case.time.strongest_current:g} m s-1: raise it to the strongest current of the files,"
                " more where the water rises much, or give a shorter time.step."
            )
