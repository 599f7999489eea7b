"""Time steps of a run, and the transport steps within each source step of the wave model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Literal

import numpy as np

from halcyon.base import ConfigError, RunError
from halcyon.config.case import Case
from halcyon.config.run_case import RunCase

SAFETY = 0.95  # ratio of the automatic transport step to the CFL limit
CORE_SAFETY = 0.9  # ratio of a core's automatic step to the longest stable step when it is chosen
CORE_LIMIT = 0.95  # an automatic step above this ratio is chosen again
SHORTEST_RATIO = 0.1  # of an automatic step to the first: no atmosphere has ten times faster winds and waves
SHORTEST_STEP_S = 1e-3  # no physical wind needs a shorter step
_ROUNDING = 1e-9  # rounding error of a time, in restart intervals
# Fixed cost of a substep of a band (halo exchange, loop over cells), in units of the cost of one frequency.
_SUBSTEP_COST = 1.0


@dataclass(frozen=True)
class Steps:
    """Steps 1 to `n_steps` of the time loop. The end of step n is the time after n steps."""

    start: datetime
    step_s: float  # the model's time step [s]
    steps_per_record: int  # steps of the time loop in an output interval
    n_steps: int  # steps of the time loop in the run

    @property
    def loop_step_s(self) -> float:
        """The step of the time loop [s]."""
        return self.step_s

    def time(self, number: float) -> datetime:
        """The time [UTC] after `number` steps."""
        return self.start + timedelta(seconds=number * self.loop_step_s)

    def record_is_due(self, number: int) -> bool:
        """Whether a record is written after step `number`."""
        return number % self.steps_per_record == 0 or number == self.n_steps

    def records_until(self, number: int) -> int:
        """Number of records after steps 1 to `number`."""
        return number // self.steps_per_record + (
            number == self.n_steps and number % self.steps_per_record > 0
        )

    def records_after(self, number: int) -> int:
        """Number of records after step `number`."""
        return self.records_until(self.n_steps) - self.records_until(number)

    def restart_is_due(self, number: int, interval_s: float | Literal["none"]) -> bool:
        """Whether step `number` is the first whose end reaches the next multiple of the restart interval."""
        if interval_s == "none":
            return False
        before, now = ((n * self.loop_step_s) / interval_s + _ROUNDING for n in (number - 1, number))
        return math.floor(now) > math.floor(before)


@dataclass(frozen=True)
class WaveSteps(Steps):
    """Steps of the wave model: a step of the time loop is a source step; `step_s` is the transport step."""

    source_step_s: float
    transport_steps: int  # transport steps per source step
    bands: list[tuple[int, int]]  # (number of adjacent frequencies, their substeps per transport step)

    @property
    def shortest_step_s(self) -> float:
        """The shortest substep of all bands [s]."""
        return self.step_s / max(n_substeps for _, n_substeps in self.bands)

    @property
    def loop_step_s(self) -> float:
        return self.source_step_s


def wave_steps(case: Case, cfl_limits_s: np.ndarray) -> WaveSteps:
    """The steps of a wave case on a mesh with the given CFL limits [s] (frequency).

    With `time.step: auto` the transport step equals the source step, and each band has as many substeps as
    its CFL limit needs. Raises ConfigError if the given step exceeds the CFL limit."""
    time = case.time
    limits_s = [float(limit) for limit in cfl_limits_s]
    if time.step == "auto":
        step_s = time.source_step
        needed_substeps = [math.ceil(step_s / (SAFETY * limit)) for limit in limits_s]
        bands = best_bands(needed_substeps, max_bands=None if time.bands == "auto" else time.bands)
    else:
        _check_transport(case, min(limits_s))
        step_s, bands = time.step, [(len(limits_s), 1)]
    return WaveSteps(
        start=time.start,
        step_s=step_s,
        steps_per_record=round(case.output.interval / time.source_step),
        n_steps=round(case.duration_s / time.source_step),
        source_step_s=time.source_step,
        transport_steps=round(time.source_step / step_s),
        bands=bands,
    )


def _check_transport(case: Case, limit_s: float) -> None:
    """Raises ConfigError if time.step exceeds the CFL limit."""
    time = case.time
    if time.step != "auto" and time.step > limit_s:
        longest_s = time.source_step / math.ceil(time.source_step / limit_s)
        raise ConfigError(
            f"{case.location('time', 'step')}: time.step = {time.step:g} s exceeds the CFL limit of"
            f" {limit_s:.1f} s of this mesh and spectrum. Give at most {longest_s:g}, or 'auto'."
        )


def check_currents(case: Case, steps: WaveSteps, cfl_limits_s: np.ndarray) -> None:
    """Raises ConfigError if the substep of a band exceeds the CFL limit of one of its frequencies.

    cfl_limits_s: CFL limits [s] (frequency) with the present current and water level"""
    begin = 0
    for n_frequencies, n_substeps in steps.bands:
        limit_s, step_s = min(cfl_limits_s[begin : begin + n_frequencies]), steps.step_s / n_substeps
        begin += n_frequencies
        if step_s > limit_s:
            location = case.location("time", "strongest_current")
            raise ConfigError(
                f"{location}: with the present current and water level the CFL limit of the transport is"
                f" {limit_s:.1f} s, shorter than the transport step of {step_s:.1f} s. Raise"
                f" time.strongest_current = {case.time.strongest_current:g} m s-1 to the strongest current in"
                " the files (more where the water level rises strongly), or give a shorter time.step."
            )


def best_bands(needed_substeps: Sequence[int], max_bands: int | None = None) -> list[tuple[int, int]]:
    """The bands (number of frequencies, substeps) of minimum cost: low frequencies propagate faster and need
    more substeps.

    @param needed_substeps minimum number of substeps of each frequency, from the lowest frequency
    @param max_bands largest number of bands; None: no limit
    """
    n = len(needed_substeps)

    @cache
    def cheapest(begin: int, bands_left: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        """The lowest cost of the frequencies `begin`..n-1 in at most `bands_left` bands, and these bands."""
        if begin == n:
            return 0.0, ()
        if bands_left == 0:
            return float("inf"), ()
        best: tuple[float, tuple[tuple[int, int], ...]] = (float("inf"), ())
        for end in range(begin + 1, n + 1):
            n_substeps = max(needed_substeps[begin:end])
            cost, higher_bands = cheapest(end, bands_left - 1)
            cost += n_substeps * (end - begin + _SUBSTEP_COST)
            best = min(best, (cost, ((end - begin, n_substeps), *higher_bands)))
        return best

    return list(cheapest(0, max_bands or n)[1])


def core_steps(case: RunCase, longest_s: float) -> Steps:
    """The steps of an atmosphere or spectral case, given the longest stable step [s] at the start.

    Raises ConfigError if `time.step` is longer than that, and RunError if no step is stable."""
    if longest_s < SHORTEST_STEP_S:
        raise RunError(
            f"The initial state is invalid: its longest stable step is {longest_s:.2g} s. Check its winds."
        )
    interval, step_s = case.output.interval, case.time.step
    if step_s == "auto":
        scheme_steps_s = [scheme.step for scheme in case.physics if scheme.step]
        steps_per_record = _equal_steps(interval, CORE_SAFETY * longest_s, scheme_steps_s)
    elif step_s > longest_s:
        limit_s = interval / _equal_steps(interval, longest_s)
        raise ConfigError(
            f"{case.location('time', 'step')}: time.step = {step_s:g} s is longer than the longest stable"
            f" step of {longest_s:.1f} s on this mesh for this initial state. Give at most {limit_s:g}, or"
            " 'auto'."
        )
    else:
        steps_per_record = round(interval / step_s)
    return steps_of_record(case, steps_per_record)


def steps_of_record(case: RunCase, steps_per_record: int) -> Steps:
    """The steps of an atmosphere or spectral case with a number of steps per record."""
    n_records = round(case.duration_s / case.output.interval)  # without the record of the initial state
    return Steps(
        start=case.time.start,
        step_s=case.output.interval / steps_per_record,
        steps_per_record=steps_per_record,
        n_steps=steps_per_record * n_records,
    )


def shortened(case: RunCase, longest_s: float, first_s: float) -> Steps:
    """Shorter automatic steps for the rest of an atmosphere case, numbered as if all had the new length.

    Raises RunError if the winds have grown beyond those of any atmosphere.

    @param longest_s longest stable step [s]
    @param first_s the step at the start of the run [s]
    """
    if CORE_SAFETY * longest_s < SHORTEST_RATIO * first_s:
        raise RunError(
            f"Winds have grown until steps of {longest_s:.2g} s are too long: the run began with"
            f" {first_s:g} s. Check the schemes of physics, or raise equations.hyperdiffusion."
        )
    return core_steps(case, longest_s)


def _equal_steps(interval_s: float, longest_s: float, scheme_steps_s: Sequence[float] = ()) -> int:
    """The smallest number of equal steps of at most `longest_s` in an interval; preferably of steps of whole
    seconds, if that takes less than twice as many. The steps of physics schemes are multiples of these steps
    if they are in whole seconds."""
    fewest = math.ceil(interval_s / longest_s)
    if interval_s % 1 == 0:
        whole = [count for count in range(fewest, 2 * fewest) if interval_s % count == 0]
        fitting = [count for count in whole if all(s % (interval_s // count) == 0 for s in scheme_steps_s)]
        if fitting:
            return fitting[0]
        if scheme_steps_s and all(s % 1 == 0 for s in scheme_steps_s):
            common_s = math.gcd(int(interval_s), *map(int, scheme_steps_s))
            return round(interval_s / common_s) * math.ceil(common_s / longest_s)
        return [*whole, fewest][0]
    return fewest
