"""Wind input in balance with the wave stress, swell damping and whitecapping, against their formulas."""

import numpy as np
import pytest
from scipy.special import kei, ker

from halcyon.wave import SpectralGrid, jonswap, make_physics, wavenumbers
from halcyon_validation.growth_runs import PointRow, duration_growth

G, KAPPA = 9.80616, 0.4  # gravity [m s-2], von Karman's constant
GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
SEA = jonswap(GRID, peak_frequency=0.12, alpha=0.012, gamma=2, direction=0.7)
DENSITY = SEA.astype(float) * GRID.sigma[:, None]
DENSITY_RATIO = 1.225 / 1000  # of air to water
BIN_SIZES = (GRID.frequency_width * GRID.direction_width)[:, None]


def single(value):
    """An array of one cell."""
    return np.array([value], np.float32)


def evaluate(name="ard", *, action=SEA, depth=5000.0, speed=15.0, towards=0.5, **options):
    """Source terms [m2 rad-1], surface state and wavenumbers [m-1] of one cell, in a wind towards 0.5 rad."""
    wind = single(speed * np.sin(towards)), single(speed * np.cos(towards))
    k = wavenumbers(GRID, single(depth))
    physics, action = make_physics(name, GRID, **options), action[None].copy()
    terms = physics.terms(action, 0, single(depth), k, *wind)
    surface = physics.surface(action, single(depth), k, *wind)
    return terms, {key: float(value[0]) for key, value in surface.items()}, k[0].astype(float)


def miles(u, z0, k, *, betamax, shift, shifted):
    """Growth rates [s-1] (frequency, direction) of Janssen (1991) in a wind towards 0.5 rad; u: u* [m s-1];
    shifted: whether the shift of the wave age is also added outside the exponent, as wam4 does."""
    cosine = np.cos(GRID.direction - 0.5)[None]
    ratio = (u * k / GRID.sigma)[:, None]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        z = np.log(k * z0)[:, None] + KAPPA / ((ratio + shift) * cosine)
        x = ratio + (shift if shifted else 0)
        growth = (
            GRID.sigma[:, None] * DENSITY_RATIO * betamax / KAPPA**2 * np.exp(z) * z**4 * (x * cosine) ** 2
        )
    return np.where((cosine > 0.01) & (z < 0), growth, 0)


@pytest.mark.parametrize("speed", [6.0, 15.0, 30.0])
@pytest.mark.parametrize("depth", [12.0, 5000.0])
@pytest.mark.parametrize(("name", "betamax", "shifted"), [("wam4", 1.2, True), ("ard", 1.4, False)])
def test_wind_input(name, betamax, shifted, speed, depth):
    """wam4 and ard, without sheltering, have Janssen's growth rates times the density."""
    check_wind_input(name, betamax, 0.008, shifted, speed, depth)


@pytest.mark.parametrize(("name", "betamax"), [("test451", 1.52), ("test471", 1.43)])
def test_wind_input_of_wavewatch(name, betamax):
    check_wind_input(name, betamax, 0.006, True, 15.0, 5000.0)


def check_wind_input(name, betamax, shift, shifted, speed, depth):
    options = {} if name == "wam4" else {"sheltering": 0}
    terms, surface, k = evaluate(name, speed=speed, depth=depth, **options)
    u, z0 = surface["friction_velocity"], surface["roughness_length"]
    expected = miles(u, z0, k, betamax=betamax, shift=shift, shifted=shifted) * DENSITY
    assert np.allclose(terms["wind_input"], expected, rtol=2e-3, atol=1e-4 * expected.max())


def wave_stress(terms, k, u, z0, betamax, charnock):
    """tau_w/rho_a [m2 s-2] from the wind input, with the integral over the tail by a fine quadrature."""
    cosine, sine = np.cos(GRID.direction), np.sin(GRID.direction)
    momentum_input = (
        terms["wind_input"].astype(float) * (G / DENSITY_RATIO * k / GRID.sigma)[:, None] * BIN_SIZES
    )
    tail_density = (
        DENSITY[-1] * np.maximum(0, np.cos(GRID.direction - 0.5)) ** 3
    ).sum() * GRID.direction_width
    y = np.linspace(np.log(GRID.sigma[-1] * np.sqrt(z0 / G)), 0, 4001)
    z = np.minimum(0, 2 * y + KAPPA / (u * np.exp(y) / np.sqrt(G * z0) + 0.008))
    tail_stress = np.trapezoid(z**4 * np.exp(z), y) * betamax / KAPPA**2 * u**2
    tail_stress *= (2 * np.pi) ** 4 * GRID.frequency[-1] ** 5 / G**2 * tail_density
    return np.hypot(
        (momentum_input * sine).sum() + tail_stress * np.sin(0.5),
        (momentum_input * cosine).sum() + tail_stress * np.cos(0.5),
    )


@pytest.mark.parametrize(("name", "betamax"), [("wam4", 1.2), ("ard", 1.4)])
def test_stress_of_wind_and_waves_balance(name, betamax):
    """After many passes u*, z0 and tau_w satisfy the equations of the wind profile over waves."""
    options = {"sheltering": 0, "air_density": 1.225} if name == "ard" else {}
    terms, surface, k = evaluate(name, speed=12.0, stress_passes=20, drag_cap=1, **options)
    u, z0 = surface["friction_velocity"], surface["roughness_length"]
    tau_w = wave_stress(terms, k, u, z0, betamax, 0.0065)
    assert 0.2 * u**2 < tau_w < u**2
    assert z0 == pytest.approx(0.0065 / G * u**2 / np.sqrt(1 - tau_w / u**2), rel=0.03)
    assert u == pytest.approx(KAPPA * 12 / np.log(10 / (z0 + 0.11 * 1.5e-5 / u)), rel=1e-3)


def test_surface_stress_points_with_the_wind():
    _, surface, _ = evaluate(speed=12.0)
    stress = 1.225 * surface["friction_velocity"] ** 2
    assert surface["eastward_stress"] == pytest.approx(stress * np.sin(0.5), rel=1e-5)
    assert surface["northward_stress"] == pytest.approx(stress * np.cos(0.5), rel=1e-5)


@pytest.mark.parametrize("name", ["wam3", "wam4", "ard"])
def test_drag_is_capped(name):
    _, surface, _ = evaluate(name, speed=45.0, drag_cap=2e-3)
    assert surface["friction_velocity"] == pytest.approx(45 * np.sqrt(2e-3), rel=1e-5)


def test_fvwam_drag_is_not_capped():
    _, surface, _ = evaluate("fvwam", speed=45.0)
    assert surface["friction_velocity"] > 45 * np.sqrt(2.5e-3)


def test_sheltering_takes_from_short_waves():
    """Sheltering lowers the input of high frequencies by more than 2 %, and hardly that of the lowest."""
    plain, sheltered = (evaluate(sheltering=s)[0]["wind_input"].sum(1) for s in (0, 0.5))
    assert sheltered[30] < 0.98 * plain[30]
    assert sheltered[0] == pytest.approx(plain[0], rel=0.05, abs=1e-12)


def friction_factor(ratio):
    """f_e of a/z0: f = 0.08 / (ker^2 + kei^2)(2 sqrt(z)), z = 1/(21.2 kappa ratio sqrt(f)), by iteration."""
    f = 0.05
    for _ in range(200):
        x = 2 * np.sqrt(1 / (21.2 * KAPPA * ratio * np.sqrt(f)))
        f = 0.5 * (f + 0.08 / (ker(x) ** 2 + kei(x) ** 2))
    return f


# s1, s3, s4, s7, s6 and the largest roughness [m] of swell damping.
IFS, TEST471 = (0.66, 0.022, 1.5e5, 3.6e5, 1, 5e-4), (0.66, 0.022, 1.5e5, 3.6e5, 0, 1.002)
TEST451 = (0.8, 0.015, 1e5, 2.3e5, 0, 1.002)


@pytest.mark.parametrize("peak", [0.05, 0.1, 0.3])
def test_swell_damping(peak):
    """Swell damping is that of Ardhuin et al. (2010): turbulent and viscous parts weighted by the
    Reynolds number."""
    check_swell_damping("ard", peak, *IFS)


@pytest.mark.parametrize(("name", "constants"), [("test451", TEST451), ("test471", TEST471)])
def test_swell_damping_of_wavewatch(name, constants):
    check_swell_damping(name, 0.1, *constants)


def check_swell_damping(name, peak, s1, s3, s4, s7, s6, largest_roughness):
    action = jonswap(GRID, peak_frequency=peak, alpha=0.008, gamma=2, direction=0.7)
    density = action.astype(float) * GRID.sigma[:, None]
    terms, surface, k = evaluate(name, action=action, sheltering=0)
    u, z0 = surface["friction_velocity"], surface["roughness_length"]
    tail = density[-1].sum() * GRID.direction_width * GRID.frequency[-1] / 4
    excursion = 2 * np.sqrt((density * BIN_SIZES).sum() + tail)
    orbital = 2 * np.sqrt((density * BIN_SIZES * GRID.sigma[:, None] ** 2).sum())
    rough = max(0.04 * min(largest_roughness, z0), 0.11 * 1.5e-5 / u)
    turbulent = 0.5 + 0.5 * np.tanh(
        (4 * orbital * excursion / 1.5e-5 * (excursion / 2) ** (1 - s6) - s4) / s7
    )
    sigma, cosine = GRID.sigma[:, None], np.cos(GRID.direction - 0.5)
    air = friction_factor(excursion / rough) * orbital + (s3 - 0.018 * cosine) * u
    rate = s1 * turbulent * 16 * sigma**2 / G * air
    rate = rate + 1.2 * (1 - turbulent) * 2 * k[:, None] * np.sqrt(2 * 1.5e-5 * sigma)
    expected = -DENSITY_RATIO * rate * density
    assert np.allclose(terms["swell_damping"], expected, rtol=0.02, atol=1e-3 * -expected.min())


def saturation(density, k, depth, half_width=8):
    """Saturation B(k, theta): k^3 cg F / (2 pi), weighted by cos^2 and integrated over a sector of half_width
    bins on each side."""
    kd = np.minimum(k * depth, 30)
    group = 0.5 * GRID.sigma / k * (1 + 2 * kd / np.sinh(2 * kd))
    total = np.zeros_like(density)
    for j in range(-half_width, half_width + 1):
        width = GRID.direction_width / (2 if abs(j) == half_width else 1)
        total += np.roll(density, -j, axis=1) * width * np.cos(j * GRID.direction_width) ** 2
    return total * (k**3 * group / (2 * np.pi))[:, None]


@pytest.mark.parametrize("depth", [8.0, 5000.0])
def test_breaking_by_saturation(depth):
    """Whitecapping of ard is that of Ardhuin et al. (2010) without the cumulative term."""
    terms, _, k = evaluate(depth=depth)
    b = saturation(DENSITY, k, depth)
    directional, isotropic = (np.maximum(0, x / 9e-4 - 1) ** 2 for x in (b, b.max(1, keepdims=True)))
    expected = -2.2e-5 * GRID.sigma[:, None] * (0.3 * isotropic + 0.7 * directional) * DENSITY
    assert np.allclose(terms["whitecapping"], expected, rtol=2e-3, atol=1e-4 * -expected.min())


def test_large_breakers_sweep_away_short_waves():
    """The cumulative term is that of Ardhuin et al. (2010), summed directly over the longer waves n of
    wave m."""
    plain, _, k = evaluate()
    cumulative, _, _ = evaluate(cumulative=0.4)
    m, b = 30, saturation(DENSITY, k, 5000.0)
    waves = DENSITY[m] > 0
    rate = (cumulative["whitecapping"] - plain["whitecapping"])[m, waves] / -DENSITY[m, waves]
    expected, c = 0.0, GRID.sigma / k
    for n in range(m - 7 + 1):
        crests = np.maximum(np.sqrt(b[n]) - 0.03, 0) ** 2
        angle = GRID.direction[:, None] - GRID.direction
        speed = np.sqrt(np.maximum(0, c[m] ** 2 + c[n] ** 2 - 2 * c[m] * c[n] * np.cos(angle)))
        end_weight = 0.5 if n in (0, m - 7) else 1.0
        wavenumber_bin = GRID.sigma[n] * np.log(1.1) * GRID.direction_width / (0.5 * c[n])
        expected = expected + end_weight * wavenumber_bin * speed @ crests
    expected = 0.4 * 28.16 / (2 * np.pi**2) * expected
    assert rate == pytest.approx(expected[waves], rel=0.02)


@pytest.mark.parametrize("means", ["first", "inverse"])
def test_whitecapping_of_wam4(means):
    """Whitecapping of wam4 is that of Komen et al. (1994, eq. 3.34), with the mean frequency from the
    first or the inverse moment."""
    terms, _, k = evaluate("wam4", whitecapping_means=means, whitecapping=2.0, whitecapping_shape=0.4)
    f, last_f = GRID.frequency, GRID.frequency[-1]
    last_density = DENSITY[-1].sum() * GRID.direction_width

    def integral(power):
        """The integral of F f^power, with the f^-5 tail beyond the last frequency."""
        tail = last_density * last_f ** (1 + power) / (4 - power)
        return (DENSITY * BIN_SIZES * f[:, None] ** power).sum() + tail

    m0 = integral(0)
    mean_f = integral(1) / m0 if means == "first" else m0 / integral(-1)
    mean_k = (2 * np.pi * mean_f) ** 2 / G  # sqrt(k) is proportional to f in deep water
    ratio = (k / mean_k)[:, None]
    rate = 2.0 * 2 * np.pi * mean_f * (mean_k**2 * m0) ** 2 * ratio * (0.6 + 0.4 * ratio)
    assert np.allclose(terms["whitecapping"], -rate * DENSITY, rtol=1e-3)


@pytest.mark.parametrize("depth", [2.0, 4.0, 8.0])
def test_depth_breaking(depth):
    """Depth breaking is that of Battjes and Janssen (1978); the fraction q of breaking waves is found by
    iteration."""
    terms, _, _ = evaluate(depth=depth)
    tail = DENSITY[-1].sum() * GRID.direction_width
    m0 = (DENSITY * BIN_SIZES).sum() + tail * GRID.frequency[-1] / 4
    mean_f = m0 / ((DENSITY * BIN_SIZES / GRID.frequency[:, None]).sum() + tail / 5)
    b, q = 8 * m0 / (0.8 * depth) ** 2, 0.0
    for _ in range(1000):
        q = np.exp((q - 1) / b)
    expected = -2 * mean_f * (q / b if b < 1 else 1.0) * DENSITY
    assert np.allclose(terms["depth_breaking"], expected, rtol=1e-3, atol=1e-5 * DENSITY.max())


@pytest.mark.parametrize("name", ["wam3", "wam4", "ard", "st6", "fvwam"])
@pytest.mark.parametrize("speed", [0.0, 1e-4, 0.01])
def test_a_calm_sea_is_smooth(name, speed):
    """The roughness is not that of the drag cap, which any stress exceeds in a calm."""
    _, surface, _ = evaluate(name, speed=speed)
    assert 0 < surface["roughness_length"] < 1e-5
    assert surface["friction_velocity"] < 4e-3


def sea_of(name, speed, hours, passes):
    """Height [m] and friction velocity [m s-1] after `hours` of wind on a flat sea."""
    seas = duration_growth(name, speed, (hours,), stress_passes=passes)
    return seas.height[0], seas.friction_velocity[0]


@pytest.mark.parametrize("name", ["wam4", "ard", "fvwam"])
@pytest.mark.parametrize("speed", [15.0, 45.0])
def test_the_kept_stress_makes_passes_equal(name, speed):
    """After a day 2 and 20 passes differ by less than 2 % in height and friction velocity, since the stress
    converges over the steps."""
    assert sea_of(name, speed, 24, 2) == pytest.approx(sea_of(name, speed, 24, 20), rel=0.02)


@pytest.mark.parametrize("name", ["wam4", "ard"])
def test_the_default_passes_converge_in_young_seas(name):
    assert sea_of(name, 15.0, 2, 8) == pytest.approx(sea_of(name, 15.0, 2, 20), rel=0.01)


def test_the_stress_of_the_last_step_sets_the_drag():
    """The roughness of fvwam before its first evaluation is that of the kept stress."""
    wind, k = (single(0), single(15)), wavenumbers(GRID, single(5000))
    physics = make_physics("fvwam", GRID, stress_passes=1)
    for stress in (0.0, 0.3):
        surface = physics.surface(SEA[None].copy(), single(5000), k, *wind, single(stress))
        u, z0 = surface["friction_velocity"][0], surface["roughness_length"][0]
        assert z0 == pytest.approx(0.006 / G * u**2 / np.sqrt(1 - stress / u**2), rel=1e-3)


@pytest.mark.parametrize("name", ["wam4", "ard", "fvwam"])
def test_a_gale_that_drops_leaves_no_drag(name):
    """After a day of 45 m/s a wind of 10 m/s has a drag coefficient below 2.5e-3 within 3 hours: the kept
    stress follows the wind."""
    row = PointRow(name, 45.0, 5000.0)
    for _ in range(144):
        row.step_sources(600.0)
    row.wind[1][:] = 10
    for _ in range(18):
        row.step_sources(600.0)
    assert (row.sea_states().friction_velocity[0] / 10) ** 2 < 2.5e-3


def test_a_calm_does_not_heap_up_stress():
    """In light wind the kept stress stays within the total stress of a smooth sea over many steps."""
    row = PointRow("fvwam", 0.01, 5000.0)
    for _ in range(100):
        row.step_sources(600.0)
    assert row.sea_states().friction_velocity[0] < 4e-3
