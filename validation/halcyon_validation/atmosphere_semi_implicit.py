"""Validation of semi-implicit shallow water on Voronoi meshes: the tests of the explicit scheme with
several times longer time steps."""

from __future__ import annotations

import numpy as np

from halcyon_validation.atmosphere_runs import Run, run, uniform_mesh
from halcyon_validation.check import Check, Outcome, by_name, conserved
from halcyon_validation.figures import maps

ROUNDING = 1e-14
_MPAS = "MPAS shallow water on these meshes"
_STEADY = {4: 5.2e-4, 5: 1.3e-4, 6: 3.8e-5}  # l2 of the height after 5 days with MPAS


def _run_pair(level: int, start: str, days: int) -> tuple[Run, Run]:
    """Runs a case with semi-implicit and with explicit steps."""
    semi, explicit = (run(level, start, days, semi_implicit=each) for each in (True, False))
    return semi, explicit


def _cost_checks(level: int, semi: Run, explicit: Run) -> list[Check]:
    """Checks of step length, solver iterations and conservation."""
    return [
        Check(f"G{level}: time step over explicit time step", explicit.steps / semi.steps, 2, 8),
        Check(f"G{level}: solver iterations per step (three solves)", semi.iterations, 3, 40),
        *conserved(semi.changes, f"G{level}: ", mass=ROUNDING),
    ]


def semi_implicit_steady_flow(levels: tuple[int, ...] = (4, 5)) -> Outcome:
    """Case 2, 5 days: height errors as with explicit steps, and their order."""
    checks, l2 = [], {}
    for level in levels:
        semi, explicit = _run_pair(level, "solid_rotation", 5)
        l2[level] = semi.norms("height")[1]
        checks += _cost_checks(level, semi, explicit)
        checks.append(Check(f"G{level}: l2 of the height", l2[level], 0, _STEADY[level], source=_MPAS))
    if len(levels) > 1:
        order = float(np.log2(l2[levels[0]] / l2[levels[1]]))
        checks.append(Check(f"order of l2, G{levels[0]} to G{levels[1]}", order, 1.9, 2.5))
    return Outcome(checks)


def semi_implicit_mountain(level: int = 5, days: int = 15) -> Outcome:
    """Case 5: height after 15 days, compared with explicit steps and with the range of other models.
    Transient waves of the start persist, and long steps change their phases."""
    semi, explicit = _run_pair(level, "mountain", days)
    height, difference = semi.last["height"], semi.last["height"] - explicit.last["height"]
    correlation = float(np.corrcoef(semi.last["vorticity"], explicit.last["vorticity"])[0, 1])
    checks = [
        *_cost_checks(level, semi, explicit),
        *conserved(semi.changes, energy=2e-6),
        Check("height, rms difference to explicit steps", float(np.sqrt((difference**2).mean())), 0, 8, "m"),
        Check("vorticity, correlation with explicit steps", correlation, 0.99, 1),
    ]
    if (level, days) == (5, 15):
        short = run(level, "mountain", days, semi_implicit=True, step_s=900)
        checks += _height_checks("with steps of 900 s", short.last["height"], 2)
        checks += _height_checks("", height, 10)
    shown = maps(uniform_mesh(level), {"height": height, "difference to explicit steps": difference}, "m")
    return Outcome(checks, {f"Height after {days} days": shown})


def _height_checks(suffix: str, height: np.ndarray, tolerance: float) -> list[Check]:
    """Checks of extreme heights after 15 days on G5 against other models [m]."""
    extremes = {"lowest": (float(height.min()), 5035.5), "highest": (float(height.max()), 5952.3)}
    return [
        Check(f"{name} height {suffix}".strip(), value, known - tolerance, known + tolerance, "m", _MPAS)
        for name, (value, known) in extremes.items()
    ]


def semi_implicit_instability(level: int = 5, days: int = 6) -> Outcome:
    """Jet of Galewsky et al. (2004): the same vortices as with explicit steps."""
    semi, explicit = _run_pair(level, "barotropic_jet", days)
    vorticity, reference = semi.last["vorticity"], explicit.last["vorticity"]
    correlation = float(np.corrcoef(vorticity, reference)[0, 1])
    checks = [
        *_cost_checks(level, semi, explicit),
        *conserved(semi.changes, energy=5e-6),
        Check("vorticity, correlation with explicit steps", correlation, 0.98, 1),
    ]
    shown = maps(uniform_mesh(level), {"semi-implicit": vorticity, "explicit": reference}, "s-1", (0, 90))
    return Outcome(checks, {f"Vorticity at day {days}": shown})


CASES = by_name(semi_implicit_steady_flow, semi_implicit_mountain, semi_implicit_instability)
