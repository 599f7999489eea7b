"""What must hold between options of a case of the atmosphere, and between them and the files they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from halcyon.base import ConfigError
from halcyon.choices import choices
from halcyon.config.atmosphere import HALO_LAYERS, AtmosphereCase, Levels
from halcyon.config.checks import differs, divides, io_findings, partition_findings, variable_findings
from halcyon.config.initial import FromFile, starts_of
from halcyon.config.mesh import GlobeFile
from halcyon.config.mesh_checks import Finding, file_findings
from halcyon.config.messages import did_you_mean
from halcyon.config.option import figure
from halcyon.config.registry import listed
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


_OF_START = "passive_tracer"
CONSTANT_TRACER = "constant_tracer"
TRACERS = (_OF_START, CONSTANT_TRACER)
_NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")
_OF_FILES = (  # what files of runs have beside fields
    *("time", "lon", "lat", "face", "node", "face_nodes", "node_lon", "node_lat", "max_nodes", "mesh"),
    *("level", "height", "ap", "b", "bounds", "covered_fraction", "series_hours", "series_values"),
)
_NEEDS_LEVELS = (
    ("levels",),
    ("physics",),
    ("tracers",),
    ("output", "vertical"),
)
_OF_SETS = {  # options of equations, by the name of the set
    member.name: {each.name.partition(".")[0]: None for each in member.options}
    for member in choices("equation sets")
}
_KEEP_ENERGY = {  # values of equations
    "vertex_energy": 0,
    "diffusion": 0,
    "hyperdiffusion": 0,
    "divergence_damping": 0,
    "sponge": None,
    "off_centring": 0.5,
}
_WIND_STAYS = "cosine_bell"  # a start whose wind is given, so that no waves run


def atmosphere_findings(case: AtmosphereCase) -> Iterator[Finding]:
    """Every mistake of a case whose options are right one by one: the option, and the text."""
    yield from time_findings(case)
    yield from _mesh(case)
    yield from _start(case)
    yield from level_findings(case)
    yield from _tracers(case)
    yield from _idle(case)
    yield from _energy(case)
    yield from _scheme(case)
    yield from variable_findings(case, _table(case), fixed=("topography",))
    yield from partition_findings(case)
    yield from io_findings(case)
    yield from _layers(case)


def _table(case: AtmosphereCase) -> list[Any]:
    """The rows of all that the files of a case may hold."""
    from halcyon.atmosphere import tracer_variable, variables_of

    named = [name for name in case.tracers if name not in TRACERS]
    return [*variables_of(case.equations.set), *map(tracer_variable, named)]


def time_findings(case: RunCase) -> Iterator[Finding]:
    """Mistakes of `time`, output.interval and output.segment."""
    start, end, step = case.time.start, case.time.end, case.time.step
    interval, segment = case.output.interval, case.output.segment
    if end <= start:
        yield ("time", "end"), f"time.end = {end.isoformat()} must be after time.start = {start.isoformat()}."
    elif not divides(interval, case.duration_s):
        text = f"the run lasts {figure(case.duration_s)} s, which is not a multiple of"
        yield ("time", "end"), f"{text} output.interval = {figure(interval)} s. Move the end, or change it."
    if step != "auto" and not divides(step, interval):
        text = f"time.step = {figure(step)} s must divide output.interval = {figure(interval)} s."
        yield ("time", "step"), f"{text} Take another, or 'auto'."
    if not divides(interval, segment):
        text = f"output.segment = {figure(segment)} s must be a multiple of"
        yield ("output", "segment"), f"{text} output.interval = {figure(interval)} s."


def _mesh(case: AtmosphereCase) -> Iterator[Finding]:
    if isinstance(case.mesh, GlobeFile):
        yield from file_findings(("mesh", "file"), case.mesh.file)
        return
    try:
        case.mesh.spec()
    except ConfigError as error:
        yield ("mesh",), f"mesh: {error}"


def fitting_starts(equations: str, registry: str = "starts") -> list[str]:
    """The starts of a set of equations."""
    return [start for start, sets in starts_of(registry).items() if equations in sets]


def _start(case: AtmosphereCase) -> Iterator[Finding]:
    if isinstance(case.initial, FromFile):
        return
    name, fitting = case.initial.type, fitting_starts(case.equations.set)
    if name not in fitting:
        text = f"initial.type = '{name}' does not go together with equations.set = '{case.equations.set}',"
        yield ("initial", "type"), f"{text} which starts from {listed(fitting)}. Change one of them."


def _tracers(case: AtmosphereCase) -> Iterator[Finding]:
    for i, name in enumerate(case.tracers):
        if name in case.tracers[:i]:
            yield ("tracers", i), f"the tracer '{name}' is named twice."
        elif isinstance(case.initial, FromFile):
            yield from _of_file(i, name)
        elif name not in TRACERS:
            near = did_you_mean(name, TRACERS)
            hint = f"Did you mean '{near}'?" if near else f"There are: {', '.join(TRACERS)}."
            yield ("tracers", i), f"unknown tracer '{name}'. {hint} Starts from files may have others."
        elif name == _OF_START and case.equations.has_levels and not _has_tracer(case.initial.type):
            text = f"initial.type = '{case.initial.type}' has no '{name}'."
            yield ("tracers", i), f"{text} Take 'constant_tracer', or another start."
    for i, name in enumerate(case.output.variables or ()):
        if name in TRACERS and name not in case.tracers and case.equations.has_levels:
            text = f"the air of this case does not carry '{name}'."
            yield ("output", "variables", i), f"{text} Name it in tracers, too, or leave it out."


def _of_file(i: int, name: str) -> Iterator[Finding]:
    """A name of a tracer of a file that cannot be one in ours."""
    from halcyon.atmosphere import air_variables

    if not _NAME.fullmatch(name):
        text = f"the tracer '{name}' must be named by letters, digits and _, a letter first."
        yield ("tracers", i), f"{text} Name it by its standard_name, or rename it in the file."
    elif name not in TRACERS and name in [*(row.name for row in air_variables()), *_OF_FILES]:
        text = f"the tracer '{name}' has the name of something else in our files."
        yield ("tracers", i), f"{text} Name it by its standard_name, or rename it in the file."


def _has_tracer(start: str) -> bool:
    from halcyon.atmosphere import AirStart

    return AirStart(start).has_tracer


def _idle(case: AtmosphereCase) -> Iterator[Finding]:
    """Options that were given and would do nothing beside others."""
    equations = case.equations
    others = {name: None for options in _OF_SETS.values() for name in options}
    idle = {("equations", name): _with(name) for name in others if name not in _OF_SETS[equations.set]}
    if not equations.has_levels:
        idle |= dict.fromkeys(_NEEDS_LEVELS, _with("levels"))
    for option, needs in idle.items():
        if differs(case, option):
            text = f"{'.'.join(option)} does nothing with equations.set = '{equations.set}'."
            if option == ("equations", "keep_energy"):
                text += " There vertex_energy: 0 keeps energy."
            yield option, f"{text} Leave it out, or take set: {needs}."


def _with(option: str) -> str:
    """The sets that have an option of equations, or "levels"."""
    return " or ".join(
        each.name for each in choices("equation sets") if option in (*each.goes_with, *_OF_SETS[each.name])
    )


def _energy(case: AtmosphereCase) -> Iterator[Finding]:
    """What changes energy where it is to be kept."""
    equations = case.equations
    if not (equations.keep_energy and equations.has_levels):
        return
    for name, keeping in _KEEP_ENERGY.items():
        given = getattr(equations, name)
        if given != keeping and differs(case, ("equations", name)):
            value = "" if name == "sponge" else f" = {figure(given)}"
            text = f"equations.{name}{value} changes energy, which equations.keep_energy does not allow."
            yield ("equations", name), f"{text} Leave out one of them."
    if case.physics != "none":
        text = f"physics = '{case.physics}' changes energy, which equations.keep_energy does not allow."
        yield ("physics",), f"{text} Leave out one of them."


def _scheme(case: AtmosphereCase) -> Iterator[Finding]:
    """Semi-implicit steps where they would do nothing, and their options without them."""
    stays = not isinstance(case.initial, FromFile) and case.initial.type == _WIND_STAYS
    nothing = "time.scheme = 'semi_implicit' does nothing for"
    if case.is_semi_implicit and case.equations.has_levels:
        text = f"{nothing} equations.set = '{case.equations.set}'."
        yield ("time", "scheme"), f"{text} Leave it out, or take set: shallow_water."
    elif case.is_semi_implicit and stays:
        yield ("time", "scheme"), f"{nothing} initial.type = '{_WIND_STAYS}', whose wind stays. Leave it out."
    elif not case.is_semi_implicit and differs(case, ("time", "tolerance")):
        text = "time.tolerance does nothing with the scheme runge_kutta."
        yield ("time", "tolerance"), f"{text} Leave it out, or take scheme: semi_implicit."


def _layers(case: AtmosphereCase) -> Iterator[Finding]:
    layers = case.exchange.layers
    if layers != "auto" and layers < case.least_layers:
        whose = "limited tracers need" if case.least_layers > HALO_LAYERS else "the atmosphere needs"
        text = f"exchange.layers = {layers}, but {whose} {case.least_layers}."
        yield ("exchange", "layers"), f"{text} Give {case.least_layers} or 'auto'."
