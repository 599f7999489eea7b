"""The discrete interaction approximation against its definition and its conservation laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halcyon.base import ConfigError
from halcyon.wave import SpectralGrid, jonswap, make_physics, wavenumbers

G = 9.80616
GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
DEEP = np.array([5000], np.float32)
CALM = np.zeros(1, np.float32)


def bin_sizes(grid):
    """Size of the spectral bins [Hz rad] (frequency, 1)."""
    return (grid.frequency_width * grid.direction_width)[:, None]


def transfer(action, grid=GRID, depth=DEEP):
    """The nonlinear transfer of the variance density [m2 Hz-1 rad-1] of a spectrum of action."""
    physics = make_physics("wam3", grid)
    spectra = action[None].astype(np.float32)
    terms = physics.terms(spectra, 0, depth, wavenumbers(grid, depth), CALM, CALM)
    return terms["nonlinear"].astype(float)


def quadruplet_points(grid, m, k, side):
    """Yields the bins and bilinear weights of the waves + and - (1.25 and 0.75 times the frequency) of the
    quadruplet at frequency m and direction k, without bins below the first frequency; None where a wave is
    beyond the last frequency. side (1 or -1) chooses one of the two mirrored quadruplets."""
    for relative, angle in (
        (1.25, np.arccos((1 + 0.5 + 2 / 64) / 1.25**2)),
        (0.75, -np.arccos((1 - 0.5 - 2 / 64) / 0.75**2)),
    ):
        bins_above = int(np.floor(np.log(relative) / np.log(grid.ratio)))
        low = m + bins_above
        if low + 1 >= grid.n_frequencies:
            yield None
            continue
        frequency_weight = (relative / grid.ratio**bins_above - 1) / (grid.ratio - 1)
        position = k + side * angle / grid.direction_width
        left = int(np.floor(position))
        direction_weight = position - left
        n = grid.n_directions
        corners = [
            (low, left % n, (1 - frequency_weight) * (1 - direction_weight)),
            (low, (left + 1) % n, (1 - frequency_weight) * direction_weight),
            (low + 1, left % n, frequency_weight * (1 - direction_weight)),
            (low + 1, (left + 1) % n, frequency_weight * direction_weight),
        ]
        yield [corner for corner in corners if corner[0] >= 0]


def reference(density, grid):
    """The source S of a variance density and dS/dF of each bin, summed over the quadruplets in double
    precision (Hasselmann et al. 1985); e, p, q: densities of the central wave and of the waves + and -."""
    source, derivative = np.zeros_like(density), np.zeros_like(density)
    sigma, df = grid.sigma, grid.frequency_width
    for m in range(grid.n_frequencies):
        for k in range(grid.n_directions):
            for side in (1, -1):
                plus, minus = quadruplet_points(grid, m, k, side)
                if plus is None or minus is None:
                    continue
                e = density[m, k]
                p = sum(w * density[i, j] for i, j, w in plus)
                q = sum(w * density[i, j] for i, j, w in minus)
                c = 3e7 * G**-4 * grid.frequency[m] ** 11
                a, b, ab = 1.25**-4, 0.75**-4, 2 / (1 - 0.0625) ** 4
                rate = c * (e * e * (p * a + q * b) - ab * e * p * q)
                rate_by_e = c * (2 * e * (p * a + q * b) - ab * p * q)
                rate_by_p, rate_by_q = c * (e * e * a - ab * e * q), c * (e * e * b - ab * e * p)
                source[m, k] -= 2 * rate
                derivative[m, k] -= 2 * rate_by_e
                for points, rate_by_wave in ((plus, rate_by_p), (minus, rate_by_q)):
                    for i, j, w in points:
                        gain = w * (df[m] / sigma[m]) * (sigma[i] / df[i])
                        source[i, j] += gain * rate
                        derivative[i, j] += gain * w * rate_by_wave
    return source, derivative


# Peak frequency [Hz], peak enhancement gamma and direction [rad].
SEAS = [(0.08, 1.0, 0.0), (0.1, 3.3, 0.3), (0.15, 7.0, 2.0), (0.25, 3.3, 4.0), (0.4, 2.0, 5.5)]


@pytest.mark.parametrize(("peak", "gamma", "direction"), SEAS)
def test_conserves_energy_action_and_momentum(peak, gamma, direction):
    """The sum of the transfer over all bins vanishes, relative to the sum of its magnitudes."""
    s = transfer(
        jonswap(GRID, peak_frequency=peak, alpha=0.012, gamma=gamma, direction=direction)
    ) * bin_sizes(GRID)
    sigma = GRID.sigma[:, None]
    wavenumber = sigma**2 / G
    assert abs(s.sum()) < 1e-6 * np.abs(s).sum()
    assert abs((s / sigma).sum()) < 1e-6 * np.abs(s / sigma).sum()
    for component in (np.sin(GRID.direction), np.cos(GRID.direction)):
        momentum = wavenumber / sigma * s
        assert abs((momentum * component).sum()) < 5e-3 * np.abs(momentum).sum()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([(30, 24), (35, 36), (25, 17)]))
def test_conserves_energy_and_action_of_any_spectrum(seed, shape):
    """The spectra have no energy in the centres whose wave - is below the first frequency."""
    grid = SpectralGrid(frequencies=shape[0], first_frequency=0.04, ratio=1.1, directions=shape[1])
    action = np.random.default_rng(seed).uniform(0, 1, shape) * grid.frequency[:, None] ** -6 * 1e-5
    action[:4] = 0
    s = transfer(action, grid) * bin_sizes(grid)
    assert abs(s.sum()) < 1e-6 * np.abs(s).sum()
    assert abs((s / grid.sigma[:, None]).sum()) < 1e-6 * np.abs(s / grid.sigma[:, None]).sum()


@pytest.mark.parametrize("shift", [1, 9, 17, 35])
def test_rotates_with_the_spectrum(shift):
    """The transfer of a rotated spectrum is the rotated transfer, to the bit."""
    action = jonswap(GRID, peak_frequency=0.12, alpha=0.01, direction=0.4)
    assert np.array_equal(transfer(np.roll(action, shift, axis=1)), np.roll(transfer(action), shift, axis=1))


def test_energy_leaves_the_grid_at_the_first_frequency():
    """Action and energy of a sea that peaks at the second frequency flow out to longer waves."""
    s = transfer(jonswap(GRID, peak_frequency=0.038, alpha=0.01)) * bin_sizes(GRID)
    for lost in (s, s / GRID.sigma[:, None]):
        assert -0.5 < lost.sum() / np.abs(lost).sum() < -5e-3


@pytest.mark.parametrize(("directions", "peak"), [(36, 0.11), (24, 0.11), (24, 0.04)])
def test_equals_the_sum_over_quadruplets(directions, peak):
    """The transfer equals `reference`, relative to its largest value."""
    grid = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=directions)
    action = jonswap(grid, peak_frequency=peak, alpha=0.012, gamma=3.3, direction=1.0)
    expected, _ = reference(action.astype(float) * grid.sigma[:, None], grid)
    assert np.abs(transfer(action, grid) - expected).max() < 1e-5 * np.abs(expected).max()


def test_derivative_is_that_of_the_quadruplets():
    """A step of the transfer alone adds dt S / max(1, 1 - dt D), D = dS/dF summed over the quadruplets."""
    options = {"whitecapping": 0, "friction": 0, "linear_growth": False, "limiter": "none"}
    action = jonswap(GRID, peak_frequency=0.11, alpha=0.012, gamma=3.3, direction=1.0)
    stepped, dt = action[None].copy(), 900.0
    make_physics("wam3", GRID, **options).step(stepped, DEEP, wavenumbers(GRID, DEEP), CALM, CALM, dt)
    density = action.astype(float) * GRID.sigma[:, None]
    source, derivative = reference(density, GRID)
    expected = np.maximum(0, density + dt * source / np.maximum(1, 1 - dt * derivative))
    stepped_density = stepped[0] * GRID.sigma[:, None]
    prognostic = slice(0, 32)  # frequencies with complete quadruplets
    assert np.allclose(
        stepped_density[prognostic], expected[prognostic], rtol=2e-5, atol=1e-6 * density.max()
    )


@pytest.mark.parametrize(
    ("frequencies", "ratio", "shape", "text"),
    [
        (
            3,
            1.1,
            0.25,
            "of lambda 0.25 needs at least [78] frequencies of ratio 1.1, not 3. Set .*frequencies to",
        ),
        (
            35,
            1.0001,
            0.25,
            "at least 51.. frequencies of ratio 1.0001, not 35. Set mesh.spectrum.ratio to 1.1",
        ),
        (8, 1.1, 0.45, "of lambda 0.45 needs at least 1. .*, not 8. Set physics.lambda to 0.25"),
    ],
)
def test_a_spectrum_that_is_too_narrow_names_the_cause(frequencies, ratio, shape, text):
    """Grids without room for the quadruplets' frequencies are refused."""
    grid = SpectralGrid(frequencies=frequencies, first_frequency=0.0345, ratio=ratio, directions=36)
    with pytest.raises(ConfigError, match=text):
        make_physics("wam3", grid, **{"lambda": shape})


def test_is_stronger_in_shallow_water():
    """The transfer at a depth of 12 m is that of deep water times one factor above 1."""
    action = jonswap(GRID, peak_frequency=0.08, alpha=0.01)
    shallow = transfer(action, depth=np.array([12], np.float32))
    deep = transfer(action)
    ratio = shallow[np.abs(deep) > 0] / deep[np.abs(deep) > 0]
    assert ratio.min() > 1
    assert np.allclose(ratio, ratio[0], rtol=1e-5)
