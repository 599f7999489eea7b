"""What the steps of all models have: times, and what is due after which."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Literal

_ROUNDING = 1e-9


class RunSteps:
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
