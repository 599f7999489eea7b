"""Semi-Lagrangian advection against exact solutions; halos that are too narrow; invalid arguments."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon.base import ConfigError, InputError
from halcyon.semi_lagrangian import RADIUS, Advection, halo_volumes, width_for
from halcyon.transform import Grid
from tests.semi_lagrangian import bells

COURANT_OF_WIDTH = {3: 1, 10: 8, 20: 18, 30: 28}  # largest meridional Courant number by halo width


def serial_advection(grid, **options):
    """Advection on one rank, by default with columns on demand."""
    return Advection(MPI.COMM_SELF, grid, **({"halo": "on_demand"} | options))


def error(grid, hill, *, courant, tilt=60, revolutions=1 / 4, from_winds=False, **options):
    """Relative l2 error after some revolutions, with a Courant number at the equator of the rotation, to
    which the number of steps is rounded."""
    steps = max(1, round(revolutions * len(grid.row_lengths) * 2 / courant))
    field, exact = bells.rotate_hill(
        serial_advection(grid, **options),
        hill,
        steps=steps,
        tilt=tilt,
        angle=2 * np.pi * revolutions / steps,
        from_winds=from_winds,
    )
    return bells.l2(field, exact, grid.areas.ravel())


@pytest.mark.parametrize("courant", [1.3, 7.1])
def test_a_smooth_hill_converges_at_third_order(courant):
    """Cubic interpolation: errors of h^4 per step add up over 1 / h steps, h being the grid spacing."""
    errors = hill_errors("cubic", courant)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] > 2.7, (errors, orders)
    assert errors[-1] < 2e-4


@pytest.mark.parametrize("courant", [1.3, 7.1])
def test_linear_rows_cost_quasi_cubic_interpolation_its_order(courant):
    """Quasi-cubic interpolation, linear in its outer rows, has larger errors than cubic and an order
    above 1."""
    errors = hill_errors("quasi_cubic", courant)
    assert hill_errors("cubic", courant)[-1] < errors[-1] < 1e-3
    assert np.log2(errors[0] / errors[-1]) > 2, errors


def hill_errors(interpolation, courant):
    """Errors of a smooth hill on grids of 32, 64 and 128 rows."""
    return [
        error(Grid.full(n), bells.smooth_hill, courant=courant, tilt=90, interpolation=interpolation)
        for n in (32, 64, 128)
    ]


def test_linear_interpolation_is_of_first_order():
    errors = [
        error(Grid.full(n), bells.smooth_hill, courant=4.3, interpolation="linear") for n in (64, 128, 256)
    ]
    assert np.log2(errors[-2] / errors[-1]) == pytest.approx(1, abs=0.25), errors


@pytest.mark.parametrize("tilt", [0, 60, 90])
@pytest.mark.parametrize("grid", [Grid.full(64), Grid.octahedral(32), Grid.reduced(64, 63)], ids=repr)
def test_a_bell_goes_once_around_and_over_the_poles(grid, tilt):
    """Case 1 of Williamson et al. (1992) in 12 steps at a Courant number of 11, with exact departure
    points and with departure points from winds."""
    for options, largest in (({}, 0.06), ({"from_winds": True}, 0.07)):
        assert error(grid, bells.cosine_bell, courant=32 / 3, tilt=tilt, revolutions=1, **options) < largest


@pytest.mark.parametrize(("width", "courant"), COURANT_OF_WIDTH.items())
def test_each_width_serves_its_winds_and_no_more(width, courant):
    """A halo of a width holds winds up to its Courant number; for stronger winds the error names the
    width that is needed."""
    grid = Grid.full(64)
    advection = serial_advection(grid, halo="wide", width=width)
    speed = courant * RADIUS * np.pi / 64.5 / 600 * 0.98  # rows are about pi / (n + 1/2) apart
    assert width_for(grid, speed, 600) == width
    u, v = bells.winds(advection.latitude, advection.longitude, 90, speed)
    advection.find_departures(u, v, 600)
    strong = np.where(np.arange(u.size) == 777, 1.1 * speed + 2, 0.0)
    needed = width_for(grid, strong.max(), 600)
    assert needed > width
    with pytest.raises(ConfigError) as caught:
        advection.find_departures(strong, 0 * v, 600)
    message = str(caught.value)
    assert (
        f"A wind of {strong.max():.1f} m s-1 at latitude {advection.latitude[777]:.2f}, longitude" in message
    )
    assert f"a halo of width {width} does not hold. Give width={needed} or more" in message
    with pytest.raises(
        ConfigError, match=rf"comes from .* width {width} does not hold. Give width={width + 5} "
    ):
        advection.set_departures(advection.latitude, advection.longitude + (width + 2) * 360 / 128.9)
    with pytest.raises(ConfigError, match=rf'comes from .* width {width} .* Give halo="on_demand"'):
        advection.set_departures(advection.latitude, advection.longitude + 180)


def test_departure_points_of_a_rotation():
    """The midpoint rule is of second order: halving the step divides the error of one step by 8. Iterations
    converge."""
    grid = Grid.full(96)
    advection = serial_advection(grid)

    def largest_error(angle, iterations):
        u, v = bells.winds(advection.latitude, advection.longitude, 90, angle * RADIUS)
        advection.find_departures(u, v, 1.0, iterations=iterations)
        computed = bells.vectors(*(values[:, 0] for values in advection.departures))
        exact = bells.vectors(*bells.departure_points(advection.latitude, advection.longitude, 90, angle))
        return np.linalg.norm(computed - exact, axis=-1).max()

    assert largest_error(0.4, 6) / largest_error(0.2, 6) == pytest.approx(8, rel=0.25)
    errors = [largest_error(0.3, iterations) for iterations in (0, 1, 2, 6)]
    assert errors[0] > 5 * errors[1] > 5 * errors[2]
    assert errors[2] < 1.5 * errors[3]


def test_departures_on_the_rotation_s_equator_over_the_pole():
    """Air that crosses the pole stays on its meridian; wind components change sign there."""
    grid = Grid.full(64)
    advection = serial_advection(grid)
    u, v = bells.winds(advection.latitude, advection.longitude, 90, 0.5 * RADIUS)
    advection.find_departures(u, v, 1.0)
    latitude, longitude = (values[:, 0] for values in advection.departures)
    on_meridian = np.flatnonzero(np.isclose(advection.longitude, 270) & (advection.latitude > 70))
    assert on_meridian.size > 5
    # At longitude 270 v = -sin(longitude) > 0: air comes from the south; at 90 it comes from across the pole.
    np.testing.assert_allclose(
        latitude[on_meridian], advection.latitude[on_meridian] - np.degrees(0.5), atol=0.01
    )
    across = np.flatnonzero(np.isclose(advection.longitude, 90) & (advection.latitude > 70))
    np.testing.assert_allclose(longitude[across], 270, atol=1e-6)
    np.testing.assert_allclose(
        latitude[across], 180 - advection.latitude[across] - np.degrees(0.5), atol=0.01
    )


@pytest.mark.parametrize("interpolation", ["linear", "quasi_cubic", "cubic"])
def test_constants_stay_and_calm_air_carries_nothing_away(interpolation):
    """Constants survive random departure points, and noise survives calm air, to rounding."""
    grid = Grid.octahedral(16)
    advection = serial_advection(grid, interpolation=interpolation, fields=2)
    rng = np.random.default_rng(1)
    noise, constant = rng.normal(size=grid.n_points), np.full(grid.n_points, 3.7)
    before = noise.copy()
    advection.find_departures(np.zeros(grid.n_points), np.zeros(grid.n_points), 600)
    advection.advance(noise, constant)
    np.testing.assert_allclose(noise, before, atol=1e-13)
    advection.set_departures(
        np.degrees(np.arcsin(rng.uniform(-1, 1, grid.n_points))), rng.uniform(0, 360, grid.n_points)
    )
    advection.advance(noise, constant)
    np.testing.assert_allclose(constant, 3.7, rtol=1e-13)


def test_monotone_makes_no_new_extremes():
    """With monotone interpolation a cosine bell stays between 0 and 1, otherwise it becomes negative."""
    grid = Grid.full(32)
    bounds = {}
    for monotone in (False, True):
        field, _ = bells.rotate_hill(
            serial_advection(grid, monotone=monotone),
            bells.cosine_bell,
            steps=20,
            tilt=90,
            angle=2 * np.pi / 20,
        )
        bounds[monotone] = field.min(), field.max()
    assert bounds[False][0] < -1e-3
    assert bounds[True][0] >= 0
    assert bounds[True][1] <= 1


def test_levels_go_their_own_ways():
    """Levels with different departure points have the bits of advections of one level."""
    grid, angles = Grid.full(32), np.array([0.05, 0.3, 0.7])
    together = serial_advection(grid, levels=3, fields=2, groups=2)
    points = bells.vectors(together.latitude, together.longitude)
    start = bells.cosine_bell(points, np.array([0, -1, 0]))
    departures = [
        bells.departure_points(together.latitude, together.longitude, 40, angle) for angle in angles
    ]
    together.set_departures(*(np.stack(values, axis=1) for values in zip(*departures, strict=True)))
    first, second = (np.repeat(factor * start[:, None], 3, axis=1) for factor in (1, 2))
    together.advance(first, second)
    for level, points in enumerate(departures):
        single_level = serial_advection(grid)
        single_level.set_departures(*points)
        expected = start.copy()
        single_level.advance(expected)
        assert np.array_equal(first[:, level], expected)
        assert np.array_equal(second[:, level], 2 * expected)


def test_volumes_of_wide_halos():
    """Received bytes of bands of 4 rows with a halo of 10 rows, each row once, and of tiles."""
    grid = Grid.full(64)
    volumes = halo_volumes(grid, (1, 16), width=10, column_bytes=8)
    assert volumes.n_ranks == 16
    received = volumes.received(volumes.bytes)
    assert received[8] == 20 * 128 * 8
    assert received[0] == 10 * 128 * 8  # rows from across the pole are own rows or among the 10 rows south
    assert list(volumes.peers[volumes.receivers == 8]) == [5, 6, 7, 9, 10, 11]
    tiles = halo_volumes(grid, (4, 4), width=10, column_bytes=8)
    assert tiles.received(tiles.bytes).sum() > volumes.received(volumes.bytes).sum() / 4
    middle = tiles.received(tiles.bytes)[5]  # 16 rows of 32 columns, at latitudes of 0 to 45
    assert (36 * 52 - 16 * 32) * 8 <= middle < 36 * 128 * 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"halo": "wide", "width": 2},
            r"The halo has width 2 on a grid of 16 rows. Give 3 to 16",
            id="options0-A halo of width 2 on a grid of 16 rows. Give 3 to 16",
        ),
        pytest.param(
            {"halo": "wide", "width": 17},
            r"The halo has width 17 on a grid of 16 rows",
            id="options1-A halo of width 17 on a grid of 16 rows",
        ),
        ({"halo": "narrow"}, r"There is no halo 'narrow'. Use wide or on_demand"),
        ({"interpolation": "spline"}, r"no interpolation 'spline'. Use linear, quasi_cubic or cubic"),
        ({"levels": 3, "groups": 4, "halo": "wide"}, r"3 levels in 4 groups. Give 1 to 3 groups"),
        ({"levels": 3, "groups": 4}, r"3 levels in 4 groups. Give 1 to 3 groups"),
        ({"fields": 0}, r"0 fields of 1 levels"),
        ({"ranks": (2, 1)}, r"divided among 2 ranks, but there are 1. Give px x py = 1"),
        ({"ranks": (1, 17)}, r"cannot be divided among 1 x 17 ranks. Give at most 32 x 16"),
        pytest.param(
            {"radius": 0}, r"The radius of the sphere is 0.* m", id="options9-A sphere of radius 0.* m"
        ),
        ({"radius": "Earth"}, r"radius is 'Earth'. Give a number"),
        ({"levels": 1.5}, r"levels is 1.5. Give a whole number"),
        ({"fields": 2**31}, r"fields is 2147483648. Give a whole number below 2\^31"),
        ({"ranks": 1}, r"ranks is 1. Give two whole numbers: \(px, py\)"),
        pytest.param(
            {"halo": None}, "halo is None. Give one of the names", id="options14-halo is None. Give a name"
        ),
        ({"monotone": "yes"}, r"monotone is 'yes'. Give True or False"),
        ({"progress": 3}, r"progress is 3. Give a Progress or str"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ConfigError, match=message):
        serial_advection(Grid.full(16), **options)


def test_a_step_below_zero_goes_back_in_time():
    """A negative step has the bits of a step with the opposite wind."""
    grid = Grid.full(16)
    wind, field = np.full(grid.n_points, 20.0), np.cos(np.radians(np.tile(grid.longitude, 16)))
    results = []
    for u, step in [(wind, -3600), (-wind, 3600)]:
        results.append(field.copy())
        serial_advection(grid).step(u, 0 * u, step, results[-1])
    assert np.array_equal(*results) and not np.array_equal(results[0], field)


def test_data_that_make_no_sense():
    grid = Grid.full(16)
    advection = serial_advection(grid)
    calm, field = np.zeros(grid.n_points), np.zeros(grid.n_points)
    with pytest.raises(ConfigError, match="no departure points yet"):
        advection.advance(field)
    for invalid in (np.nan, np.inf):
        wind = calm.copy()
        wind[40] = invalid
        with pytest.raises(InputError, match=r"at latitude 70.83, longitude 90.00, level 0 is not finite"):
            advection.find_departures(wind, calm, 600)
    with pytest.raises(ConfigError, match=r"about half around the globe. Give a shorter step"):
        advection.find_departures(calm + 1e9, calm, 600)
    with pytest.raises(InputError, match=r"The departure point of latitude .* is invalid"):
        advection.set_departures(calm + 91, calm)
    with pytest.raises(ConfigError, match=r"u is \(3,\), but this rank's points and levels are \(512, 1\)"):
        advection.find_departures(calm[:3], calm, 600)
    with pytest.raises(ConfigError, match=r"step is 'long'. Give a number"):
        advection.find_departures(calm, calm, "long")
    with pytest.raises(ConfigError, match=r"iterations is 1.5. Give a whole number"):
        advection.find_departures(calm, calm, 600, iterations=1.5)
    advection.find_departures(calm, calm, 600)
    with pytest.raises(ConfigError, match=r"2 fields were given to an advection of 1"):
        advection.advance(field, field.copy())
    with pytest.raises(ConfigError, match=r"Field 0 is float32 .*, but must be float64"):
        advection.advance(field.astype("f4"))
    with pytest.raises(ConfigError, match=r"Field 0 is \[1.0\]. Give a ndarray"):
        advection.advance([1.0])
    with pytest.raises(InputError, match=r"u is of complex128. Give numbers that float64 can hold"):
        advection.find_departures(calm + 1j, calm, 600)
    with pytest.raises(InputError, match=r"v has 512 masked numbers"):
        advection.find_departures(calm, np.ma.masked_equal(calm, 0), 600)
    two_fields = serial_advection(grid, fields=2)
    with pytest.raises(InputError, match=r"shares memory with another array"):
        two_fields.step(calm, calm, 600, field, field)
    with pytest.raises(ConfigError, match=r"has 2 rows, the shortest of 8 values"):
        serial_advection(Grid.full(2, 8))


@pytest.mark.parametrize(("wind", "step"), [(np.nan, 600), (-60, 600), (60, 0), (60, np.inf)])
def test_winds_and_steps_that_cannot_be(wind, step):
    with pytest.raises(ConfigError, match=f"The wind is {wind:g} m s-1, the step {step:g} s"):
        width_for(Grid.full(64), wind, step)


def test_a_wind_around_the_planet():
    with pytest.raises(ConfigError, match=r"carries air around a planet .* Give shorter steps"):
        width_for(Grid.full(64), 1e9, 1e9)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"column_bytes": -8}, "column_bytes is -8. Give 1 or more"),
        ({"column_bytes": 0}, "column_bytes is 0. Give 1 or more"),
        ({"threads": 0}, "threads is 0. Give 1 or more"),
        ({"width": 2.5}, "width is 2.5. Give a whole number"),
    ],
)
def test_volumes_that_cannot_be(options, text):
    with pytest.raises(ConfigError, match=text):
        halo_volumes(Grid.full(64), (2, 2), **{"width": 5, "column_bytes": 8} | options)


def test_what_is_no_grid():
    with pytest.raises(ConfigError, match=r"grid is 3. Give a Grid"):
        width_for(3, 60, 600)
    with pytest.raises(ConfigError, match=r"grid is 3. Give a Grid"):
        halo_volumes(3, (2, 2), width=5, column_bytes=8)
