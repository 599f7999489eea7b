"""The times of a run: steps of transport within steps of the sources within output intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from halcyon.base import ConfigError
from halcyon.config.case import Case
from halcyon.run.bands import best_bands
from halcyon.run.run_steps import RunSteps

SAFETY = 0.95  # of the CFL limit, where the step is ours to choose


@dataclass(frozen=True)
class Steps(RunSteps):
    """Steps [s] and how many of them there are.

    A source step, of which the loop consists, is `transports` steps of transport. `bands` are groups of
    neighbouring frequencies: how many each has, and of how many steps of its own a step of transport consists
    for it.
    """

    start: datetime
    step_s: float
    source_step_s: float
    transports: int
    per_record: int
    n_steps: int
    bands: list[tuple[int, int]]

    @property
    def shortest_step_s(self) -> float:
        """Of any band [s]."""
        return self.step_s / max(n_steps for _, n_steps in self.bands)

    @property
    def loop_s(self) -> float:
        return self.source_step_s


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
        per_record=round(case.output.interval / time.source_step),
        n_steps=round(case.duration_s / time.source_step),
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
