"""Vertical acoustic oscillations of a nonhydrostatic column against theory."""

import numpy as np
import pytest

from halcyon.atmosphere.levels import interfaces
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import AIR, AT_REST, PLANET
from tests.support import meshes


def lowest_mode(top):
    """Vertical wavenumber nu and frequency omega [s-1] of the lowest mode of an isothermal column between the
    surface and a top of constant pressure [Pa].

    The geopotential perturbation phi satisfies d2phi/dt2 = (g^2 gamma / R T) d/dp (p^2 dphi/dp) with phi = 0
    at the surface and dphi/dp = 0 at the top. The mode is p^(-1/2) sin(nu ln(ps/p)) with tan(nu X) = -2 nu,
    X = ln(ps/p_top), and omega^2 = (g^2 gamma / R T) (nu^2 + 1/4)."""
    depth = np.log(AIR.reference_pressure / top)
    low, high = 0.5 * np.pi / depth + 1e-9, np.pi / depth
    for _ in range(60):
        nu = (low + high) / 2
        low, high = (nu, high) if np.tan(nu * depth) + 2 * nu < 0 else (low, nu)
    gamma = AIR.heat_capacity / (AIR.heat_capacity - AIR.gas_constant)
    return nu, PLANET.gravity * np.sqrt(gamma / (AIR.gas_constant * 300) * (nu**2 + 0.25))


def oscillation(off_centring, **settings):
    """Vertical wind w [m s-1] (step, interface) of a resting column excited in its lowest mode, and the mode
    (interface); the step is 1/40 of the mode's period."""
    nu, frequency = lowest_mode(5000.0)
    a, b = interfaces(40, 5000.0, spacing="height")
    settings |= {"count": 40, "levels": {"spacing": "height"}, "off_centring": off_centring}
    core = atmosphere_states.core(meshes.globe(1), "nonhydrostatic", **AT_REST, **settings)
    pressure = a + b * AIR.reference_pressure
    mode = (pressure / AIR.reference_pressure) ** -0.5 * np.sin(
        nu * np.log(AIR.reference_pressure / pressure)
    )
    wind = core.prognostic("upward_wind_at_interfaces")
    wind[:] = 0.001 * mode
    step_s = 2 * np.pi / frequency / 40
    history = [wind[0].copy()]
    for _ in range(200):
        core.step(step_s)
        assert np.ptp(wind, axis=0).max() < 1e-12
        history.append(wind[0].copy())
    return np.array(history), mode


def test_a_column_rings_in_its_lowest_mode():
    """Without off-centring w keeps its amplitude, its form to 5 % and the mode's period to 2 %."""
    wind, mode = oscillation(0.5)
    phase = 2 * np.pi * np.arange(len(wind)) / 40
    amplitude = wind @ mode / (mode @ mode)
    assert np.corrcoef(amplitude, np.cos(phase))[0, 1] > 0.99
    phase_shift = np.angle((amplitude[160:200] * np.exp(-1j * phase[160:200])).sum())
    assert abs(phase_shift) < 0.02 * 2 * np.pi * 4.5  # period within 2 %, after 4 to 5 periods
    assert np.ptp(amplitude[160:]) > 0.9 * np.ptp(amplitude[:40])
    remainder = wind - amplitude[:, None] * mode
    assert abs(remainder).max() < 0.05 * abs(wind).max()


def test_off_centring_and_sponge_bring_a_column_to_rest():
    """Off-centring damps by theory, exp(-(2 alpha - 1) (omega dt)^2 / 2) per step; a sponge damps too."""

    def remaining_amplitude(*args, **settings):
        wind = oscillation(*args, **settings)[0]
        return np.ptp(wind[-40:]) / np.ptp(wind[:40])

    centred, off_centred = remaining_amplitude(0.5), remaining_amplitude(0.55)
    damped = remaining_amplitude(0.5, sponge_pressure=3e4, sponge_rate=0.005)
    assert centred == pytest.approx(1, abs=0.01)
    assert off_centred == pytest.approx(
        np.exp(-0.05 * (2 * np.pi / 40) ** 2 * 160), rel=0.02
    )  # after 160 steps
    assert damped < 0.6
