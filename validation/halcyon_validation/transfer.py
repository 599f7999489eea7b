"""Nonlinear transfer of a JONSWAP spectrum: discrete interaction approximation and exact integral."""

from __future__ import annotations

import numpy as np

from halcyon.wave import SpectralGrid, exact_transfer, jonswap, make_physics, wavenumbers
from halcyon_validation.check import Check, Outcome, near
from halcyon_validation.figures import lines

PEAK = 0.1  # Hz
_G = 9.80616


def transfers(grid: SpectralGrid, *, gamma: float = 3.3, points: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Rates [m2 rad-1] (frequency, direction) by the approximation and by the exact integral, for a JONSWAP
    spectrum with alpha = 0.01. points: resolution of the integral."""
    sea = jonswap(grid, peak_frequency=PEAK, alpha=0.01, gamma=gamma)
    depth, calm = np.array([5000], np.float32), np.zeros(1, np.float32)
    terms = make_physics("wam3", grid).terms(sea[None].copy(), 0, depth, wavenumbers(grid, depth), calm, calm)
    exact = exact_transfer(grid, sea.astype(float) * grid.sigma[:, None], points=points)
    return terms["nonlinear"].astype(float), exact


def imbalances(grid: SpectralGrid, rates: np.ndarray) -> dict[str, float]:
    """Net gain of energy, action and momentum, relative to the sums of absolute rates."""
    sigma = grid.sigma[:, None]
    rates = rates * (grid.frequency_width * grid.direction_width)[:, None]  # energy [m2 s-1] of each bin
    weights = {"energy": 1, "action": 1 / sigma, "momentum": sigma / _G * np.cos(grid.direction)}
    # The denominator sums sigma^p |rate|, without directions; p = 0 energy, -1 action, 1 momentum.
    return {
        name: float((weight * rates).sum() / np.abs(sigma**p * rates).sum() * (1 if p != 1 else _G))
        for (name, weight), p in zip(weights.items(), (0, -1, 1), strict=True)
    }


def nonlinear_transfer() -> Outcome:
    """The discrete interaction approximation and the exact integral: both conserve energy, action and
    momentum; their positive lobes are of similar size, the negative lobe of the approximation is larger."""
    grid = SpectralGrid(frequencies=28, first_frequency=0.05, ratio=1.1, directions=36)
    found = dict(zip(("approximation", "full integral"), transfers(grid), strict=True))
    lobes = {name: rates.sum(1) * grid.direction_width for name, rates in found.items()}
    checks = []
    for name, rates in found.items():
        for quantity, value in imbalances(grid, rates).items():
            bound = 5e-3 if quantity == "momentum" else 1e-6
            checks.append(Check(f"{name}: gain of {quantity} over exchange", value, -bound, bound))
        position = grid.frequency[lobes[name].argmax()] / PEAK
        checks.append(Check(f"{name}: frequency of the positive lobe, f/fp", float(position), 0.85, 1.05))
    positive = lobes["approximation"].max() / lobes["full integral"].max()
    negative = lobes["approximation"].min() / lobes["full integral"].min()
    source = "Hasselmann et al. (1985)"
    checks.append(near("positive lobe over that of the integral", float(positive), 1, 0.3, source=source))
    checks.append(Check("negative lobe over that of the integral", float(negative), 1, 6, source=source))
    labels = {"xlabel": "f / fp", "ylabel": "S_nl [m2]", "xlim": (0.5, 3)}
    return Outcome(checks, {"Nonlinear transfer": lines(lobes, grid.frequency / PEAK, **labels)})
