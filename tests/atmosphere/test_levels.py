"""Hybrid levels, and interpolation of columns to surfaces of a coordinate."""

import numpy as np
import pytest

from halcyon.atmosphere import interpolate
from halcyon.atmosphere.levels import HIGHEST_PRESSURE, interfaces, lowest_surface_pressure
from halcyon.base import InputError

SPACINGS = ("stretched", "pressure", "height")


@pytest.mark.parametrize("spacing", SPACINGS)
@pytest.mark.parametrize("kind", ["hybrid", "sigma"])
@pytest.mark.parametrize("top", [10.0, 219.4, 15e3, 27391.9, 5e4])
@pytest.mark.parametrize("count", [2, 26, 137])
def test_pressure_rises_downward_whatever_it_is_at_the_ground(spacing, kind, top, count):
    """Layers have positive masses at the lowest and the highest surface pressure; hybrid layers keep at least
    a tenth of their mass at 1000 hPa."""
    a, b = interfaces(count, top, spacing=spacing, kind=kind)
    assert a.shape == b.shape == (count + 1,)
    assert (a[0], b[0], a[-1], b[-1]) == (pytest.approx(top, rel=1e-15), 0, 0, 1)
    lowest = lowest_surface_pressure(top)
    nominal = np.diff(a + b * 1e5)
    assert np.all(nominal > 0)
    for ps in (lowest, 7e4, HIGHEST_PRESSURE):
        if ps >= lowest:
            layers = np.diff(a + b * ps)
            assert np.all(layers > 0.099 * nominal) or kind == "sigma"
            assert np.all(layers > 0) or ps == top
            assert layers.sum() == pytest.approx(ps - top)


def test_spacings():
    """Layers of equal mass, of equal depth in ln p, and stretched: depths in ln p rise linearly upwards."""
    a, b = interfaces(20, 1000.0, spacing="pressure")
    assert np.diff(a + b * 1e5) == pytest.approx(99000 / 20)
    a, b = interfaces(20, 1000.0, spacing="height")
    assert np.diff(np.log(a + b * 1e5)) == pytest.approx(np.log(100) / 20)
    a, b = interfaces(20, 1000.0)
    layers = -np.diff(np.log(a + b * 1e5))[::-1] * -20 / np.log(100)
    assert np.diff(layers) == pytest.approx(1.8 / 20)
    assert layers[0] == pytest.approx(0.1 + 0.9 / 20)


def test_sigma_is_linear_and_hybrid_flatter_aloft():
    """b of sigma levels is linear in pressure; b of hybrid levels is smaller."""
    a, b = interfaces(kind="sigma")
    assert b == pytest.approx((a + b * 1e5 - 219.4) / (1e5 - 219.4))
    _, hybrid = interfaces()
    assert np.all(hybrid[1:-1] < b[1:-1])
    _, high_top = interfaces(top=4e4)
    assert high_top[5] == pytest.approx(interfaces(top=4e4, kind="sigma")[1][5] ** 1.5)


def columns(increasing):
    """Random coordinates (column, level), ascending or descending."""
    x = np.sort(np.random.default_rng(3).uniform(100, 1e5, (50, 12)), axis=1)
    return np.ascontiguousarray(x if increasing else x[:, ::-1])


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("logarithmic", [True, False])
def test_what_is_linear_stays_so(rising, logarithmic):
    """Linear functions of the coordinate, or of its logarithm, are exact; outside the column values are
    missing."""
    x, targets = columns(rising), np.linspace(2e3, 9e4, 7)
    scale = np.log if logarithmic else np.asarray
    interpolated = interpolate(x, 3 * scale(x) - 7, targets, logarithmic=logarithmic)
    inside = (targets >= x.min(axis=1)[:, None]) & (targets <= x.max(axis=1)[:, None])
    assert 50 < inside.sum() < inside.size
    assert np.array_equal(np.isfinite(interpolated), inside)
    expected = np.broadcast_to(3 * scale(targets) - 7, interpolated.shape)
    assert interpolated[inside] == pytest.approx(expected[inside], rel=1e-12)


def test_on_a_level_it_is_that_level():
    """At a level the value is that of the level, to the bit."""
    x = columns(True)[:1]
    values = np.random.default_rng(4).normal(size=x.shape)
    for logarithmic in (True, False):
        interpolated = interpolate(x, values, x[0][::-1].copy(), logarithmic=logarithmic)
        assert np.array_equal(interpolated[0], values[0][::-1])
        outside = interpolate(x, values, np.nextafter(x[0, [0, -1]], [0, np.inf]), logarithmic=logarithmic)
        assert np.isnan(outside).all()


def test_each_column_by_itself():
    """Interpolated columns have the same bits together and one by one."""
    x, targets = columns(True), np.linspace(2e3, 9e4, 7)
    values = np.random.default_rng(5).normal(size=x.shape)
    together = interpolate(x, values, targets, logarithmic=True)
    separate = [
        interpolate(x[i : i + 1], values[i : i + 1], targets, logarithmic=True) for i in range(len(x))
    ]
    assert np.concatenate(separate).tobytes() == together.tobytes()


def test_numbers_that_are_none_give_none():
    """Columns with a missing coordinate give missing values."""
    x, values = np.array([[1.0, np.nan, 3.0]]), np.array([[1.0, 2.0, 3.0]])
    assert np.isnan(interpolate(x, values, np.array([2.0]))).all()
    assert interpolate(x[:0], values[:0], np.array([2.0])).shape == (0, 1)


@pytest.mark.parametrize(
    ("x", "values", "targets", "text"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), [1.0], r"coordinate is \(2, 3\), the values are \(2, 4\)"),
        (np.ones((2, 0)), np.ones((2, 0)), [1.0], "have no levels"),
        pytest.param(
            np.ones((2, 3)),
            np.ones((2, 3)),
            [np.inf],
            "target is inf. Give a finite number above 0",
            id="x2-values2-targets2-target is inf, but must be a number above 0",
        ),
        pytest.param(
            np.ones((2, 3)),
            np.ones((2, 3)),
            [0.0],
            "target is 0. Give a finite number above 0",
            id="x3-values3-targets3-target is 0, but must be a number above 0",
        ),
    ],
)
def test_mistakes(x, values, targets, text):
    with pytest.raises(InputError, match=text):
        interpolate(x, values, np.array(targets), logarithmic=True)
