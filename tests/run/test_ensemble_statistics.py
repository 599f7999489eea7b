"""Statistics of members against plain loops over the cells."""

import math
import statistics as python

import numpy as np
import pytest

from halcyon.run.ensemble.statistics import circular_spread, statistics_of

HEIGHT = {"units": "m", "long_name": "wave height", "standard_name": "sea_surface_wave_significant_height"}
DIRECTION = {"units": "degree", "standard_name": "sea_surface_wave_from_direction"}
MEMBERS, CELLS = 7, 12


@pytest.fixture
def heights():
    """Heights of members; missing in some, in all but one, and in all."""
    values = np.random.default_rng(3).gamma(2, 2, (MEMBERS, CELLS))
    values[:3, 5] = values[1:, 6] = values[:, 7] = np.nan
    return values


def rows(*arguments, **options):
    return {row.name: row for row in statistics_of(*arguments, **options)}


def test_values(heights):
    """Mean, spread, quantiles and probabilities of each cell count the members with a value."""
    table = rows("significant_height", HEIGHT, [0, 0.25, 0.5, 1], [2, 4.5])
    found = {name.removeprefix("significant_height_"): row.function(heights) for name, row in table.items()}
    assert [*found] == ["mean", "spread", "p0", "p25", "p50", "p100", "above_2", "above_4_5"]
    for cell in range(CELLS):
        present = sorted(x for x in heights[:, cell].tolist() if not math.isnan(x))
        if not present:
            assert all(np.isnan(values[cell]) for values in found.values())
            continue
        assert found["mean"][cell] == pytest.approx(python.fmean(present))
        spread = python.stdev(present) if len(present) > 1 else math.nan
        assert found["spread"][cell] == pytest.approx(spread, nan_ok=True)
        position = 0.25 * (len(present) - 1)
        low, high = present[math.floor(position)], present[math.ceil(position)]
        assert found["p25"][cell] == pytest.approx(low + (position % 1) * (high - low))
        assert found["p50"][cell] == pytest.approx(python.median(present))
        assert (found["p0"][cell], found["p100"][cell]) == (present[0], present[-1])
        assert found["above_2"][cell] == pytest.approx(sum(x > 2 for x in present) / len(present))
        assert found["above_4_5"][cell] == pytest.approx(sum(x > 4.5 for x in present) / len(present))


def test_attributes():
    """Quantities keep the units and the standard name, probabilities have the unit 1; names are valid."""
    table = rows("significant_height", HEIGHT, [0.5, 0.975], [4], of_maximum=True)
    assert [*table] == [
        *("maximum_significant_height_mean", "maximum_significant_height_spread"),
        *("maximum_significant_height_p50", "maximum_significant_height_p97_5"),
        "maximum_significant_height_above_4",
    ]
    median, probability = table["maximum_significant_height_p50"], table["maximum_significant_height_above_4"]
    assert (median.units, median.standard_name) == ("m", HEIGHT["standard_name"])
    assert median.cell_methods == "time: maximum realization: median"
    assert table["maximum_significant_height_p97_5"].extra == {"quantile": 0.975}
    assert (probability.units, probability.standard_name, probability.extra) == ("1", "", {"threshold": 4})
    assert probability.long_name == "probability of maximum wave height of the run above 4 m"


def test_directions():
    """A direction has the mean of unit vectors and their spread, no quantiles; opposite ones have no mean."""
    table = rows("mean_direction", DIRECTION, [0.1, 0.5], [4])
    assert [*table] == ["mean_direction_mean", "mean_direction_spread"]
    directions = np.array([[350.0, 90, 0, 10], [10.0, 90, 180, np.nan], [30.0, 90, 90, np.nan]])
    mean = table["mean_direction_mean"].function(directions)
    assert mean == pytest.approx([10, 90, 90, 10])
    assert np.isnan(table["mean_direction_mean"].function(directions[:2])[2])
    assert circular_spread(directions)[:2] == pytest.approx(
        [math.degrees(math.sqrt(2 * (1 - (1 + 2 * math.cos(math.radians(20))) / 3))), 0], abs=1e-5
    )
