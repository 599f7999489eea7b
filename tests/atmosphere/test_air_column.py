"""Vertical acoustic oscillations of a nonhydrostatic column against theory."""

import numpy as np
import pytest

from halcyon.atmosphere.levels import interfaces
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import AIR, AT_REST, PLANET
from tests.support import meshes


def lowest_mode(top):
    """The lowest mode of an isothermal column between the surface and a constant-pressure top: nu and
    frequency.

    phi'' = (g^2 gamma / R T) d/dp (p^2 dphi'/dp), phi' = 0 at the surface, dphi'/dp = 0 at the top: p^(-1/2)
    sin(nu ln(ps/p)) with tan(nu X) = -2 nu, X = ln(ps/p_top), omega^2 = (g^2 gamma / R T) (nu^2 + 1/4)."""
    depth = np.log(AIR.reference_pressure / top)
    low, high = 0.5 * np.pi / depth + 1e-9, np.pi / depth
    for _ in range(60):
        nu = (low + high) / 2
        low, high = (nu, high) if np.tan(nu * depth) + 2 * nu < 0 else (low, nu)
    gamma = AIR.heat_capacity / (AIR.heat_capacity - AIR.gas_constant)
    return nu, PLANET.gravity * np.sqrt(gamma / (AIR.gas_constant * 300) * (nu**2 + 0.25))


def oscillation(off_centring, **settings):
    """Returns w (step, interface) of a resting column excited in its lowest mode, and that mode; the step is
    1/40 of its period."""
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
    found = [wind[0].copy()]
    for _ in range(200):
        core.step(step_s)
        assert np.ptp(wind, axis=0).max() < 1e-12
        found.append(wind[0].copy())
    return np.array(found), mode


def test_a_column_rings_in_its_lowest_mode():
    found, mode = oscillation(0.5)
    phase = 2 * np.pi * np.arange(len(found)) / 40
    amplitude = found @ mode / (mode @ mode)
    assert np.corrcoef(amplitude, np.cos(phase))[0, 1] > 0.99
    turn = np.angle((amplitude[160:200] * np.exp(-1j * phase[160:200])).sum())
    assert abs(turn) < 0.02 * 2 * np.pi * 4.5  # period within 2 %, after 4 to 5 periods
    assert np.ptp(amplitude[160:]) > 0.9 * np.ptp(amplitude[:40])
    rest = found - amplitude[:, None] * mode
    assert abs(rest).max() < 0.05 * abs(found).max()


def test_off_centring_and_sponge_bring_a_column_to_rest():
    def left(*args, **settings):
        found = oscillation(*args, **settings)[0]
        return np.ptp(found[-40:]) / np.ptp(found[:40])

    centred, off, damped = left(0.5), left(0.55), left(0.5, sponge_pressure=3e4, sponge_rate=0.005)
    assert centred == pytest.approx(1, abs=0.01)
    assert off == pytest.approx(np.exp(-0.05 * (2 * np.pi / 40) ** 2 * 160), rel=0.02)  # after 160 steps
    assert damped < 0.6
