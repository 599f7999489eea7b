"""Statistics of pairs, compared with independent implementations."""

import numpy as np
import pytest
from scipy import stats

from halcyon.base import InputError
from halcyon.score import Pairs, above, high_hours, intervals, join, peak, score

HOUR = np.timedelta64(3600, "s")
START = np.datetime64("2022-09-01T00:00:00")


def pairs(x, y, variable="significant_height"):
    """Hourly pairs of measured values x and modelled values y."""
    return Pairs("a", "b", variable, START + np.arange(len(x)) * HOUR, np.array(y, float), np.array(x, float))


def series(n=200, seed=3):
    random = np.random.default_rng(seed)
    x = 4 + 2 * np.sin(np.arange(n) / 15) + random.normal(0, 0.2, n)
    return pairs(x, 1.1 * x + random.normal(0.1, 0.4, n))


def test_scores_equal_those_of_scipy():
    """Bias, RMSE, scatter index, correlation and slope through the origin to 1e-6."""
    given = series()
    x, y, found = given.measured, given.modelled, score(given)
    fit = stats.linregress(x, y)
    error = stats.describe(y - x, ddof=0)
    (slope,), *_ = np.linalg.lstsq(x[:, None], y, rcond=None)
    assert found.n == error.nobs
    assert found.mean == pytest.approx(stats.tmean(x), abs=1e-6)
    assert found.bias == pytest.approx(error.mean, abs=1e-6)
    assert found.rmse == pytest.approx(np.hypot(error.mean, np.sqrt(error.variance)), abs=1e-6)
    assert found.scatter_index == pytest.approx(np.sqrt(error.variance) / stats.tmean(x), abs=1e-6)
    assert found.correlation == pytest.approx(fit.rvalue, abs=1e-6)
    assert found.slope == pytest.approx(slope, abs=1e-6)


def test_scores_of_directions_equal_those_of_scipy():
    """Circular bias and mean, and the correlation of Jammalamadaka and SenGupta (2001), by its definition."""
    random = np.random.default_rng(4)
    x = random.normal(350, 30, 300) % 360
    y = (x + random.normal(12, 15, 300)) % 360
    found, a, b = score(pairs(x, y, "mean_direction")), np.radians(x), np.radians(y)
    assert found.mean == pytest.approx(np.degrees(stats.circmean(a)), abs=1e-6)
    assert found.bias == pytest.approx(np.degrees(stats.circmean(b - a, high=np.pi, low=-np.pi)), abs=1e-6)
    turn = np.degrees(np.arctan2(np.sin(b - a), np.cos(b - a)))
    assert found.rmse == pytest.approx(np.sqrt(np.mean(turn**2)), abs=1e-6)
    s, t = np.sin(a - stats.circmean(a)), np.sin(b - stats.circmean(b))
    assert found.correlation == pytest.approx(sum(s * t) / np.sqrt(sum(s * s) * sum(t * t)), abs=1e-6)


def test_intervals_of_independent_pairs():
    """With blocks of one pair the interval of the bias is that of scipy's bootstrap and of the normal
    distribution; blocks of a correlated error make it wider."""
    given = series()
    error = given.modelled - given.measured
    low, high = intervals([given], block_s=3600)["bias"]
    theirs = stats.bootstrap(
        (error,), np.mean, n_resamples=2000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.015)
    half_width = 1.96 * error.std() / np.sqrt(len(error))
    assert (high - low) / 2 == pytest.approx(half_width, rel=0.1)
    slow = 0.5 * np.sin(np.arange(200) / 8)
    correlated = pairs(given.measured, given.measured + slow)
    widths = [np.diff(intervals([correlated], block_s=s)["bias"])[0] for s in (3600, 24 * 3600)]
    assert widths[1] > 1.5 * widths[0]


def test_intervals_keep_the_share_of_each_series():
    """Series are drawn separately: two constant errors have a bias without uncertainty."""
    x = series(30).measured
    low, high = intervals([pairs(x, x + 1), pairs(x[:10], x[:10] - 1)])["bias"]
    assert low == pytest.approx(0.5)
    assert high == pytest.approx(0.5)
    assert score(join([pairs(x, x + 1), pairs(x[:10], x[:10] - 1)])).n == 40


def test_the_peak_and_the_hours_above_half_of_it():
    given = pairs([1, 3, 8, 5, 4, 2], [1, 2, 6, 9, 3, 2])
    found = peak(given)
    assert (found.measured, found.modelled, found.error) == (8, 9, pytest.approx(1 / 8))
    assert found.delay_s == 3600
    assert above(given, 0.5).measured.tolist() == [8, 5]  # 4 is not above half the peak
    with pytest.raises(InputError, match=r"Fewer than two values .* are above 0\.9 of the largest"):
        above(given, 0.9)


def test_high_hours_are_those_of_the_height():
    """Periods and directions are taken in the hours of high waves, the wind in those of its own."""
    times = np.datetime64("2020-01-01T00:00:00") + np.arange(4) * np.timedelta64(3600, "s")

    def series(variable, measured):
        values = np.array(measured, float)
        return Pairs("A", "a", variable, times, values + 1, values)

    given = [
        series("significant_height", [1, 6, 8, 2]),
        series("peak_period", [20, 10, 11, 19]),
        series("peak_direction", [10, 20, 30, 40]),
        series("wind_speed", [20, 5, 6, 18]),
    ]
    found = {each.variable: each.measured.tolist() for each in high_hours(given, 0.5)}
    assert found == {
        "significant_height": [6, 8],
        "peak_period": [10, 11],
        "peak_direction": [20, 30],
        "wind_speed": [20, 18],
    }
