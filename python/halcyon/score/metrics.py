"""Statistics of modelled against measured values, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.score.pairs import ARRAYS, Pairs, mean_direction, selected, smaller_angle

BLOCK_S = 12 * 3600.0  # length of the blocks of the bootstrap [s]
_RESAMPLES, _LEVEL, _SEED = 1000, 0.95, 1


@dataclass(frozen=True)
class Score:
    """Scores of n pairs: mean of the measurements; bias (model - buoy); root mean square error; scatter
    index, which is the standard deviation of the error over the mean; correlation; slope of the regression
    line through the origin. For directions, errors are the smaller angles, the correlation is circular
    (Jammalamadaka and SenGupta 2001), and scatter index and slope are NaN."""

    n: int
    mean: float
    bias: float
    rmse: float
    scatter_index: float
    correlation: float
    slope: float


@dataclass(frozen=True)
class Peak:
    """The largest measured and modelled value of a series, and their times (datetime64[s])."""

    measured: float
    modelled: float
    measured_time: np.datetime64
    modelled_time: np.datetime64

    @property
    def error(self) -> float:
        """Relative error of the modelled peak."""
        return self.modelled / self.measured - 1

    @property
    def delay_s(self) -> float:
        """Time of the modelled peak after the measured one [s]."""
        return float((self.modelled_time - self.measured_time).astype("timedelta64[s]").astype(float))


def score(pairs: Pairs) -> Score:
    """Returns the scores of two or more pairs."""
    found = _scores(pairs.measured, pairs.modelled, circular=pairs.is_circular)
    return Score(n=len(pairs.measured), **{name: float(value) for name, value in found.items()})


def peak(pairs: Pairs) -> Peak:
    """Returns the first largest value of the measurements and of the model; both at times of pairs."""
    i, j = int(np.argmax(pairs.measured)), int(np.argmax(pairs.modelled))
    return Peak(float(pairs.measured[i]), float(pairs.modelled[j]), pairs.times[i], pairs.times[j])


def above(pairs: Pairs, fraction: float) -> Pairs:
    """Returns the pairs whose measured value is above a fraction of the largest measured value. Raises
    InputError if these are fewer than two."""
    found = selected(pairs, pairs.measured > fraction * pairs.measured.max())
    if len(found.times) < 2:
        raise InputError(
            f"Fewer than two values of {pairs.variable} of the buoy {pairs.buoy} are above {fraction:g} of"
            " the largest. Give a smaller fraction."
        )
    return found


def high_hours(series: Sequence[Pairs], fraction: float) -> list[Pairs]:
    """Returns the pairs of each series in the hours in which the measured height of the station and buoy is
    above a fraction of its largest; for the wind, and where there are no heights, the variable itself. Series
    of fewer than two such hours are left out. Raises InputError as `above`."""
    heights = {(each.station, each.buoy): each for each in series if each.variable == "significant_height"}
    found = []
    for pairs in series:
        height = heights.get((pairs.station, pairs.buoy))
        if pairs.variable == "wind_speed" or height is None:
            found += [] if pairs.is_circular else [above(pairs, fraction)]
            continue
        chosen = np.isin(pairs.times, above(height, fraction).times)
        if chosen.sum() > 1:
            found.append(selected(pairs, chosen))
    return found


def join(series: Sequence[Pairs]) -> Pairs:
    """Returns all pairs of several series of a variable, one after the other."""
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(each, name) for each in series]) for name in ARRAYS
    }
    return Pairs(
        station=", ".join(dict.fromkeys(each.station for each in series)),
        buoy=", ".join(dict.fromkeys(each.buoy for each in series)),
        variable=series[0].variable,
        **arrays,
    )


def intervals(
    series: Sequence[Pairs], *, block_s: float = BLOCK_S, resamples: int = _RESAMPLES, seed: int = _SEED
) -> dict[str, tuple[float, float]]:
    """Returns the 95 % intervals of the scores of all pairs of several series, by the percentiles of a
    circular block bootstrap (Politis and Romano 1992, in: Exploring the Limits of Bootstrap, 263-270): each
    series is drawn again from blocks of consecutive pairs, since errors of successive hours are correlated;
    its last pair is followed by its first, so that each pair is drawn equally often.

    block_s: time [s] that a block spans, at most the series; seed: of the random numbers."""
    random = np.random.default_rng(seed)
    drawn = [_drawn(each, block_s, resamples, random) for each in series]
    x, y = (np.concatenate(parts, axis=1) for parts in zip(*drawn, strict=True))
    found = _scores(x, y, circular=series[0].is_circular)
    tail = 50 * (1 - _LEVEL)
    ends: dict[str, Any] = {
        name: np.nanpercentile(values, [tail, 100 - tail]) if np.isfinite(values).any() else (np.nan, np.nan)
        for name, values in found.items()
    }
    return {name: (float(low), float(high)) for name, (low, high) in ends.items()}


def _drawn(
    pairs: Pairs, block_s: float, resamples: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Returns measured and modelled values (resample, n) of blocks of a series, drawn with replacement."""
    n = len(pairs.times)
    step_s = np.median(np.diff(pairs.times).astype("timedelta64[s]").astype(float))
    length = int(np.clip(round(block_s / max(step_s, 1.0)), 1, n))
    starts = random.integers(0, n, (resamples, -(-n // length)))
    indices = (starts[:, :, None] + np.arange(length)).reshape(resamples, -1)[:, :n] % n
    return pairs.measured[indices], pairs.modelled[indices]


def _scores(x: np.ndarray, y: np.ndarray, *, circular: bool) -> dict[str, np.ndarray]:
    """Returns the scores of measured x and modelled y (..., n) over the last axis."""
    error = smaller_angle(y - x) if circular else y - x
    rmse = np.sqrt((error**2).mean(axis=-1))
    if circular:
        bias = np.degrees(np.angle(np.exp(1j * np.radians(error)).mean(axis=-1)))
        nothing = np.full(np.shape(bias), np.nan)
        a, b = (
            np.sin(np.radians(values - np.asarray(mean_direction(values))[..., None])) for values in (x, y)
        )
        found = mean_direction(x), bias, rmse, nothing, _ratio((a * b).sum(-1), _lengths(a, b)), nothing
    else:
        mean = x.mean(axis=-1)
        a, b = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
        slope = _ratio((x * y).sum(axis=-1), (x * x).sum(axis=-1))
        correlation = _ratio((a * b).sum(axis=-1), _lengths(a, b))
        found = mean, error.mean(axis=-1), rmse, _ratio(error.std(axis=-1), mean), correlation, slope
    names = [name for name in Score.__annotations__ if name != "n"]
    return dict(zip(names, found, strict=True))


def _lengths(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns a / b, NaN where b is 0."""
    return np.divide(a, b, out=np.full(np.shape(a), np.nan), where=np.asarray(b) > 0)
