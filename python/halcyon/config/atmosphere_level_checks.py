"""What must hold of the levels of the air, and of the surfaces on which its fields are written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from halcyon.config.atmosphere_levels import Levels
from halcyon.config.mesh_checks import Finding
from halcyon.config.option import figure
from halcyon.config.run_case import RunCase

_MADE = ("count", "top", "spacing", "coordinate")  # options beside which no lists are given


def level_findings(case: RunCase) -> Iterator[Finding]:
    """Every mistake of `levels`, `equations.sponge`, where there is one, and `output.vertical` of a case of
    the air."""
    if not case.equations.has_levels:
        return
    wrong = list(_lists(case.levels)) if case.levels.are_listed else []
    yield from wrong
    if not wrong:
        yield from _sponge(case)
    yield from _surfaces(case)
    yield from _twice(case)


def _lists(levels: Levels) -> Iterator[Finding]:
    for name in _MADE:
        if name in levels.model_fields_set:
            text = f"levels.{name} does not go together with the lists levels.a and levels.b."
            yield ("levels", name), f"{text} Remove it, or them."
    if levels.a is None or levels.b is None:
        given, missing = ("b", "a") if levels.a is None else ("a", "b")
        yield ("levels", given), f"levels.{given} goes with levels.{missing}, which is missing. Give both."
    elif len(levels.a) != len(levels.b):
        text = f"levels.a has {len(levels.a)} numbers, levels.b {len(levels.b)}."
        yield ("levels", "b"), f"{text} Give both for every interface, from the top to the ground."
    elif len(levels.a) < 3:
        yield (
            ("levels", "a"),
            f"levels.a has {len(levels.a)} numbers. Give 3 or more: two levels are the least.",
        )
    else:
        yield from _ends(levels) or _order(levels)


def _ends(levels: Levels) -> list[Finding]:
    (top, *_, last), (b_top, *_, b_last) = levels.a, levels.b
    found = []
    if top <= 0:
        text = f"levels.a begins with {figure(top)}, but the pressure at the top must be above 0 Pa."
        found.append((("levels", "a"), f"{text} Leave out the layer above, or raise it."))
    if b_top != 0:
        text = f"levels.b begins with {figure(b_top)}, but the top is a surface of pressure."
        found.append((("levels", "b"), f"{text} Begin with 0; lists go from the top to the ground."))
    if last != 0:
        text = f"levels.a ends with {figure(last)}, but the last interface is the ground: p = ps."
        found.append((("levels", "a"), f"{text} End with 0."))
    if b_last != 1:
        text = f"levels.b ends with {figure(b_last)}, but the last interface is the ground: p = ps."
        found.append((("levels", "b"), f"{text} End with 1."))
    return found


def _order(levels: Levels) -> list[Finding]:
    """Where pressure does not rise downward, at the lowest or the highest pressure at the ground."""
    from halcyon.atmosphere.levels import HIGHEST, lowest_surface_pressure

    for ps in (lowest_surface_pressure(levels.a[0]), HIGHEST):
        pressures = [a + b * ps for a, b in zip(levels.a, levels.b, strict=True)]
        for k, (upper, lower) in enumerate(pairwise(pressures)):
            if not upper < lower:
                text = (
                    f"levels.a and levels.b give {figure(upper)} Pa at interface {k} and {figure(lower)} Pa"
                )
                below = f"at the one below where the pressure at the ground is {figure(ps)} Pa."
                return [(("levels", "a"), f"{text} {below} Pressure must rise from the top to the ground.")]
    return []


def _sponge(case: RunCase) -> Iterator[Finding]:
    sponge = getattr(case.equations, "sponge", None)
    top = float(case.levels.a[0]) if case.levels.are_listed else case.levels.top
    if sponge is not None and sponge.pressure <= top:
        text = f"equations.sponge.pressure = {figure(sponge.pressure)} Pa is not below the model's top,"
        yield ("equations", "sponge", "pressure"), f"{text} {figure(top)} Pa: it would do nothing. Raise it."


def _surfaces(case: RunCase) -> Iterator[Finding]:
    vertical = case.output.vertical
    if vertical == "model":
        return
    ((name, values),) = vertical.model_dump().items()
    place = ("output", "vertical", name)
    if not values:
        yield place, f"output.vertical.{name} is empty. Give it one value or more."
    rises = len(values) > 1 and values[1] > values[0]
    for i, (before, value) in enumerate(pairwise(values), 1):
        if value == before or (value > before) != rises:
            text = f"output.vertical.{name} has {figure(value)} after {figure(before)}."
            yield (*place, i), f"{text} Let it rise all the way, or fall."
            return


def _twice(case: RunCase) -> Iterator[Finding]:
    """A variable that the files have as their vertical coordinate."""
    names, vertical = case.output.variables or [], case.output.vertical
    if vertical != "model" and "pressure" in vertical.model_dump() and "pressure" in names:
        text = "the variable 'pressure' is what output.vertical counts by."
        yield (
            ("output", "variables", names.index("pressure")),
            f"{text} Leave it out, or take vertical: model.",
        )
