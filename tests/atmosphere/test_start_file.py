"""Initial states of the air from files on longitude-latitude grids or on another mesh."""

from datetime import datetime

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon import atmosphere
from halcyon._core.atmosphere import SourceTemperatures, values_at
from halcyon.atmosphere.levels import interfaces
from halcyon.base import InputError
from halcyon.run.start.air import air_state
from halcyon.run.start.source import open_source
from halcyon.run.start.target import TargetMesh
from tests.support import meshes, reanalyses, sea_states

R, G = reanalyses.GAS_CONSTANT, reanalyses.GRAVITY
COEFFICIENTS = interfaces(12, 2000.0)  # a [Pa] and b of 12 levels
START = datetime(2000, 1, 1)
FIELDS = ("surface_pressure", "potential_temperature", "normal_wind")


def air(path, level=3, coefficients=COEFFICIENTS, gravity=G):
    """The arguments of `Core.set_state` on mesh G<level>."""
    local = sea_states.local_mesh(meshes.globe(level))
    with open_source(path, START, False) as source:
        return air_state(source, TargetMesh.of(local, coefficients), R, gravity)


def core(level, **start):
    """A core of hydrostatic air on G<level>."""
    return meshes.core(
        meshes.globe(level), air=atmosphere.AirOptions(a=COEFFICIENTS[0], b=COEFFICIENTS[1]), **start
    )


def errors(path, start, options, level=3):
    """Largest errors of surface pressure [Pa], potential temperature [K] and wind [m s-1] against a start."""
    from_file, exact = core(level), core(level, start=start, options=options)
    from_file.set_state(**air(path, level))
    return [np.abs(from_file.prognostic(name) - exact.prognostic(name)).max() for name in FIELDS]


# Options of `reanalyses.write` by the kind of file: which quantities and which grid it has.
KINDS = {
    "geopotential": {"fields": ("t", "u", "v", "z", "orog")},
    "surface pressure": {},
    "ground from both": {"fields": ("t", "u", "v", "z", "sp")},
    "hybrid": {"hybrid": 60},
    "in Pa, from the south and 180 W, without poles": {
        "unit": "Pa",
        "descending": False,
        "west": -180.0,
        "poles": False,
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_of_second_order(tmp_path, kind):
    """On half the grid spacing and twice the levels errors of temperature and wind fall by more than 2.5."""
    start, results = reanalyses.start(perturbation=0), []
    for step, count in ((10, 40), (5, 80)):
        options = KINDS[kind] | ({"hybrid": count} if "hybrid" in KINDS[kind] else {})
        path = reanalyses.write(
            tmp_path / "jw.nc", start, step, pressures=np.geomspace(5, 1013, count), **options
        )
        results.append(
            errors(path, "baroclinic_wave", {"perturbation": 0.0}, level=4)
        )  # without averaging of the orography
    (_, coarse_theta, coarse_wind), (fine_surface, fine_theta, fine_wind) = results
    assert fine_surface < 2  # [Pa]; the exact surface pressure is uniform
    assert fine_theta < 0.6 and fine_wind < 0.4
    assert fine_theta < coarse_theta / 2.5 and fine_wind < coarse_wind / 2.5


def test_the_core_keeps_the_mean_temperatures_and_the_ground(tmp_path):
    """The core's temperature, orography and hydrostatic geopotential are those of the state that it is
    given."""
    state = air(reanalyses.write(tmp_path / "jw.nc", reanalyses.start()))
    for nonhydrostatic in (False, True):
        options = atmosphere.AirOptions(a=COEFFICIENTS[0], b=COEFFICIENTS[1], nonhydrostatic=nonhydrostatic)
        core = meshes.core(meshes.globe(3), air=options)
        core.set_state(**state)
        products = core.products(["temperature", "upward_wind"])
        assert products["temperature"] == pytest.approx(state["temperature"], rel=1e-12)
        assert core.ground == pytest.approx(state["ground"] / G, abs=1e-9)
    assert np.all(core.prognostic("upward_wind_at_interfaces") == 0)
    phi = core.prognostic("geopotential_at_interfaces")
    p = COEFFICIENTS[0] + COEFFICIENTS[1] * state["surface"][:, None]
    thickness = R * state["temperature"] * np.log(p[:, 1:] / p[:, :-1])
    assert phi[:, :-1] - phi[:, 1:] == pytest.approx(thickness, rel=1e-9)


def test_packed_numbers_lose_no_more_than_their_last_digit(tmp_path):
    """Packed 16-bit integers give the state of floating-point numbers to their resolution."""
    start = reanalyses.start()
    unpacked = air(reanalyses.write(tmp_path / "whole.nc", start))
    packed = air(reanalyses.write(tmp_path / "packed.nc", start, pack=True))
    assert packed["temperature"] == pytest.approx(unpacked["temperature"], abs=0.01)
    assert packed["surface"] == pytest.approx(unpacked["surface"], abs=1.0)
    assert packed["wind"] == pytest.approx(unpacked["wind"], abs=0.01)
    assert np.abs(packed["wind"] - unpacked["wind"]).max() > 0


def test_wind_over_the_pole_is_that_of_a_turned_planet(tmp_path):
    """Solid-body rotation about an equatorial axis: the wind components vary rapidly near the poles."""

    def set_rotation(values):
        lat, lon = (np.radians(axis) for axis in reanalyses.axes(2.5))
        values["u"][:] = -20 * np.sin(lat)[:, None] * np.cos(lon)
        values["v"][:] = 20 * np.sin(lon)

    path = reanalyses.write(tmp_path / "pole.nc", reanalyses.start(), 2.5, change=set_rotation)
    target = TargetMesh.of(sea_states.local_mesh(meshes.globe(3)), COEFFICIENTS)
    x, y, z = target.edge_points.T
    exact = 20 * (np.stack([-0 * x, -z, y], axis=1) * target.edge_normals).sum(axis=1)
    assert np.abs(air(path)["wind"] - exact[:, None]).max() < 0.02


def test_below_and_above_the_levels():
    """Temperature is extrapolated with the standard lapse rate below and constant above."""
    x, t = np.log([[2e4, 5e4, 8e4]]), np.array([[220.0, 250.0, 280.0]])
    column = SourceTemperatures(x, t, R, G)
    lowest, phi = np.log([8e4]), np.array([0.0])
    depth = -column.geopotential(np.log([9e4]), lowest, phi) / G
    extrapolated = 280 * (9 / 8) ** (R * 0.0065 / G)
    assert depth == pytest.approx((extrapolated - 280) / 0.0065, rel=1e-12)
    assert column.geopotential(np.log([1e4]), np.log([2e4]), phi) == pytest.approx(R * 220 * np.log(2))
    temperature = column.values(np.log([[1e4, 2e4, np.sqrt(1e9), 8e4, 9e4]]))
    assert temperature == pytest.approx(np.array([[220.0, 220.0, 235.0, 280.0, extrapolated]]), rel=1e-12)
    for target in (-5000.0, 0.0, 100.0, 3e4, 2e5):
        log_p = column.log_pressure(np.array([target]), lowest, phi)
        assert column.geopotential(log_p, lowest, phi) == pytest.approx(target, abs=1e-8)


def test_levels_without_a_value_are_left_out():
    """Values are constant below the lowest level that has one."""
    x, v = np.log([[1e4, 5e4, 9e4]]), np.array([[1.0, 3.0, np.nan]])
    assert values_at(x, v, np.log([[5e3, 5e4, 1e5]])).tolist() == [[1.0, 3.0, 3.0]]


def test_values_below_the_ground_are_not_needed(tmp_path):
    """Air at rest over mountains, from a file without values below the surface."""
    start = reanalyses.start("resting_mountain")

    def remove_values_below_surface(values):
        below = 100 * reanalyses.PRESSURES[:, None, None] > values["sp"]
        assert 0 < below.sum() < below.size / 4
        for name in ("t", "u", "v"):
            values[name][below] = np.nan

    complete = air(reanalyses.write(tmp_path / "whole.nc", start, 2.5))
    partial = air(reanalyses.write(tmp_path / "partial.nc", start, 2.5, change=remove_values_below_surface))
    assert partial["surface"] == pytest.approx(complete["surface"], abs=1)
    assert partial["temperature"] == pytest.approx(complete["temperature"], abs=0.5)


def write_spoilt(tmp_path, change=None, **options):
    """Writes a file and modifies its variables."""
    path = reanalyses.write(tmp_path / "spoilt.nc", reanalyses.start(), 10.0, **options)
    if change is not None:
        with Dataset(path, "a") as file:
            change(file)
    return path


def _rename_wind(file):
    file["u"].standard_name = "upward_air_velocity"
    file.renameVariable("u", "w")


def _remove_one_value(file):
    file["t"][0, 5, 9, 20] = np.nan


# By name: a function that changes the file, options of `reanalyses.write`, text of the error.
MISTAKES = {
    "no wind": (_rename_wind, {}, "no variable of the eastward wind on level .*standard_name eastward_wind"),
    "no pressure": (
        None,
        {"fields": ("t", "u", "v", "orog")},
        "no variable of the surface pressure, or of",
    ),
    "units": (
        lambda file: file["t"].setncattr("units", "degC"),
        {},
        "t has the units 'degC', which are not units of temperature",
    ),
    "scale": (
        lambda file: file["sp"].setncattr("units", "hPa"),
        {},
        "sp holds .* outside the range of the surface",
    ),
    "hole": (_remove_one_value, {}, "t has no value near .* [EW] .* [NS]. Fill the gap"),
    "levels": (lambda file: file["level"].setncattr("units", "1"), {}, "t .* has no levels of a known kind"),
    "formula": (
        lambda file: file["level"].setncattr("formula_terms", "ap: ap b: bb ps: sp"),
        {"hybrid": 5},
        "the levels level lack the variables bb. Add",
    ),
    "region": (None, {"rows": slice(4, -4)}, "does not cover the globe: it reaches from"),
    "times": (
        None,
        {"times": ("1999-12-31T18:00", "2000-01-01T06:00")},
        "no record of 2000-01-01 00:00 UTC. It has",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_name_file_variable_and_remedy(tmp_path, mistake):
    change, options, text = MISTAKES[mistake]
    with pytest.raises(InputError, match=text) as error:
        air(write_spoilt(tmp_path, change, **options))
    assert "spoilt.nc" in str(error.value)


def test_levels_that_do_not_stand_on_the_ground_are_refused(tmp_path):
    """Levels with their top at 500 hPa need a surface pressure that is higher than that of the file."""
    path = reanalyses.write(tmp_path / "jw.nc", reanalyses.start(), 10.0)
    with pytest.raises(InputError, match="gives a surface pressure of 100000 Pa on the mesh, but the levels"):
        air(path, coefficients=interfaces(5, 5e4))
