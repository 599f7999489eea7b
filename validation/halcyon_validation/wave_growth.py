"""Validation of wave growth with each set of source terms, and of the nonlinear transfer, against published
results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from halcyon.wave import jonswap
from halcyon_validation import growth_runs as runs
from halcyon_validation.check import Check, Outcome, by_name, near
from halcyon_validation.figures import Draw, panels
from halcyon_validation.transfer import nonlinear_transfer

_HOURS = (3, 6, 12, 24, 48, 72)
_FETCHES = np.array([20, 50, 100, 200, 300, 500, 700, 1000]) * 1e3
_STEPS = (150.0, 300.0, 600.0, 900.0, 1800.0)
_KC = "Kahma and Calkoen (1992)"
_YV = "Young and Verhagen (1996)"


@cache
def _after_hours(name: str, speed: float) -> runs.SeaStates:
    return runs.duration_growth(name, speed, _HOURS)


@cache
def _along_fetch(name: str, speed: float) -> runs.SeaStates:
    fetch, seas = runs.fetch_growth(name, speed, length=1100e3, hours=72 if speed < 15 else 40)
    return runs.SeaStates(
        *(np.interp(_FETCHES, fetch, getattr(seas, part)) for part in runs.SeaStates.__annotations__)
    )


def fetch_limited_growth(speeds: tuple[float, ...] = (10.0, 20.0)) -> Outcome:
    """Height at fetches of 50 to 1000 km, within 30 % of the growth law in the model's friction velocity."""
    checks = []
    for name, speed in product(runs.SOURCE_SETS, speeds):
        seas = _along_fetch(name, speed)
        ratios = seas.height / runs.kahma_calkoen(seas.friction_velocity, _FETCHES)
        for fetch, ratio in zip(_FETCHES[1:], ratios[1:], strict=True):
            text = f"{name}, {speed:g} m/s, {fetch / 1e3:g} km: Hs over the growth law"
            checks.append(near(text, float(ratio), 1, 0.3, source=_KC))
    shown = _curves(_along_fetch, _FETCHES / 1e3, "fetch [km]", speeds)
    return Outcome(checks, {"Fetch-limited growth": shown})


def duration_limited_growth(speeds: tuple[float, ...] = (10.0, 20.0)) -> Outcome:
    """Height after 6 and 12 hours, within 30 % of the growth law for the fetch travelled by the spectral
    peak."""
    checks = []
    for name, speed in product(runs.SOURCE_SETS, speeds):
        seas = _after_hours(name, speed)
        for i in (1, 2):
            u, hours = seas.friction_velocity[i], _HOURS[i]
            expected = runs.kahma_calkoen(u, runs.fetch_of_duration(u, hours))
            text = f"{name}, {speed:g} m/s, {hours} h: Hs over the growth law"
            checks.append(near(text, float(seas.height[i] / expected), 1, 0.3, source=_KC))
    return Outcome(checks, {"Duration-limited growth": _curves(_after_hours, _HOURS, "duration [h]", speeds)})


def fully_developed(speeds: tuple[float, ...] = (10.0, 20.0)) -> Outcome:
    """Height after 72 hours: 0.22 U^2/g, the Pierson-Moskowitz limit, within 40 % (other models at 20 m/s:
    0.28 to 0.31)."""
    checks = []
    for name, speed in product(runs.SOURCE_SETS, speeds):
        scaled = runs.G * _after_hours(name, speed).height[-1] / speed**2
        text = f"{name}, {speed:g} m/s, 72 h: g Hs/U^2"
        checks.append(near(text, float(scaled), 0.22, 0.4, source="Pierson and Moskowitz (1964)"))
    return Outcome(checks)


def time_step() -> Outcome:
    """Height at 20 m/s after 3 hours with steps of 150 to 1800 s, within 5 % of the height with 600 s."""
    checks = []
    for name in runs.SOURCE_SETS:
        height = {dt: float(runs.duration_growth(name, 20.0, (3,), dt=dt).height[0]) for dt in _STEPS}
        for dt in _STEPS:
            text = f"{name}, steps of {dt:g} s: Hs after 3 h over Hs with steps of 600 s"
            checks.append(near(text, height[dt] / height[600.0], 1, 0.05))
    return Outcome(checks)


def depth_limited_growth() -> Outcome:
    """Height of the depth-limited sea at 10 m/s in depths of 5 and 10 m: g^2 m0/U^4 = 1.06e-3
    (g d/U^2)^1.3, within 20 %."""
    checks = []
    for name, depth in product(runs.SOURCE_SETS, (5.0, 10.0)):
        seas = runs.duration_growth(name, 10.0, (24,), depth=depth)
        expected = 4 * np.sqrt(1.06e-3 * (runs.G * depth / 100) ** 1.3) * 100 / runs.G
        text = f"{name}, {depth:g} m deep: Hs over the limit"
        checks.append(near(text, float(seas.height[0] / expected), 1, 0.2, source=_YV))
    return Outcome(checks)


def breaking_on_a_beach(depths: tuple[float, ...] = (4.0, 3.0, 2.0, 1.5)) -> Outcome:
    """Breaking of a swell of 2 m and 10 s on a beach of slope 1:50: in the surf zone the rms height is 0.38
    to 0.65 of the depth, between saturation (Thornton and Guza 1982: 0.42) and gamma 0.8."""
    heights = _shoaling_heights(np.arange(12.0, 1.0, -0.1))
    checks = []
    for depth in depths:
        ratio = float(np.interp(-depth, -heights[0], heights[1]) / depth / np.sqrt(2))
        text = f"{depth:g} m deep: H_rms/d"
        checks.append(Check(text, ratio, 0.38, 0.65, source="Battjes and Janssen (1978)"))
    return Outcome(checks)


def _shoaling_heights(depths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Depths [m] on a beach of slope 1:50, and heights [m] of a steady energy flux to the shore that breaking
    dissipates."""
    row = runs.PointRow(
        "ard", 0.0, depths, len(depths), limiter="none", friction=0, swell_damping=0, transfer=0
    )
    sea = jonswap(runs.GRID, peak_frequency=0.1, alpha=1.0, gamma=3.3)
    sea *= (2.0 / 4) ** 2 / (sea * runs.GRID.sigma[:, None] * _bin_widths()).sum()
    speed, heights = row.group_speed(), []
    spacing = 50 * 0.1  # between two depths on the slope [m]
    for i in range(len(depths)):
        row.action[i] = sea if i == 0 else row.action[i - 1] * (speed[i - 1] / speed[i])[:, None]
        mean_speed = (row.action[i].sum(1) * speed[i]).sum() / row.action[i].sum()
        action = row.action[i : i + 1]
        point = slice(i, i + 1)
        wind = row.wind[0][point], row.wind[1][point]
        row.physics.step(action, row.depth[point], row.wavenumber[point], *wind, spacing / mean_speed)
        heights.append(4 * np.sqrt((action[0] * runs.GRID.sigma[:, None] * _bin_widths()).sum()))
    return depths, np.array(heights)


def _bin_widths() -> np.ndarray:
    return (runs.GRID.frequency_width * runs.GRID.direction_width)[:, None]


def _curves(
    states: Callable[..., runs.SeaStates], positions: Sequence[float], label: str, speeds: Sequence[float]
) -> Draw:
    """Plots of heights against fetch [km] or duration [h], scaled by U10 and by u*, for all sets of source
    terms, with the growth law."""

    def draw(path: Path) -> None:
        x = np.asarray(positions, float)
        with panels(path, (11, 4.5), 1, 2) as (by_wind, by_stress):
            for (i, name), speed in product(enumerate(runs.SOURCE_SETS), speeds):
                sea, ls = states(name, speed), "-" if speed < 15 else "--"
                style = {"color": f"C{i}", "ls": ls, "label": f"{name}, {speed:g} m/s"}
                by_wind.loglog(x, runs.G * sea.height / speed**2, **style)
                by_stress.loglog(x, runs.G * sea.height / sea.friction_velocity**2, **style)
            u = states(runs.SOURCE_SETS[0], speeds[0]).friction_velocity
            name = f"growth law, {speeds[0]:g} m/s"
            fetch = x * 1e3 if "km" in label else runs.fetch_of_duration(u, x)
            by_stress.loglog(x, runs.G * runs.kahma_calkoen(u, fetch) / u**2, "k", lw=2, label=name)
            by_wind.set(xlabel=label, ylabel="g Hs / U10^2")
            by_stress.set(xlabel=label, ylabel="g Hs / u*^2")
            by_stress.legend(fontsize=7)

    return draw


CASES = by_name(
    fetch_limited_growth,
    duration_limited_growth,
    fully_developed,
    time_step,
    depth_limited_growth,
    breaking_on_a_beach,
    nonlinear_transfer,
)
