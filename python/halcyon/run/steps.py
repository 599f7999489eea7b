"""The times of a run: steps within output intervals, and within each step of the waves those of transport."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Literal

from halcyon.base import ConfigError, RunError
from halcyon.config.case import Case
from halcyon.config.run_case import RunCase

SAFETY = 0.95  # of the CFL limit, where the step of transport is ours to choose
CORE_SAFETY = 0.9  # of the longest stable step of a core, where it is ours to choose: winds grow
LEAST = 1e-3  # [s]: no air is so fast
_ROUNDING = 1e-9
# What a step of a band costs besides its frequencies (an exchange, a pass over the cells), in frequencies.
_STEP_COST = 1.0


@dataclass(frozen=True)
class Steps:
    """The steps of a run, by their numbers from 1 to `n_steps`: each of `loop_s` [s], `per_record` of them an
    output interval. `step_s` [s] is what the model takes at once."""

    start: datetime
    step_s: float
    per_record: int
    n_steps: int

    @property
    def loop_s(self) -> float:
        return self.step_s

    def time(self, number: float) -> datetime:
        """UTC after so many steps."""
        return self.start + timedelta(seconds=number * self.loop_s)

    def record_is_due(self, number: int) -> bool:
        """Whether a record is written after a step."""
        return number % self.per_record == 0 or number == self.n_steps

    def restart_is_due(self, number: int, interval_s: float | Literal["none"]) -> bool:
        """Whether a step is the first that reaches a multiple of the interval."""
        if interval_s == "none":
            return False
        before, now = ((n * self.loop_s) / interval_s + _ROUNDING for n in (number - 1, number))
        return math.floor(now) > math.floor(before)


@dataclass(frozen=True)
class WaveSteps(Steps):
    """A source step, of which the loop consists, is `transports` steps of transport. `bands` are groups of
    neighbouring frequencies: how many each has, and of how many steps of its own a step of transport consists
    for it."""

    source_step_s: float
    transports: int
    bands: list[tuple[int, int]]

    @property
    def shortest_step_s(self) -> float:
        """Of any band [s]."""
        return self.step_s / max(n_steps for _, n_steps in self.bands)

    @property
    def loop_s(self) -> float:
        return self.source_step_s


def steps_of(case: Case, cfl_limits_s: Sequence[float]) -> WaveSteps:
    """The steps of a case of the waves on a mesh with those CFL limits [s] (frequency).

    With `time.step: auto`, sources and transport take one step together, in which each band has as many steps
    as its limit needs. Raises ConfigError where the case's own step is beyond the limit."""
    time = case.time
    limits_s = [float(limit) for limit in cfl_limits_s]
    if time.step == "auto":
        step_s = time.source_step
        needed = [math.ceil(step_s / (SAFETY * limit)) for limit in limits_s]
        bands = best_bands(needed, most=None if time.bands == "auto" else time.bands)
    else:
        _check_transport(case, min(limits_s))
        step_s, bands = time.step, [(len(limits_s), 1)]
    return WaveSteps(
        start=time.start,
        step_s=step_s,
        per_record=round(case.output.interval / time.source_step),
        n_steps=round(case.duration_s / time.source_step),
        source_step_s=time.source_step,
        transports=round(time.source_step / step_s),
        bands=bands,
    )


def _check_transport(case: Case, limit_s: float) -> None:
    time = case.time
    if time.step > limit_s:
        longest = time.source_step / math.ceil(time.source_step / limit_s)
        raise ConfigError(
            f"{case.place('time', 'step')}: time.step = {time.step:g} s is beyond the CFL limit of"
            f" {limit_s:.1f} s that this mesh and spectrum have. Take at most {longest:g}, or 'auto'."
        )


def check_currents(case: Case, steps: WaveSteps, cfl_limits_s: Sequence[float]) -> None:
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


def best_bands(needed: Sequence[int], most: int | None = None) -> list[tuple[int, int]]:
    """The bands (frequencies, steps) of least cost: low frequencies go far in a step and need several of
    their own, high ones do not.

    @param needed the least number of steps of each frequency, the first the lowest
    @param most bands; None: as many as it takes
    """
    n = len(needed)

    @cache
    def best(first: int, left: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        if first == n:
            return 0.0, ()
        if left == 0:
            return float("inf"), ()
        found = (float("inf"), ())
        for end in range(first + 1, n + 1):
            n_steps = max(needed[first:end])
            cost, rest = best(end, left - 1)
            cost += n_steps * (end - first + _STEP_COST)
            found = min(found, (cost, ((end - first, n_steps), *rest)))
        return found

    return list(best(0, most or n)[1])


def core_steps_of(case: RunCase, longest_s: float) -> Steps:
    """The steps of a case of the atmosphere or the spectral model whose longest stable step at the start is
    known [s].

    Raises ConfigError where the case's own step is longer, and RunError where no step is stable."""
    if longest_s < LEAST:
        raise RunError(
            f"The start is nothing to go on from: steps of {longest_s:.2g} s at most are stable. Look at its"
            " winds."
        )
    interval, step_s = case.output.interval, case.time.step
    if step_s == "auto":
        per_record = _steps_in(interval, CORE_SAFETY * longest_s)
    elif step_s > longest_s:
        longest = interval / _steps_in(interval, longest_s)
        raise ConfigError(
            f"{case.place('time', 'step')}: time.step = {step_s:g} s is longer than the {longest_s:.1f} s"
            f" that are stable on this mesh from this start. Take at most {longest:g}, or 'auto'."
        )
    else:
        per_record = round(interval / step_s)
    records = round(case.duration_s / interval)
    return Steps(case.time.start, interval / per_record, per_record, per_record * records)


def _steps_in(interval_s: float, longest_s: float) -> int:
    """How many equal steps that are not longer make an interval: of whole seconds, where that does not make
    them shorter than half."""
    least = math.ceil(interval_s / longest_s)
    if interval_s % 1 == 0:
        for count in range(least, 2 * least):
            if interval_s % count == 0:
                return count
    return least
