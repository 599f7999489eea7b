"""Simulations of the same variant with different seeds, as one result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import SweepPoint


def combined(
    points: Sequence[SweepPoint], results: Sequence[xr.Dataset]
) -> tuple[list[SweepPoint], list[xr.Dataset]]:
    """One point and one result of each variant: the repetition with the median time (the lower of two), with
    the times of all repetitions as `times` (repetition). Without repetitions, the points and results."""
    number = points[0].case.repetitions
    if number == 1:
        return list(points), list(results)
    found = []
    for first in range(0, len(results), number):
        group = results[first : first + number]
        times = np.array([data["time"].item() for data in group])
        median = group[int(np.argsort(times, kind="stable")[(number - 1) // 2])]
        attributes = {"units": "s", "long_name": "Times with the seeds of the repetitions"}
        found.append(median.assign(times=("repetition", times, attributes)))
    return list(points[::number]), found


def spread_of(result: xr.Dataset) -> tuple[float, float] | None:
    """The least and the greatest time [s] of the repetitions; None without repetitions."""
    return (result["times"].values.min(), result["times"].values.max()) if "times" in result else None
