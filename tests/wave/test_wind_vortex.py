"""The Holland vortex against closed forms and symmetries."""

import math

import numpy as np
import pytest

from halcyon._core import wave as core
from halcyon._core.base import EARTH_RADIUS
from halcyon.base import InputError
from halcyon.wave.wind import check_finite, constant_wind

RADIUS, SHAPE, PEAK = 40e3, 1.4, 50.0  # radius of maximum wind [m], Holland's B, gradient wind there [m s-1]


def vortex(**changes):
    """A vortex record at 25 N 130 E, with changes."""
    values = {
        "latitude": math.radians(25),
        "longitude": math.radians(130),
        "radius": RADIUS,
        "shape": SHAPE,
        "peak": PEAK,
    }
    return core.Vortex(**{**values, **changes})


def surface(**changes):
    """Options of the surface wind: factor 0.9, no inflow, asymmetry from motion, with changes."""
    values = {"factor": 0.9, "inflow": core.Inflow(), "asymmetry": True}
    return core.SurfaceWind(**{**values, **changes})


def around(record, distance, azimuths):
    """Positions [rad] at a distance [m] and azimuths [degrees] from the centre."""
    azimuth, angle = np.radians(azimuths), distance / EARTH_RADIUS
    sine = math.sin(record.latitude) * math.cos(angle) + math.cos(record.latitude) * math.sin(angle) * np.cos(
        azimuth
    )
    east = np.arctan2(
        np.sin(azimuth) * math.sin(angle) * math.cos(record.latitude),
        math.cos(angle) - math.sin(record.latitude) * sine,
    )
    return np.arcsin(sine), record.longitude + east


def wind_at(record, latitudes, longitudes, **options):
    """Both components of the surface wind [m s-1] of a vortex at positions [rad]."""
    u, v = np.empty(len(latitudes)), np.empty(len(latitudes))
    core.VortexWind([0.0], [record], surface(**options)).at(0.0, latitudes, longitudes, u, v)
    return u, v


def test_gradient_wind_is_holland_s_closed_form_without_rotation():
    record = vortex(latitude=0.0)
    assert core.gradient_wind(RADIUS, record) == pytest.approx(PEAK, rel=1e-14)
    for r in (10e3, 90e3, 700e3):
        s = (RADIUS / r) ** SHAPE
        assert core.gradient_wind(r, record) == pytest.approx(
            PEAK * math.sqrt(s * math.exp(1 - s)), rel=1e-13
        )


def test_gradient_wind_with_rotation_balances_pressure():
    """v^2 + r f v equals the pressure-gradient term of Holland's profile."""
    record = vortex()
    f = core.coriolis(record.latitude)
    cyclostrophic = PEAK * (PEAK + RADIUS * f)  # B dp / (rho e)
    for r in (5e3, RADIUS, 200e3, 900e3):
        s = (RADIUS / r) ** SHAPE
        speed = core.gradient_wind(r, record)
        assert speed**2 + r * f * speed == pytest.approx(cyclostrophic * s * math.exp(1 - s), rel=1e-12)
    assert core.gradient_wind(RADIUS, record) == pytest.approx(PEAK, rel=1e-14)


def test_centre_is_calm_and_far_field_decays():
    record = vortex(eastward=5.0)
    assert core.gradient_wind(0.0, record) == 0
    assert core.gradient_wind(1.0, record) == 0
    speeds = [core.gradient_wind(r, record) for r in np.geomspace(RADIUS, 2e7, 60)]
    assert np.all(np.diff(speeds) < 0) and speeds[-1] < 1e-2
    u, v = wind_at(record, np.array([record.latitude]), np.array([record.longitude]))
    assert u[0] == 0 and v[0] == 0


def test_every_cell_is_by_itself():
    """The bits of a cell's wind do not depend on the other cells and their order."""
    record = vortex(northward=7.0)
    rng = np.random.default_rng(1)
    latitudes, longitudes = np.radians(rng.uniform(-80, 80, 301)), np.radians(rng.uniform(-180, 180, 301))
    u, v = wind_at(record, latitudes, longitudes)
    assert np.isfinite(u).all() and np.isfinite(v).all()
    reversed_u, _ = wind_at(record, latitudes[::-1].copy(), longitudes[::-1].copy())
    assert np.array_equal(reversed_u[::-1], u)
    alone, _ = wind_at(record, latitudes[17:18].copy(), longitudes[17:18].copy())
    assert alone[0] == u[17]


def test_storm_at_rest_is_symmetric():
    speed = np.hypot(*wind_at(vortex(), *around(vortex(), 90e3, np.arange(0, 360, 15))))
    assert speed == pytest.approx(np.full(24, 0.9 * core.gradient_wind(90e3, vortex())), rel=1e-9)


@pytest.mark.parametrize(("latitude", "sign"), [(25, 1), (-25, -1)])
def test_turns_with_the_hemisphere(latitude, sign):
    """Wind north, east, south and west of the centre is cyclonic: counterclockwise in the north."""
    record = vortex(latitude=math.radians(latitude))
    u, v = wind_at(record, *around(record, 60e3, [0, 90, 180, 270]))
    assert np.sign(u[[0, 2]]).tolist() == [-sign, sign]
    assert np.abs([u[1], u[3], v[0], v[2]]) == pytest.approx(np.zeros(4), abs=0.3)
    assert np.sign(v[[1, 3]]).tolist() == [sign, -sign]


@pytest.mark.parametrize(("latitude", "stronger"), [(25, 0), (-25, 1)])
def test_motion_strengthens_the_right_side_in_the_north(latitude, stronger):
    """Half the speed of motion is added on the right side in the north, on the left side in the south."""
    record = vortex(latitude=math.radians(latitude), northward=8.0)
    east, west = np.hypot(*wind_at(record, *around(record, RADIUS, [90, 270])))
    assert (east, west)[stronger] == pytest.approx(0.9 * PEAK + 4, rel=1e-3)
    assert (east, west)[1 - stronger] == pytest.approx(0.9 * PEAK - 4, rel=1e-3)


@pytest.mark.parametrize("latitude", [25, -25])
def test_inflow_points_to_the_centre(latitude):
    """With an inflow of 20 degrees the wind has a component sin 20 degrees of its speed towards the
    centre."""
    record = vortex(latitude=math.radians(latitude))
    u, v = wind_at(record, *around(record, 80e3, [0, 90]), inflow=core.Inflow(angle=math.radians(20)))
    speed = np.hypot(u, v)
    assert -v[0] / speed[0] == pytest.approx(
        math.sin(math.radians(20)), rel=1e-6
    )  # north of the centre: southwards
    assert -u[1] / speed[1] == pytest.approx(
        math.sin(math.radians(20)), rel=0.02
    )  # east of the centre: westwards


def test_inflow_profile_is_continuous():
    """10 degrees at the centre, 20 at the radius of maximum wind, 25 from 1.2 radii on."""
    degrees = [math.degrees(core.phadke_inflow(x)) for x in (0, 0.5, 1, 1.1, 1.2, 9)]
    assert degrees == pytest.approx([10, 15, 20, 22.5, 25, 25])


def test_crosses_the_date_line():
    """Between records at 179 E and 179 W the centre is at 180; longitudes of 180.5 and -179.5 are the
    same."""
    records = [vortex(longitude=math.radians(179)), vortex(longitude=math.radians(-179))]
    wind = core.VortexWind([0.0, 3600.0], records, surface())
    assert math.degrees(wind.vortex(1800.0).longitude) % 360 == pytest.approx(180)
    u, u_east = np.empty(2), np.empty(2)
    v = np.empty(2)
    latitudes = np.radians([25.0, 25.5])
    wind.at(1800.0, latitudes, np.radians([-179.5, 179.5]), u, v)
    wind.at(1800.0, latitudes, np.radians([180.5, 179.5]), u_east, v)
    assert u == pytest.approx(u_east, abs=1e-9)


def test_interpolation_hits_the_records_and_ends_with_them():
    """At the times of records the vortex has their values; beyond them it raises an error."""
    records = [vortex(peak=30.1), vortex(peak=50.3, radius=55e3), vortex(peak=20.7)]
    wind = core.VortexWind([-100.0, 0.0, 300.0], records, surface())
    assert [wind.vortex(t).peak for t in (-100.0, 0.0, 300.0)] == [30.1, 50.3, 20.7]
    assert wind.vortex(150.0).radius == pytest.approx(47.5e3)
    with pytest.raises(InputError, match="-100 to 300 s of the run, but not 301 s"):
        wind.vortex(301.0)


@pytest.mark.parametrize(
    "change", [{"radius": 0.0}, {"shape": math.nan}, {"peak": -1.0}, {"latitude": math.inf}]
)
def test_bad_records_are_refused(change):
    with pytest.raises(InputError, match="Vortex record 0"):
        core.VortexWind([0.0], [vortex(**change)], surface())


def test_constant_wind_blows_from_its_direction():
    u, v = np.empty(3), np.empty(3)
    constant_wind(speed=10, direction=270).at(5.0, np.zeros(3), np.zeros(3), u, v)
    assert u == pytest.approx(np.full(3, 10.0)) and v == pytest.approx(np.zeros(3), abs=1e-12)
    with pytest.raises(InputError, match="speed -1"):
        constant_wind(speed=-1, direction=0)


def test_not_finite_wind_is_named_with_its_place():
    u, v = np.zeros(4), np.zeros(4)
    positions = np.radians([10.0, 20.0, 30.0, 40.0])
    check_finite(u, v, positions, positions, "2022-09-01T00:00")
    v[2] = math.nan
    with pytest.raises(InputError, match=r"2022-09-01T00:00 is \(0, nan\) m s-1 at 30.00 E 30.00 N"):
        check_finite(u, v, positions, positions, "2022-09-01T00:00")


@pytest.mark.parametrize("wrong", [np.zeros(4)[::2], np.zeros(2, np.float32)])
def test_winds_go_only_into_arrays_that_hold_them(wrong):
    """Strided or single-precision arrays are refused."""
    positions = np.zeros(2), np.zeros(2)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        core.ConstantWind(3.0, 4.0).at(0.0, *positions, np.zeros(2), wrong)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        core.ConstantWind(3.0, 4.0).at(0.0, *positions, wrong, np.zeros(2))
