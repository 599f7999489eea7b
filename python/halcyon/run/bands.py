"""Bands of frequencies: low ones go far in a step and need several of their own, high ones do not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

# What a step of a band costs besides its frequencies (an exchange, a pass over the cells), in frequencies.
_STEP_COST = 1.0


def best_bands(needed: Sequence[int], most: int | None = None) -> list[tuple[int, int]]:
    """The bands (frequencies, steps) of least cost.

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
