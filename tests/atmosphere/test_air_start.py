"""Analytic initial states of the air: balance, hydrostasy, values of the papers."""

import numpy as np
import pytest

from halcyon import atmosphere
from halcyon.atmosphere import AirStart
from halcyon.base import ConfigError, InputError

AIR = atmosphere.Air()
R, G = AIR.gas_constant, atmosphere.Planet().gravity
# Initial states in balance: name, options, changes of the planet.
STEADY = [
    ("baroclinic_wave", {"perturbation": 0}, {}),
    ("baroclinic_wave", {"perturbation": 0, "speed": 20}, {"radius": 3e6, "rotation": -1e-4}),
    ("resting_mountain", {}, {}),
    ("mountain_waves", {}, {}),
    ("mountain_waves", {"shear": 2.5e-4}, {}),
    ("gravity_wave", {"perturbation": 0}, {}),
    ("gravity_wave", {"perturbation": 0}, {"rotation": 7.292e-5}),
    ("held_suarez", {"perturbation": 0}, {}),
    ("moist_baroclinic_wave", {"perturbation": 0}, {}),
    ("moist_baroclinic_wave", {"perturbation": 0, "equator": 300}, {"radius": 3e6, "rotation": -1e-4}),
    ("supercell", {"perturbation": 0}, {}),
]
QUADRATURE_POINTS, WEIGHTS = np.polynomial.legendre.leggauss(96)


def planet_of(name, changes):
    """The planet of a start, with changes of its radius, rotation or gravity."""
    planet = atmosphere.air_start_planet(name)
    values = {key: getattr(planet, key) for key in ("radius", "rotation", "gravity")}
    return atmosphere.Planet(**(values | changes))


def sample_points(seed=1, n=200, lowest_pressure=2e4):
    """Random longitudes and latitudes [rad] and pressures [Pa]."""
    rng = np.random.default_rng(seed)
    return (
        rng.uniform(0, 2 * np.pi, n),
        np.arcsin(rng.uniform(-0.99, 0.99, n)),
        rng.uniform(lowest_pressure, 7e4, n),
    )


def virtual_temperature(start, lon, lat, p):
    excess = AIR.vapour_gas_constant / R - 1
    return start.temperature(lon, lat, p) * (1 + excess * start.specific_humidity(lon, lat, p))


def geopotential(start, lon, lat, pressure):
    """Surface geopotential plus the integral of R T_v d(ln p), by Gauss-Legendre quadrature."""
    log_p, log_surface = np.log(pressure), np.log(start.surface_pressure(lon, lat))
    half = (log_surface - log_p)[:, None] / 2
    p = np.exp(log_p[:, None] + half * (1 + QUADRATURE_POINTS))
    integral = (half * WEIGHTS * R * virtual_temperature(start, lon[:, None], lat[:, None], p)).sum(axis=1)
    return start.ground_geopotential(lon, lat) + integral


@pytest.mark.parametrize(("name", "options", "changes"), STEADY)
def test_the_wind_balances_the_pressure(name, options, changes):
    """On a pressure surface dPhi/dphi = -(2 Omega a sin(phi) + u tan(phi)) u and dPhi/dlambda = 0, with Phi
    the geopotential, phi the latitude, lambda the longitude and a the radius."""
    planet = planet_of(name, changes)
    start = AirStart(name, options=options, planet=planet)
    lon, lat, p = sample_points()
    east, north = start.wind(lon, lat, p)
    step = 1e-4
    by_latitude = [geopotential(start, lon, lat + i * step, p) for i in (-2, -1, 1, 2)]
    by_longitude = [geopotential(start, lon + i * step, lat, p) for i in (-2, -1, 1, 2)]
    slopes = [(a - 8 * b + 8 * c - d) / (12 * step) for a, b, c, d in (by_latitude, by_longitude)]
    force = (2 * planet.rotation * planet.radius * np.sin(lat) + east * np.tan(lat)) * east
    rounding = 1e-5  # of a geopotential of 1e5 over the step
    accuracy = 2e-3 if name == "supercell" else 1e-6  # of the quadrature: its profile has kinks
    assert abs(slopes[0] + force).max() < accuracy * abs(force).max() + rounding
    assert abs(slopes[1]).max() < rounding
    assert abs(north).max() < 1e-13


def baroclinic_geopotential(lon, lat, p):
    """Jablonowski and Williamson (2006), equations 7 to 9."""
    eta, a_omega, lapse = p / 1e5, 6371220 * 7.292e-5, 0.005
    jet = 35 * np.cos((eta - 0.252) * np.pi / 2) ** 1.5
    s, c = np.sin(lat), np.cos(lat)
    waves = (-2 * s**6 * (c**2 + 1 / 3) + 10 / 63) * jet + (
        8 / 5 * c**3 * (s**2 + 2 / 3) - np.pi / 4
    ) * a_omega
    t = 0.2
    stratosphere = (
        (np.log(eta / t) + 137 / 60) * t**5
        - 5 * t**4 * eta
        + 5 * t**3 * eta**2
        - 10 / 3 * t**2 * eta**3
        + 5 / 4 * t * eta**4
        - eta**5 / 5
    )
    mean = 288 * G / lapse * (1 - eta ** (R * lapse / G)) - np.where(eta < t, R * 4.8e5 * stratosphere, 0)
    return mean + jet * waves


def resting_geopotential(lon, lat, p):
    """Air at rest with a lapse rate of 0.0065 K/m (DCMIP-2012, test 2-0)."""
    return G * 300 / 0.0065 * (1 - (p / 1e5) ** (R * 0.0065 / G))


def shear_geopotential(lon, lat, p):
    """Balanced flow of 20 m/s with vertical shear (DCMIP-2012, test 2-2)."""
    temperature = 300 * (1 - 2.5e-4 * 400 / G * np.sin(lat) ** 2)
    return R * temperature * np.log(1e5 / p) - temperature * 400 / 600 * np.sin(lat) ** 2


@pytest.mark.parametrize(
    ("name", "options", "exact"),
    [
        ("baroclinic_wave", {}, baroclinic_geopotential),
        ("resting_mountain", {}, resting_geopotential),
        ("mountain_waves", {"shear": 2.5e-4}, shear_geopotential),
    ],
)
def test_the_geopotential_is_that_of_the_paper(name, options, exact):
    """The integral of temperature over ln p equals the geopotential in closed form."""
    start = AirStart(name, options=options)
    lon, lat, p = sample_points(seed=2, lowest_pressure=1e3)
    assert geopotential(start, lon, lat, p) == pytest.approx(exact(lon, lat, p), rel=1e-9)


def test_the_cyclone_is_in_gradient_wind_balance():
    """On a pressure surface dPhi/dr = v^2/r + f_c v at the distance r from the centre at 10 N, 180 E, with
    the wind v around it (Reed and Jablonowski 2011)."""
    start, planet = AirStart("tropical_cyclone"), atmosphere.Planet()
    f = 2 * planet.rotation * np.sin(np.radians(10))
    rng = np.random.default_rng(5)
    angle, p = rng.uniform(0.005, 0.2, 200), rng.uniform(2e4, 9e4, 200)
    north = np.radians(10) + angle
    lon = np.full(200, np.pi)
    east, across = start.wind(lon, north, p)
    step = 1e-5
    values = [geopotential(start, lon, north + i * step, p) for i in (-2, -1, 1, 2)]
    slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step * planet.radius)
    assert abs(slope - (east**2 / (planet.radius * angle) - f * east)).max() < 1e-7
    assert abs(across).max() < 1e-12
    assert (east < 0).sum() > 150  # above the tropopause the air is at rest


def test_the_cyclone_is_that_of_the_paper():
    """1003.85 hPa in the centre and 1015 hPa far away, a tropopause at about 130.5 hPa (DCMIP2016), at 15 km;
    winds of at most about 20 m/s, 200 to 300 km from the centre (Reed and Jablonowski 2012)."""
    start = AirStart("tropical_cyclone")
    lat = np.radians(10) + np.linspace(1e-6, 0.3, 1000)
    assert start.surface_pressure(np.pi, np.radians(10)) == pytest.approx(100385, abs=1e-6)
    assert start.surface_pressure(0.0, 0.0) == pytest.approx(101500, abs=1e-6)
    speed = np.hypot(*start.wind(np.pi, lat, start.surface_pressure(np.pi, lat) - 1000))
    assert speed.max() == pytest.approx(20, abs=1.5)
    assert 200e3 < (lat[speed.argmax()] - np.radians(10)) * 6371220 < 300e3
    assert start.temperature(0.0, 0.0, 101500.0) == pytest.approx(302.15, rel=1e-5)
    assert start.specific_humidity(0.0, 0.0, [101500.0, 13100, 13000]) == pytest.approx(
        [0.021, 0.021 * np.exp(-5 - (15 / 8) ** 2), 1e-11], rel=3e-2
    )
    tropopause = virtual_temperature(start, 0.0, 0.0, 1e4)
    assert tropopause == pytest.approx(
        302.15 * (1 + (AIR.vapour_gas_constant / R - 1) * 0.021) - 0.007 * 15000, rel=1e-9
    )


def test_the_moist_wave_is_that_of_the_paper():
    """Virtual temperatures of 310 K at the surface of the equator and 240 K of the poles (Ullrich et al.
    2014), and humidities of at most 18 g/kg, with which the lower levels of mid-latitudes have at most about
    85 % relative humidity (DCMIP2016)."""
    start = AirStart("moist_baroclinic_wave")
    surface = virtual_temperature(start, 0.0, np.radians([0.0, 90, -90]), 1e5)
    assert surface == pytest.approx([310, 240, 240], rel=1e-9)
    lat, p = np.meshgrid(np.radians(np.linspace(-90, 90, 181)), np.linspace(11e3, 1e5, 90))
    q, temperature = start.specific_humidity(0.0, lat, p), start.temperature(0.0, lat, p)
    celsius = temperature - 273.15
    saturation = 611.2 * np.exp(17.67 * celsius / (celsius + 243.5))  # Bolton (1980)
    humidity = q * p / (0.622 + 0.378 * q) / saturation
    is_low = (abs(lat) > np.radians(30)) & (abs(lat) < np.radians(60)) & (p > 7e4)
    assert humidity[is_low].max() == pytest.approx(0.85, abs=0.05)
    assert q.max() == pytest.approx(0.018, rel=1e-12)
    assert start.wind(0.0, lat, p)[0].max() == pytest.approx(28, abs=2)
    gust = start.wind(np.radians(20), np.radians(40), 1e5)[0]
    assert gust == pytest.approx(1, abs=1e-12)  # the steady wind is 0 at the surface


def test_the_supercell_has_the_profile_of_the_paper():
    """Potential temperature at the equator, relative humidity by Tetens' formula, vapour of at most 14 g/kg
    (Klemp et al. 2015); the shear flow, and the warm bubble of 3 K at 1.5 km."""
    start = AirStart("supercell", options={"perturbation": 0})
    p = np.linspace(8e3, 1e5, 40)
    height = geopotential(start, np.zeros(40), np.zeros(40), p) / G
    theta = start.temperature(0.0, 0.0, p) * (1e5 / p) ** AIR.kappa
    troposphere = 300 + 43 * (np.minimum(height, 12e3) / 12e3) ** 1.25
    stratosphere = 343 * np.exp(G * (height - 12e3) / (1004.5 * 213))
    assert theta == pytest.approx(np.where(height < 12e3, troposphere, stratosphere), rel=1e-5)
    q = start.specific_humidity(0.0, 0.0, p)
    temperature = start.temperature(0.0, 0.0, p)
    saturation = np.minimum(380 / p * np.exp(17.27 * (temperature - 273) / (temperature - 36)), 0.014)
    humidity = 1 - 0.75 * np.minimum(height / 12e3, 1) ** 1.25
    assert q / (1 - q) == pytest.approx(humidity * saturation, rel=2e-5)
    east = start.wind(0.0, 0.0, p)[0]
    line = 30 * height / 5000 - 15
    assert east[height < 4e3] == pytest.approx(line[height < 4e3], abs=1e-3)
    assert east[height > 6e3] == pytest.approx(15, abs=1e-12)
    bubble = AirStart("supercell").temperature(0.0, 0.0, p) * (1e5 / p) ** AIR.kappa - theta
    distance = abs(height - 1500) / 1500
    shape = np.where(distance < 1, 3 * np.cos(np.pi / 2 * distance) ** 2, 0)
    assert bubble == pytest.approx(shape, abs=1e-3)
    assert start.surface_pressure(0.0, [0.0, np.pi / 2]) == pytest.approx([1e5, 99871.1], abs=0.1)


def test_the_stratified_air_has_one_buoyancy_frequency():
    """N^2 = g^2/(R T) d(ln theta)/d(-ln p): DCMIP-2012, test 3-1."""
    start = AirStart("gravity_wave", options={"perturbation": 0})
    lon, lat, p = sample_points(seed=3)
    step = 1e-4
    log_theta = [np.log(start.temperature(lon, lat, p * np.exp(s)) / p**AIR.kappa) - AIR.kappa * s
                 for s in (-step, step)]  # fmt: skip
    slope = (log_theta[0] - log_theta[1]) / (2 * step)
    assert G**2 / (R * start.temperature(lon, lat, p)) * slope == pytest.approx(1e-4, rel=1e-6)


def test_the_jet_has_its_speed_where_the_paper_has_it():
    """The jet has its maximum of 35 m/s at 45 degrees and eta = 0.252 (Jablonowski and Williamson 2006)."""
    start = AirStart("baroclinic_wave", options={"perturbation": 0})
    lat, p = np.meshgrid(np.radians(np.linspace(-90, 90, 361)), np.linspace(1e2, 1e5, 1000))
    east, _ = start.wind(0.0, lat, p)
    top = np.unravel_index(east.argmax(), east.shape)
    assert east.max() == pytest.approx(35, abs=1e-12)
    assert abs(np.degrees(lat[top])) == pytest.approx(45)
    assert p[top] == pytest.approx(25200)
    assert east.min() >= 0


def test_the_wave_has_the_ground_and_temperature_of_the_paper():
    """Equations 6 and 7 at eta = 1, computed independently of the code."""
    start = AirStart("baroclinic_wave")
    equator_and_poles = np.radians([0, 90, -90])
    ground = start.ground_geopotential(0, equator_and_poles)
    assert ground == pytest.approx([1106.204, -3093.446, -3093.446], abs=0.001)
    temperature = start.temperature(0, equator_and_poles, 1e5)
    assert temperature == pytest.approx([309.9507, 226.5277, 226.5277], abs=0.0001)
    assert (start.surface_pressure(*sample_points()[:2]) == 1e5).all()


def test_the_gust_is_where_it_should_be():
    """The perturbation is a Gaussian around 20 E 40 N with a radius of a tenth of the planet's."""
    calm, gusty = (AirStart("baroclinic_wave", options={"perturbation": gust}) for gust in (0, 1))

    def gust(lon, lat):
        return gusty.wind(lon, lat, 5e4)[0] - calm.wind(lon, lat, 5e4)[0]

    assert gust(np.radians(20), np.radians(40)) == pytest.approx(1, abs=1e-14)
    assert gust(np.radians(20), np.radians(40) + 0.1) == pytest.approx(np.exp(-1))
    assert abs(gust(np.radians(200), np.radians([-90, -40, 0, 90]))).max() < 1e-12


def test_the_mountains_have_their_shapes():
    """The mountains are rings of 2000 m (DCMIP-2012, test 2-0) and ridges of 250 m (tests 2-1 and 2-2)."""
    resting, waves = AirStart("resting_mountain"), AirStart("mountain_waves")
    assert resting.ground_geopotential(1.5 * np.pi, 0) / G == pytest.approx(2000)
    arcs = np.pi * np.array([1 / 32, 1 / 16, 0.8])  # a valley, a ring, and outside
    rings = resting.ground_geopotential(1.5 * np.pi + arcs, 0) / G
    assert rings == pytest.approx([0, 1000 * (1 + np.cos(np.pi / 12)), 0], abs=1e-9)
    assert resting.surface_pressure(1.5 * np.pi, 0) == pytest.approx(
        1e5 * (1 - 0.0065 * 2000 / 300) ** (G / (R * 0.0065))
    )
    small_radius = 6371220 / 500
    heights = waves.ground_geopotential(np.pi / 4 + np.array([0, 2000, 4000]) / small_radius, 0) / G
    assert heights == pytest.approx([250, 0, 250 * np.exp(-0.64)], abs=1e-9)
    assert waves.wind(0, 0, 5e4)[0] == pytest.approx(20)


def test_the_warm_spot_has_its_size():
    """The perturbation of potential temperature is 1 K at 5 km height, and falls as 1/(1 + d^2) sideways."""
    with_spot = AirStart("gravity_wave")
    without = AirStart("gravity_wave", options={"perturbation": 0})
    centre = (np.radians(120), 0.0)

    def theta(start, p, east=0.0):
        return start.temperature(centre[0] + east, centre[1], p) * (1e5 / p) ** AIR.kappa

    p = np.linspace(3e4, 1e5, 2001)
    spot = theta(with_spot, p) - theta(without, p)
    assert spot.max() == pytest.approx(1, abs=1e-5)
    assert spot[-1] == pytest.approx(0, abs=1e-9)
    p_of_maximum = p[spot.argmax()]
    height = -G / 1e-4 * np.log(300 / (G**2 / (1e-4 * 1004.5)) * ((p_of_maximum / 1e5) ** AIR.kappa - 1) + 1)
    assert height == pytest.approx(5000, abs=10)  # a quarter of the wavelength
    longitudes = np.array([1, 2]) * 5000 / (6371220 / 125)
    weaker_spot = theta(with_spot, p_of_maximum, longitudes) - theta(without, p_of_maximum, longitudes)
    assert weaker_spot == pytest.approx([1 / 2, 1 / 5], abs=1e-5)


def test_the_start_at_rest_has_no_symmetry():
    """Mirrored and rotated copies of the perturbation differ from it."""
    start = AirStart("held_suarez", options={"perturbation": 2})
    lon, lat, p = sample_points(seed=4, n=2000)
    pattern = start.temperature(lon, lat, p) - 300
    assert 1 < abs(pattern).max() <= 2
    images = [(lon, -lat), (-lon, lat), (np.pi - lon, lat), (lon + np.pi, -lat), (lon + np.pi, lat)]
    images += [(lon + 2 * np.pi / k, lat) for k in (3, 4, 5)]
    for x, y in images:
        image = start.temperature(x, y, p) - 300
        assert np.abs(image - pattern).max() > 0.5
        assert np.abs(image + pattern).max() > 0.5
    assert not np.any(start.wind(lon, lat, p))


def test_the_tracer_is_a_patch_between_zero_and_one():
    """The baroclinic wave has a tracer around its perturbation; a start without a tracer gives 0."""
    start = AirStart("baroclinic_wave")
    values = start.tracer(*sample_points(n=2000))
    assert start.has_tracer
    assert values.min() >= 0
    assert 0.5 < start.tracer(np.radians(20), np.radians(40), 6e4) <= 1
    assert not AirStart("held_suarez").has_tracer
    assert not np.any(AirStart("held_suarez").tracer(*sample_points()))


@pytest.mark.parametrize("name", atmosphere.air_start_names())
def test_every_start_is_finite_up_to_the_poles_and_the_top(name):
    start = AirStart(name)
    lon, lat, p = np.meshgrid([0, 1, 4], np.radians([-90, -45, 0, 45, 90]), [1.0, 1e3, 5e4, 1e5])
    east, north = start.wind(lon, lat, p)
    fields = [east, north, start.temperature(lon, lat, p), start.tracer(lon, lat, p)]
    fields += [start.surface_pressure(lon, lat), start.ground_geopotential(lon, lat)]
    assert all(np.isfinite(field).all() and field.shape == lon.shape for field in fields)
    assert start.temperature(lon, lat, p).min() > 0


def test_planets_are_those_of_the_tests():
    """Radius and rotation of the papers: waves, Held and Suarez and the cyclone rotate."""
    radius = atmosphere.Planet().radius
    planets = {name: atmosphere.air_start_planet(name) for name in atmosphere.air_start_names()}
    assert {name: radius / planet.radius for name, planet in planets.items()} == pytest.approx(
        {"baroclinic_wave": 1, "gravity_wave": 125, "held_suarez": 1, "moist_baroclinic_wave": 1,
         "mountain_waves": 500, "resting_mountain": 1, "supercell": 120, "tropical_cyclone": 1}
    )  # fmt: skip
    assert [name for name, planet in planets.items() if planet.rotation] == [
        *("baroclinic_wave", "held_suarez", "moist_baroclinic_wave", "tropical_cyclone")
    ]


def test_unknown_starts_and_options_are_refused():
    with pytest.raises(ConfigError, match=r"no start 'barotropic_jet'.*baroclinic_wave"):
        AirStart("barotropic_jet")
    with pytest.raises(ConfigError, match=r"'held_suarez' has no option 'speed'.*perturbation, temperature"):
        AirStart("held_suarez", options={"speed": 1.0})
    with pytest.raises(ConfigError, match="no start 'jet'"):
        atmosphere.air_start_options("jet")
    with pytest.raises(ConfigError, match="'speed' of the start 'mountain_waves' is nan"):
        AirStart("mountain_waves", options={"speed": np.nan})
    with pytest.raises(ConfigError, match=r"'temperature' of the start is 0.*above 0"):
        AirStart("resting_mountain", options={"temperature": 0})


@pytest.mark.parametrize("name", ["supercell", "mountain_waves"])
def test_starts_without_rotation_refuse_it(name):
    radius = atmosphere.air_start_planet(name).radius
    text = rf"'{name}' .* without rotation, but the rotation is 1e-05 s-1. .*rotation: 0, .*radius: {radius}"
    with pytest.raises(ConfigError, match=text):
        AirStart(name, planet=atmosphere.Planet(radius=radius, rotation=1e-5))
    AirStart(name, planet=atmosphere.Planet(rotation=0.0))


def test_bad_places_are_refused():
    start = AirStart("held_suarez")
    with pytest.raises(InputError, match=r"pressure contains 0\.0.*above 0"):
        start.temperature(0, 0, [1e5, 0])
    with pytest.raises(InputError, match=r"lat contains 45\.0.*radians"):
        start.surface_pressure(0, 45)
    with pytest.raises(InputError, match=r"The shapes do not broadcast.*lon \(2,\), lat \(3,\)"):
        start.surface_pressure([0, 1], [0, 1, 1])
