"""Interpolation in time of monthly climatologies."""

from pathlib import Path

import numpy as np
import pytest

from halcyon.base import InputError
from halcyon.wave.gridded import WIND, Series, catalogue, select_period
from tests.wave import grids

NAVY = Path("/usr/share/ferret-vis/data/monthly_navy_winds.cdf")


def values_at(variable, lon, lat, start, time_s):
    """Values of a variable at positions [degrees], a time [s] after the start."""
    series = Series(variable, lambda grid: grid.interpolation(lon, lat), start)
    for record in series.records_to_read(time_s):
        series.read(record, time_s)
    return series.at(time_s)


@pytest.fixture
def two_years(tmp_path):
    """The eastward wind of a file of two years, with monthly values 1..12 and 3..14: means 2..13."""
    days = (
        np.arange("2001-01", "2003-01", dtype="M8[M]").astype("M8[D]") - np.datetime64("2001-01-01")
    ).astype(float)
    value = np.concatenate([np.arange(1.0, 13), np.arange(3.0, 15)])[:, None, None]
    fields = dict.fromkeys(("u10", "v10"), np.broadcast_to(value, (24, 15, 25)))
    path = grids.write_grid(tmp_path / "m.nc", fields, hours=days + 9, time_units="days since 2001-01-01")
    return catalogue([str(path)], WIND)[0]


@pytest.mark.parametrize(
    ("start", "hours", "value"),
    [
        ("2022-09-16T00:00", 0, 10.0),  # the middle of September: the mean of 9 and 11
        ("2022-10-01T06:00", 0, 10.5),  # half way between mid-September and mid-October
        ("2023-01-01T00:00", 0, 2 + 11 * 0.5),  # half way from December to January, around the year
        ("2024-02-15T12:00", 0, 3.0),  # a leap year's February
        ("2022-12-16T12:00", 31 * 24, 2.0),
    ],
)
def test_between_the_middles_of_months(two_years, start, hours, value):
    """Monthly means of both years are linear in time between the middles of months."""
    start = np.datetime64(start)
    selected = select_period(two_years, start, start + np.timedelta64(40, "D"), climatology=True)
    assert values_at(selected, np.array([100.0]), np.array([20.0]), start, 3600.0 * hours) == pytest.approx(
        [value]
    )


def test_navy_winds():
    """Trade winds and westerlies at their known positions, from a file without CF names."""
    if not NAVY.exists():
        pytest.skip(f"{NAVY} of Debian's ferret-datasets is absent")
    start = np.datetime64("2022-01-10T00:00")
    variables = catalogue([str(NAVY)], WIND, names=["UWND", "VWND"])
    selected = [
        select_period(variable, start, start + np.timedelta64(5, "D"), climatology=True)
        for variable in variables
    ]
    assert selected[0].grid.is_periodic and len(selected[0].grid.longitude) == 144
    assert {len(record.parts) for record in selected[0].records} == {11}  # years
    lon, lat = np.array([-140.0, 170.0, 19.9, 20.1]), np.array([12.5, 40.0, 0.0, 0.0])
    u, v = (values_at(variable, lon, lat, start, 3600.0) for variable in selected)
    assert -10 < u[0] < -4 and v[0] < 0  # north-east trades
    assert u[1] > 4  # westerlies
    assert u[2] == pytest.approx(u[3], abs=0.2)  # across the seam of the file


def test_each_month_of_each_year_counts_once(tmp_path):
    """Repeated records have the weight of one; members are not averaged."""
    days = (np.arange("2001-01", "2002-01", dtype="M8[M]") - np.datetime64("2001-01-01")).astype(float)
    for i, value in enumerate((0.0, 0.0, 6.0)):
        fields = dict.fromkeys(("u10", "v10"), np.full((12, 15, 25), value + np.arange(12.0)[:, None, None]))
        grids.write_grid(tmp_path / f"{i}.nc", fields, hours=days, time_units="days since 2001-01-01")
    start = np.datetime64("2022-09-16T00:00")
    repeated = catalogue([str(tmp_path / "[01].nc")], WIND)[0]
    assert all(len(r.parts) == 1 for r in select_period(repeated, start, start, climatology=True).records)
    members = catalogue([str(tmp_path / "*.nc")], WIND)[0]
    with pytest.raises(InputError, match="two records of 2001-01-01"):
        select_period(members, start, start, climatology=True)
