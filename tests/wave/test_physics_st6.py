"""The terms of ST6 against their formulas (Zieger et al. 2015; Rogers et al. 2012; Liu et al. 2019)."""

import numpy as np
import pytest

from halcyon.wave import SpectralGrid, jonswap, make_physics, wavenumbers

G, RATIO = 9.80616, 1.225 / 1000  # gravity [m s-2], density of air over water
GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
SEA = jonswap(GRID, peak_frequency=0.12, alpha=0.012, gamma=2, direction=0.7)
DENSITY = SEA.astype(float) * GRID.sigma[:, None]
TOWARDS = 0.5  # direction of the wind [rad]


def evaluate(action=SEA, *, depth=5000.0, speed=15.0, **options):
    """Source terms [m2 rad-1], u* [m s-1], wavenumbers [m-1] and group speeds [m s-1] of one cell."""
    depths = np.array([depth], np.float32)
    wind = [np.array([speed * part(TOWARDS)], np.float32) for part in (np.sin, np.cos)]
    k, physics = wavenumbers(GRID, depths), make_physics("st6", GRID, **options)
    terms = physics.terms(action[None].copy(), 0, depths, k, *wind)
    u = float(physics.surface(action[None].copy(), depths, k, *wind)["friction_velocity"][0])
    k = k[0].astype(float)
    kd = np.minimum(k * depth, 30)
    return terms, u, k, 0.5 * GRID.sigma / k * (1 + 2 * kd / np.sinh(2 * kd))


def growth(steepness):
    """G sqrt(B_n) W of sqrt(B_n) W."""
    return (2.8 - (1 + np.tanh(10 * steepness - 11))) * steepness


def unreduced_input(u, k, group_speed):
    """Rates [s-1] by following and by adverse winds, before the reduction by the stress."""
    narrowness = DENSITY.max(1) / np.maximum(DENSITY.sum(1) * GRID.direction_width, 1e-30)
    wavenumber_action = DENSITY.sum(1) * GRID.direction_width * group_speed / (2 * np.pi * GRID.sigma)
    root_saturation = np.sqrt(narrowness * wavenumber_action * GRID.sigma * k**3)[:, None]
    forcing = 32 * u * (k / GRID.sigma)[:, None] * np.cos(GRID.direction - TOWARDS) - 1
    scale = RATIO * GRID.sigma[:, None]
    following = scale * growth(root_saturation * np.maximum(0, forcing) ** 2)
    return following, -0.09 * scale * growth(root_saturation * np.minimum(0, forcing) ** 2), root_saturation


@pytest.mark.parametrize("depth", [12.0, 5000.0])
def test_wind_input_is_within_the_stress(depth):
    """Following winds give the published growth, reduced by exp(mu (1 - U_s/c)) so that the stress of the
    waves to 10 Hz and of the viscosity is that of the wind; adverse winds damp."""
    terms, u, k, group_speed = evaluate(depth=depth)
    following, adverse, _ = unreduced_input(u, k, group_speed)
    rates = terms["wind_input"] / np.maximum(DENSITY, 1e-12)
    waves = DENSITY > 1e-8
    assert np.allclose(
        rates[waves & (following == 0)], adverse[waves & (following == 0)], rtol=1e-3, atol=1e-9
    )
    downwind = np.argmax(np.cos(GRID.direction - TOWARDS))
    factor = rates[:, downwind] / np.maximum(following[:, downwind], 1e-12)
    forced = waves[:, downwind] & (32 * u * k / GRID.sigma > 1.2)
    mu = np.log(factor[forced]) / (1 - 32 * u * k / GRID.sigma)[forced]
    assert mu.min() > 0 and np.allclose(mu, np.median(mu), rtol=5e-3)

    n = int(np.ceil(np.log(10 / GRID.frequency[0]) / np.log(1.1))) + 1
    f = GRID.frequency[0] * 1.1 ** np.arange(n)
    inverse_speed = np.append(k / GRID.sigma, 2 * np.pi * f[35:] / G)
    width = 0.5 * f * (1.1 - 1 / 1.1)
    width[0], width[-1] = 0.5 * f[0] * 0.1, 0.5 * f[-1] * (1 - 1 / 1.1)
    unreduced = following * DENSITY * GRID.direction_width
    stress = []
    for part in (np.sin, np.cos):
        source = (unreduced * part(GRID.direction)).sum(1)
        source = np.append(source, source[-1] * (f[34] / f[35:]) ** 2)
        reduced = source * np.exp(np.median(mu) * np.minimum(0, 1 - 32 * u * inverse_speed))
        viscous = (1.1e-3 - 5e-5 * 15) * 15**2 * part(TOWARDS)
        stress.append((reduced * inverse_speed * width).sum() * G / RATIO + viscous)
    assert np.hypot(*stress) == pytest.approx(u**2, rel=2e-3)


def test_whitecapping_has_an_inherent_and_a_forced_part():
    terms, _, k, group_speed = evaluate()
    density = DENSITY.sum(1) * GRID.direction_width
    threshold = 2 * np.pi * 0.035**2 / (group_speed * k**3)
    excess = np.maximum(0, density / threshold - 1) ** 4
    rate = 4.75e-6 * GRID.frequency * excess
    rate += 7e-5 * np.array([np.trapezoid(excess[: i + 1], GRID.frequency[: i + 1]) for i in range(35)])
    expected = -rate[:, None] * DENSITY
    assert np.allclose(terms["whitecapping"], expected, rtol=2e-3, atol=1e-6 * -expected.min())


def test_swell_loses_energy_to_turbulence():
    terms, u, k, group_speed = evaluate()
    _, _, root_saturation = unreduced_input(u, k, group_speed)
    sizes = (GRID.frequency_width * GRID.direction_width)[:, None]
    tail = DENSITY[-1].sum() * GRID.direction_width * GRID.frequency[-1] / 4
    peak = np.argmax(DENSITY.sum(1) * group_speed / GRID.sigma)
    b1 = 0.0041 * 2 * np.sqrt((DENSITY * sizes).sum() + tail) * k[peak]
    expected = -2 / 3 * b1 * GRID.sigma[:, None] * root_saturation * DENSITY
    assert np.allclose(terms["swell_damping"], expected, rtol=1e-3, atol=1e-6 * -expected.min())


@pytest.mark.parametrize(("speed", "drag"), [(10.0, 16.128e-4), (30.2, 22.669e-4), (60.0, 2.026**2 / 3600)])
def test_drag_is_that_of_hwang(speed, drag):
    """The drag has its maximum near 30 m/s; beyond 50.33 m/s the stress is constant."""
    assert evaluate(speed=speed)[1] == pytest.approx(speed * np.sqrt(drag), rel=1e-4)
    assert evaluate(speed=speed, drag_factor=1.08)[1] == pytest.approx(speed * np.sqrt(1.08 * drag), rel=1e-4)
