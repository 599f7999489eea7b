"""Starts of the atmosphere from GRIB."""

from datetime import datetime

import numpy as np
import pytest

from halcyon.base import InputError
from halcyon.run.start.quantities import (
    EASTWARD,
    NORTHWARD,
    SURFACE_PRESSURE,
    TEMPERATURE,
    levels_of,
    surface_geopotential,
)
from halcyon.run.start.source import open_source
from halcyon.run.state.restart_state import is_restart
from tests.support import reanalyses

TIME = datetime(2000, 1, 1)
PRESSURES = np.array([100.0, 300, 500, 700, 850, 1000])


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """The same state in netCDF and in GRIB2."""
    folder = tmp_path_factory.mktemp("start")
    netcdf = reanalyses.write(folder / "a.nc", reanalyses.start(), 15.0, pressures=PRESSURES)
    return netcdf, reanalyses.write_grib(folder / "a.grib2", netcdf)


def fields(path, time=TIME):
    """All values of the state of a file, by quantity, and the pressures of its levels [Pa]."""
    with open_source(path, time) as source:
        levels = levels_of(source.path, source.file, source.find_with_levels(TEMPERATURE))
        with_levels = [source.require_variable(q, levels) for q in (TEMPERATURE, EASTWARD, NORTHWARD)]
        others = [
            source.require_variable(q) for q in (SURFACE_PRESSURE, surface_geopotential(reanalyses.GRAVITY))
        ]
        grid = source.grid
        _, window = grid.stencil(np.eye(3))
        values = [
            np.array([*v.level_fields(lambda part: grid.read(part, window))]) for v in [*with_levels, *others]
        ]
        return values, levels.values


def test_the_state_is_that_of_netcdf(pair):
    """Values and levels have the same bits."""
    (netcdf, netcdf_levels), (grib, grib_levels) = map(fields, pair)
    assert np.array_equal(netcdf_levels, grib_levels)
    assert all(np.array_equal(a, b) for a, b in zip(netcdf, grib, strict=True))
    assert len({a.tobytes() for a in netcdf}) == 5
    assert not is_restart(pair[1])


@pytest.mark.parametrize("log_pressure", [False, True])
def test_hybrid_levels_are_those_of_netcdf(tmp_path, log_pressure):
    """Values, and ap and b of the levels, which follow from pv, have the same bits; the surface pressure is
    in the file, or its logarithm."""

    def change(values):
        values["sp"] = np.exp(np.log(values["sp"]))

    netcdf = reanalyses.write(tmp_path / "a.nc", reanalyses.start(), 15.0, hybrid=9, change=change)
    grib = reanalyses.write_grib(tmp_path / "a.grib2", netcdf, log_pressure=log_pressure)
    states = [fields(path) for path in (netcdf, grib)]
    assert np.array_equal(states[0][1], states[1][1]) and states[0][1].shape == (2, 9)
    assert all(np.array_equal(a, b) for a, b in zip(states[0][0], states[1][0], strict=True))
    part = reanalyses.write_grib(tmp_path / "part.grib2", netcdf, first=4)
    assert np.array_equal(fields(part)[1], states[0][1][:, 3:])


def test_hybrid_levels_start_a_run(tmp_path):
    """A run starts from GRIB on hybrid levels with the bits of netCDF."""
    from tests.atmosphere.test_start_file import air

    netcdf = reanalyses.write(tmp_path / "a.nc", reanalyses.start(), 10.0, hybrid=20)
    states = [air(path) for path in (netcdf, reanalyses.write_grib(tmp_path / "a.grib2", netcdf))]
    for name in ("ground", "surface", "temperature", "wind"):
        assert np.array_equal(states[0][name], states[1][name]), name


def test_another_time_is_refused(pair):
    with pytest.raises(InputError, match=r"has no record of 2001-01-01 00:00 UTC\. It has 2000"):
        fields(pair[1], datetime(2001, 1, 1))


def test_the_levels_of_gfs(shared):
    """NCEP's GFS starts a run: 26 levels from 10 to 1000 hPa, and the surface."""
    path = shared / "data/fixtures/grib/pygrib_gfs.t12z.pgrbf120.2p5deg.grib2"
    values, levels = fields(path, datetime(2011, 1, 15, 12))
    assert (len(levels), levels[0], levels[-1]) == (26, 1000.0, 100000.0)
    temperature, *_, pressure, ground = values
    assert 180 < temperature.min() < temperature.max() < 320
    assert 4.5e4 < pressure.min() < pressure.max() < 1.08e5
    assert ground.max() == pytest.approx(5500 * reanalyses.GRAVITY, rel=0.1)
