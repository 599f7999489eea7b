"""Statistics of the members of an ensemble: their names and attributes, and their values.

Members without a value at a cell, such as under ice, do not count there. The order of members is fixed, so
that the values do not depend on the order in which their runs end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from halcyon.io.attributes import is_direction


@dataclass(frozen=True)
class Statistic:
    """A statistic of a variable over the members, described as in a table of variables.

    function: its values (...) from the variable's values (member, ...), float64 with NaN where missing;
    extra: further attributes, the quantile or the threshold"""

    name: str
    units: str
    long_name: str
    standard_name: str
    cell_methods: str
    function: Callable[[np.ndarray], np.ndarray]
    extra: Mapping[str, Any] = field(default_factory=dict)


def statistics_of(
    name: str,
    attributes: Mapping[str, Any],
    quantiles: Sequence[float] = (),
    thresholds: Sequence[float] = (),
    *,
    of_maximum: bool = False,
) -> list[Statistic]:
    """The statistics of a variable with CF attributes: mean, spread, quantiles, and probabilities that
    thresholds are exceeded; of a direction only the mean and the spread of unit vectors.

    of_maximum: the values are maxima over the run"""
    units, standard_name = attributes.get("units", "1"), attributes.get("standard_name", "")
    long_name, full_name, over_time = attributes.get("long_name", name), name, ""
    if of_maximum:
        long_name, full_name, over_time = (
            f"maximum {long_name} of the run",
            f"maximum_{name}",
            "time: maximum ",
        )

    def quantity(
        suffix: str, text: str, function: Callable[..., Any], method: str = "", **extra: float
    ) -> Statistic:
        methods = f"{over_time}realization: {method}" if method else over_time.strip()
        return Statistic(
            f"{full_name}_{suffix}", units, f"{text} of {long_name}", standard_name, methods, function, extra
        )

    if is_direction(standard_name):
        spread = Statistic(
            f"{full_name}_spread",
            units,
            f"circular standard deviation of {long_name}",
            "",
            "",
            circular_spread,
        )
        return [quantity("mean", "direction of the mean unit vector", circular_mean, "mean"), spread]
    rows = [
        quantity("mean", "mean", mean, "mean"),
        quantity("spread", "standard deviation", standard_deviation, "standard_deviation"),
    ]
    for value in quantiles:
        method, function = "median" if value == 0.5 else "", partial(quantile, quantile=value)
        text = f"{100 * value:g} % quantile"
        rows.append(quantity(f"p{_digits(100 * value)}", text, function, method, quantile=value))
    for value in thresholds:
        text = f"probability of {long_name} above {value:g} {units}"
        extra, function = {"threshold": value}, partial(part_above, threshold=value)
        rows.append(Statistic(f"{full_name}_above_{_digits(value)}", "1", text, "", "", function, extra))
    return rows


def mean(values: np.ndarray) -> np.ndarray:
    """The mean (...) of values (member, ...)."""
    with _missing_allowed():
        return np.nanmean(values, axis=0)


def standard_deviation(values: np.ndarray) -> np.ndarray:
    """The standard deviation (...), with the number of members less one; NaN for a single member."""
    with _missing_allowed():
        return np.nanstd(values, axis=0, ddof=1)


def quantile(values: np.ndarray, quantile: float) -> np.ndarray:
    """A quantile (...), linear between the order statistics (definition 7 of Hyndman and Fan 1996)."""
    ordered = np.sort(values, axis=0)  # missing values are last
    position = quantile * np.maximum(np.isfinite(values).sum(axis=0) - 1, 0)
    ranks = np.floor(position).astype(int), np.ceil(position).astype(int)
    low, high = (np.take_along_axis(ordered, rank[np.newaxis], axis=0)[0] for rank in ranks)
    return low + (position - ranks[0]) * (high - low)


def part_above(values: np.ndarray, threshold: float) -> np.ndarray:
    """The part (...) of the members with a value that exceeds a threshold."""
    return mean(np.where(np.isnan(values), np.nan, values > threshold))


def circular_mean(values: np.ndarray) -> np.ndarray:
    """The direction [degrees] (...) of the mean unit vector; NaN where it vanishes."""
    x, y = _mean_vector(values)
    return np.where(np.hypot(x, y) < 1e-6, np.nan, np.degrees(np.arctan2(y, x)) % 360)


def circular_spread(values: np.ndarray) -> np.ndarray:
    """The circular standard deviation [degrees] (...): sqrt(2 (1 - R)), R the length of the mean unit
    vector (Kuik et al. 1988, J. Phys. Oceanogr. 18, 1020-1034, eq. 34)."""
    return np.degrees(np.sqrt(2 * np.maximum(0, 1 - np.hypot(*_mean_vector(values)))))


def _mean_vector(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return mean(np.cos(np.radians(values))), mean(np.sin(np.radians(values)))


def _missing_allowed() -> warnings.catch_warnings:
    """Without numpy's warnings of cells where no member, or a single one, has a value."""
    return warnings.catch_warnings(action="ignore", category=RuntimeWarning)


def _digits(value: float) -> str:
    """A number as part of a name: 2_5 for 2.5."""
    return f"{value:.6g}".replace(".", "_").replace("-", "minus_").replace("+", "")
