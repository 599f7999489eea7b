"""Runs of the spectral model in a single process, for validation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halcyon import spectral
from halcyon.base import RunError
from halcyon.run.start.on_grid import set_start
from halcyon.transform import Grid
from halcyon_validation.atmosphere_runs import DAY_S, Run

GRIDS = {21: (32, 64), 42: (64, 128), 85: (128, 256)}  # rows and longitudes of quadratic grids, by truncation


def make_model(
    truncation: int,
    equations: str,
    start: str,
    *,
    options: dict[str, float] | None = None,
    grid: Grid | None = None,
    **settings,
) -> spectral.Model:
    """Makes a model with the initial state `start`, by default on the full quadratic grid of T21, T42 or T85.
    options: of the initial state; settings: of `halcyon.spectral.Model`."""
    model = spectral.Model(equations, truncation, grid or Grid.full(*GRIDS[truncation]), **settings)
    set_start(model, start, options)
    return model


def advance(
    model: spectral.Model, days: float, step_s: float, each_day: Callable[[], None] = lambda: None
) -> None:
    """Takes steps [s] that divide a day. Raises RunError for an invalid state."""
    per_day = round(DAY_S / step_s)
    for number in range(1, round(days * per_day) + 1):
        model.step(step_s)
        if number % per_day == 0:
            each_day()
    model.products([])  # checks the last state
    failure = model.failure
    if failure.point >= 0:
        raise RunError(
            f"{failure.variable} is {failure.value:g} at point {failure.point}, level {failure.level}."
        )


def l2(grid: Grid, values: np.ndarray, exact: np.ndarray) -> float:
    """Relative l2 error of values (point) (Williamson et al. 1992, equation 83)."""
    areas = grid.areas.ravel()
    return float(np.sqrt((areas * (values - exact) ** 2).sum() / (areas * exact**2).sum()))


class SpectralRun(Run):
    """Result of a run of the spectral model."""

    @property
    def changes(self) -> dict[str, float]:
        worst = np.abs(self.integrals / self.integrals[0] - 1).max(axis=0)
        return dict(zip(self.names, worst.tolist(), strict=True))

    def l2(self, name: str) -> float:
        """Relative l2 norm of the change of a product."""
        return self.norms(name)[1]


def run(model: spectral.Model, days: int, step_s: float, names: list[str]) -> SpectralRun:
    """Runs a model for `days`. names: products of the result at start and end."""
    first, integrals = model.products(names), [model.integrals()]
    advance(model, days, step_s, lambda: integrals.append(model.integrals()))
    rows = [row.name for row in model.integral_variables]
    areas = model.grid.areas.ravel()
    return SpectralRun(areas, rows, first, model.products(names), np.array(integrals))
