"""Runs of the spectral model on one process, for validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from halcyon import spectral
from halcyon.base import RunError
from halcyon.run.start.on_grid import points_of, set_start
from halcyon.transform import Grid

DAY_S = 86400.0
GRIDS = {21: (32, 64), 42: (64, 128), 85: (128, 256)}  # quadratic


def model_at(
    truncation: int,
    equations: str,
    start: str,
    *,
    options: dict[str, float] | None = None,
    grid: Grid | None = None,
    **rest,
) -> spectral.Model:
    """A model at a start; on another grid than the full quadratic one where that is given, which T21, T42 and
    T85 have. Rest as of `halcyon.spectral.Model`."""
    model = spectral.Model(equations, truncation, grid or Grid.full(*GRIDS[truncation]), **rest)
    set_start(model, start, options)
    return model


def advance(
    model: spectral.Model, days: float, step_s: float, each_day: Callable[[], None] = lambda: None
) -> None:
    """Takes steps [s] that divide a day. Raises RunError where it blows up."""
    per_day = round(DAY_S / step_s)
    for number in range(1, round(days * per_day) + 1):
        model.step(step_s)
        if number % per_day == 0:
            each_day()
    model.products([])  # looks at the last state
    found = model.trouble
    if found.point >= 0:
        raise RunError(f"{found.variable} is {found.value:g} at point {found.point}, level {found.level}.")


def l2(grid: Grid, values: np.ndarray, exact: np.ndarray) -> float:
    """Of the difference over that of the exact values (point) (Williamson et al. 1992, equation 83)."""
    areas = grid.areas.ravel()
    return float(np.sqrt((areas * (values - exact) ** 2).sum() / (areas * exact**2).sum()))


@dataclass(frozen=True)
class Course:
    """Products (point) at the start and the end of a run, and the integrals at all its days."""

    model: spectral.Model
    first: dict[str, np.ndarray]
    last: dict[str, np.ndarray]
    integrals: np.ndarray

    @property
    def changes(self) -> dict[str, float]:
        """The largest change of each integral over its value at the start."""
        worst = np.abs(self.integrals / self.integrals[0] - 1).max(axis=0)
        return dict(zip((row.name for row in self.model.integral_variables), worst.tolist(), strict=True))

    def l2(self, name: str) -> float:
        """Of the change of a product over what it was."""
        return l2(self.model.grid, self.last[name], self.first[name])


def course(model: spectral.Model, days: int, step_s: float, names: list[str]) -> Course:
    """Takes a model through some days."""
    first, integrals = model.products(names), [model.integrals()]
    advance(model, days, step_s, lambda: integrals.append(model.integrals()))
    return Course(model, first, model.products(names), np.array(integrals))


__all__ = ["DAY_S", "Course", "advance", "course", "l2", "model_at", "points_of"]
