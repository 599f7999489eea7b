"""Semi-implicit steps of shallow water on Voronoi meshes: the tests of explicit ones, at several times the
step."""

from __future__ import annotations

import numpy as np

from halcyon_validation.check import Check, Outcome, by_name, conserved
from halcyon_validation.figures import maps
from halcyon_validation.globe_runs import Course, course, globe

ROUNDING = 1e-14
_MPAS = "MPAS shallow water on such meshes"
_STEADY = {4: 5.2e-4, 5: 1.3e-4, 6: 3.8e-5}  # l2 of the height after 5 days, of that peer


def _both(level: int, start: str, days: int) -> tuple[Course, Course]:
    """By semi-implicit and by explicit steps."""
    semi, explicit = (course(level, start, days, semi_implicit=each) for each in (True, False))
    return semi, explicit


def _work(level: int, found: Course, explicit: Course) -> list[Check]:
    """How much longer steps are than explicit ones, and what solutions take."""
    return [
        Check(f"G{level}: step over an explicit one", explicit.steps / found.steps, 2, 8),
        Check(f"G{level}: iterations a step, of three solutions", found.iterations, 3, 40),
        *conserved(found.changes, f"G{level}: ", mass=ROUNDING),
    ]


def semi_implicit_steady_flow(levels: tuple[int, ...] = (4, 5)) -> Outcome:
    """Case 2, 5 days: errors of the height as those of explicit steps, and their order."""
    checks, l2 = [], {}
    for level in levels:
        found, explicit = _both(level, "solid_rotation", 5)
        l2[level] = found.norms("height")[1]
        checks += _work(level, found, explicit)
        checks.append(Check(f"G{level}: l2 of the height", l2[level], 0, _STEADY[level], source=_MPAS))
    if len(levels) > 1:
        order = float(np.log2(l2[levels[0]] / l2[levels[1]]))
        checks.append(Check(f"order of l2, G{levels[0]} to G{levels[1]}", order, 1.9, 2.5))
    return Outcome(checks)


def semi_implicit_mountain(level: int = 5, days: int = 15) -> Outcome:
    """Case 5: the height after 15 days against that by explicit steps, and the peers' range. Waves of the
    start run until then, and have other phases by long steps."""
    found, explicit = _both(level, "mountain", days)
    height, apart = found.last["height"], found.last["height"] - explicit.last["height"]
    alike = float(np.corrcoef(found.last["vorticity"], explicit.last["vorticity"])[0, 1])
    checks = [
        *_work(level, found, explicit),
        *conserved(found.changes, energy=2e-6),
        Check("height, rms apart from explicit steps", float(np.sqrt((apart**2).mean())), 0, 8, "m"),
        Check("vorticity, correlation with explicit steps", alike, 0.99, 1),
    ]
    if (level, days) == (5, 15):
        short = course(level, "mountain", days, semi_implicit=True, step_s=900)
        checks += _range("by steps of 900 s", short.last["height"], 2)
        checks += _range("", height, 10)
    shown = maps(globe(level), {"height": height, "apart from explicit steps": apart}, "m")
    return Outcome(checks, {f"Height after {days} days": shown})


def _range(how: str, height: np.ndarray, within: float) -> list[Check]:
    """Heights after 15 days on G5 against those of the peers [m]."""
    found = {"lowest": (float(height.min()), 5035.5), "highest": (float(height.max()), 5952.3)}
    return [
        Check(f"{name} height {how}".strip(), value, theirs - within, theirs + within, "m", _MPAS)
        for name, (value, theirs) in found.items()
    ]


def semi_implicit_instability(level: int = 5, days: int = 6) -> Outcome:
    """The jet of Galewsky et al. (2004): the same vortices as by explicit steps."""
    found, explicit = _both(level, "barotropic_jet", days)
    vorticity, theirs = found.last["vorticity"], explicit.last["vorticity"]
    alike = float(np.corrcoef(vorticity, theirs)[0, 1])
    checks = [
        *_work(level, found, explicit),
        *conserved(found.changes, energy=5e-6),
        Check("vorticity, correlation with explicit steps", alike, 0.98, 1),
    ]
    shown = maps(globe(level), {"semi-implicit": vorticity, "explicit": theirs}, "s-1", (0, 90))
    return Outcome(checks, {f"Vorticity at day {days}": shown})


CASES = by_name(semi_implicit_steady_flow, semi_implicit_mountain, semi_implicit_instability)
