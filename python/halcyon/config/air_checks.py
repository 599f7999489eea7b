"""Consistency checks between the options of a case of the atmosphere or the spectral model, and of the files
that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from halcyon.base import ConfigError
from halcyon.choices import choices
from halcyon.config.atmosphere import HALO_LAYERS, AirCase, AtmosphereCase, Levels
from halcyon.config.checks import (
    count_findings,
    differs_from_default,
    io_findings,
    partition_findings,
    segment_findings,
    semi_lagrangian_findings,
    span_findings,
    unused_option_findings,
    variable_findings,
)
from halcyon.config.error_texts import Finding, suggestion, unused_option
from halcyon.config.initial import FromFile, starts_of
from halcyon.config.mesh import FileGlobe
from halcyon.config.mesh_checks import file_findings
from halcyon.config.option import decimal
from halcyon.config.physics import declare_fields, labels_text
from halcyon.config.physics_checks import (
    INITIAL_TRACER,
    TRACERS,
    output_tracers_findings,
    physics_findings,
    spectral_tracers_findings,
    wrong_name_text,
)
from halcyon.config.registry import quoted_list
from halcyon.config.spectral import STARTS, TUNED_OPTIONS, SpectralCase

_GENERATED = ("count", "top", "spacing", "coordinate")  # options of `levels` that exclude its lists a and b
_NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")
_RESERVED_NAMES = (  # dimensions and auxiliary variables of output files
    *("time", "lon", "lat", "face", "node", "face_nodes", "node_lon", "node_lat", "max_nodes", "mesh"),
    *("level", "height", "ap", "b", "bounds", "covered_fraction", "series_hours", "series_values"),
)
_SET_OPTIONS = {  # for each equation set, the names of the options of `equations`, in order, as keys
    equation_set.name: {option.name.partition(".")[0]: None for option in equation_set.options}
    for equation_set in choices("equation sets")
}
_ENERGY_CONSERVING = {  # values that equations.keep_energy requires
    **dict.fromkeys(("vertex_energy", "diffusion", "hyperdiffusion", "divergence_damping"), 0),
    **dict.fromkeys(("viscosity", "scalar_viscosity"), 0),
    "sharp_vorticity": False,
    "sponge": None,
    "off_centring": 0.5,
    "moist": False,
}
_FIXED_WIND_START = "cosine_bell"  # pure advection: no gravity waves


def atmosphere_findings(case: AtmosphereCase) -> Iterator[Finding]:
    """Yields (option, error text) for each inconsistency between individually valid options."""
    from halcyon.atmosphere import WATER_TRACERS, tracer_variable, variables_of

    yield from _time_findings(case)
    yield from _mesh_findings(case)
    yield from _start_findings(case, starts_for(case.equations.set))
    yield from _levels_findings(case)
    yield from _tracers_findings(case)
    yield from output_tracers_findings(case)
    yield from _unused_findings(case)
    yield from _energy_findings(case)
    yield from _scheme_findings(case)
    if case.equations.has_levels:
        yield from _planet_findings(case)
        water = WATER_TRACERS if case.equations.moist else ()
        yield from physics_findings(case.physics, [*water, *case.tracers], "Set equations.moist: true")
    file_tracers = [tracer_variable(name) for name in case.tracers if name not in TRACERS]
    table = [*variables_of(case.equations.set), *file_tracers]
    yield from variable_findings(case, table, fixed=("topography",), has_more=declare_fields(case.physics))
    yield from partition_findings(case)
    yield from io_findings(case)
    yield from _layers_findings(case)


def spectral_findings(case: SpectralCase) -> Iterator[Finding]:
    """Yields (option, error text) for each inconsistency between individually valid options."""
    from halcyon.atmosphere import WATER_TRACERS
    from halcyon.spectral import variables_of

    yield from _time_findings(case)
    yield from _grid_findings(case)
    yield from _start_findings(case, STARTS[case.equations.set])
    yield from _spectral_start_findings(case)
    yield from _levels_findings(case)
    yield from _spectral_scheme_findings(case)
    yield from spectral_tracers_findings(case)
    yield from output_tracers_findings(case)
    if case.equations.has_levels:
        water, remedy = WATER_TRACERS if case.equations.moist else (), "Set equations.moist: true"
        if not case.equations.is_semi_lagrangian:
            remedy += " with equations.advection: semi_lagrangian"
        yield from physics_findings(case.physics, [*water, *case.tracers], remedy)
    yield from _sets_findings(case)
    table = variables_of(case.equations.set)
    yield from variable_findings(case, table, fixed=("topography",), has_more=declare_fields(case.physics))
    yield from io_findings(case)


def _time_findings(case: AirCase) -> Iterator[Finding]:
    excess = list(count_findings(case, "output.interval", case.output.interval))
    if excess:
        yield from excess
        return
    yield from span_findings(
        case, "output.interval", case.output.interval, other_remedy="change it", valid_step="another, or"
    )
    yield from segment_findings(case)


def starts_for(equations: str, registry: str = "starts") -> list[str]:
    """The types of initial states of an equation set."""
    return [start for start, sets in starts_of(registry).items() if equations in sets]


def _start_findings(case: AirCase, starts: Sequence[str]) -> Iterator[Finding]:
    if not isinstance(case.initial, FromFile) and case.initial.type not in starts:
        text = f"initial.type = '{case.initial.type}' does not go together with"
        text += f" equations.set = '{case.equations.set}', which starts from {quoted_list(starts)}."
        yield "initial.type", f"{text} Change one of them."


def _planet_findings(case: AtmosphereCase) -> Iterator[Finding]:
    """Checks that the initial state of the air is balanced on the planet."""
    from halcyon.atmosphere import AirStart, Planet

    if isinstance(case.initial, FromFile) or case.initial.type not in starts_for(case.equations.set):
        return
    equations = case.equations
    planet = Planet(radius=equations.radius, rotation=equations.rotation, gravity=equations.gravity)
    try:
        AirStart(case.initial.type, planet=planet)
    except ConfigError as error:
        yield "equations.rotation", str(error)


def _levels_findings(case: AirCase) -> Iterator[Finding]:
    """Checks `levels`, `equations.sponge` and `output.vertical`."""
    if not case.equations.has_levels:
        return
    findings = list(_coefficients_findings(case.levels)) if case.levels.has_coefficients else []
    yield from findings or _sponge_findings(case)
    yield from _output_levels_findings(case)


def _coefficients_findings(levels: Levels) -> Iterator[Finding]:
    """Checks the lists `levels.a` and `levels.b`."""
    for name in _GENERATED:
        if name in levels.model_fields_set:
            text = f"levels.{name} does not go together with the lists levels.a and levels.b."
            yield f"levels.{name}", f"{text} Remove levels.{name}, or both lists."
    if levels.a is None or levels.b is None:
        given, missing = ("b", "a") if levels.a is None else ("a", "b")
        text = f"levels.{given} goes with levels.{missing}, which is missing. Give both."
        yield f"levels.{given}", text
    elif len(levels.a) != len(levels.b):
        text = f"levels.a has {len(levels.a)} numbers, levels.b {len(levels.b)}."
        yield "levels.b", f"{text} Give one number of each list per interface, from the top to the surface."
    elif len(levels.a) < 3:
        yield "levels.a", f"levels.a has {len(levels.a)} numbers. Give 3 or more, for at least two levels."
    else:
        yield from list(_end_value_findings(levels)) or _order_findings(levels)


def _end_value_findings(levels: Levels) -> Iterator[Finding]:
    assert levels.a is not None and levels.b is not None  # see `_coefficients_findings`
    (top, *_, last), (b_top, *_, b_last) = levels.a, levels.b
    if top <= 0:
        text = f"levels.a begins with {decimal(top)}, but the pressure at the top must be above 0 Pa."
        yield "levels.a", f"{text} Omit the top interface, or raise its pressure."
    if b_top != 0:
        text = f"levels.b begins with {decimal(b_top)}, but the top is a surface of constant pressure."
        yield "levels.b", f"{text} Begin with 0; the order is from the top to the surface."
    for name, end, required in (("a", last, 0), ("b", b_last, 1)):
        if end != required:
            text = f"levels.{name} ends with {decimal(end)}, but the last interface is the ground: p = ps."
            yield f"levels.{name}", f"{text} End with {required}."


def _order_findings(levels: Levels) -> Iterator[Finding]:
    """Checks that pressure increases downwards at the lowest and the highest surface pressure."""
    from halcyon.atmosphere.levels import HIGHEST_PRESSURE, lowest_surface_pressure

    assert levels.a is not None and levels.b is not None
    for ps in (lowest_surface_pressure(levels.a[0]), HIGHEST_PRESSURE):
        pressures = [a + b * ps for a, b in zip(levels.a, levels.b, strict=True)]
        for k, (upper, lower) in enumerate(pairwise(pressures)):
            if not upper < lower:
                text = f"levels.a and levels.b give {decimal(upper)} Pa at interface {k} and"
                text += f" {decimal(lower)} Pa at the one below where the pressure at the ground is"
                text += f" {decimal(ps)} Pa."
                yield "levels.a", f"{text} Pressure must rise from the top to the surface."
                return


def _sponge_findings(case: AirCase) -> Iterator[Finding]:
    sponge = getattr(case.equations, "sponge", None)
    top = float(case.levels.a[0]) if case.levels.a is not None else case.levels.top
    if sponge is not None and sponge.pressure <= top:
        text = f"equations.sponge.pressure = {decimal(sponge.pressure)} Pa is not below the model's top,"
        yield (
            "equations.sponge.pressure",
            f"{text} {decimal(top)} Pa: no level is damped. Give more than that.",
        )


def _output_levels_findings(case: AirCase) -> Iterator[Finding]:
    """Checks the output levels, and that their coordinate is not also an output variable."""
    if case.output.vertical == "model":
        return
    ((name, values),) = case.output.vertical.model_dump().items()
    option = f"output.vertical.{name}"
    if not values:
        yield option, f"{option} is empty. Give one value or more."
    is_increasing = len(values) > 1 and values[1] > values[0]
    for i, (before, value) in enumerate(pairwise(values), 1):
        if value == before or (value > before) != is_increasing:
            text = f"{option} has {decimal(value)} after {decimal(before)}."
            yield f"{option}.{i}", f"{text} Give increasing or decreasing values."
            break
    variables = case.output.variables or []
    if name == "pressure" and "pressure" in variables:
        text = "the variable 'pressure' is the vertical axis of the output already (option output.vertical)."
        text += " Leave it out, or take vertical: model."
        yield f"output.variables.{variables.index('pressure')}", text


def _mesh_findings(case: AtmosphereCase) -> Iterator[Finding]:
    if isinstance(case.mesh, FileGlobe):
        yield from file_findings("mesh.file", case.mesh.file)
        return
    try:
        case.mesh.spec()
    except ConfigError as error:
        yield "mesh", f"mesh: {error}"


def _tracers_findings(case: AtmosphereCase) -> Iterator[Finding]:
    from halcyon.atmosphere import AirStart

    for i, name in enumerate(case.tracers):
        option = f"tracers.{i}"
        if text := wrong_name_text(case, i):
            yield option, text
        elif isinstance(case.initial, FromFile):
            yield from _file_tracer_findings(option, name)
        elif name not in TRACERS:
            yield (
                option,
                f"unknown tracer '{name}'. {suggestion(name, TRACERS)} An initial file may have others.",
            )
        elif (
            name == INITIAL_TRACER
            and case.equations.has_levels
            and not AirStart(case.initial.type).has_tracer
        ):
            text = f"initial.type = '{case.initial.type}' has no '{name}'."
            yield option, f"{text} Take 'constant_tracer', or another initial.type."


def _file_tracer_findings(option: str, name: str) -> Iterator[Finding]:
    """Checks that the name of a tracer from a file is valid in output files."""
    from halcyon.atmosphere import air_variables

    advice = "Name it by its standard_name, or rename it in the file."
    if not _NAME.fullmatch(name):
        yield (
            option,
            f"the tracer's name '{name}' must consist of letters, digits and _, a letter first. {advice}",
        )
    elif name not in TRACERS and name in [*(row.name for row in air_variables()), *_RESERVED_NAMES]:
        yield option, f"the tracer '{name}' has the name of another variable of output files. {advice}"


def _unused_findings(case: AtmosphereCase) -> Iterator[Finding]:
    """Checks for options that have no effect with the equation set."""
    equations = case.equations
    context = f"with equations.set = '{equations.set}'"
    all_options = {name: None for options in _SET_OPTIONS.values() for name in options}
    unused = {
        f"equations.{name}": _sets_with(name)
        for name in all_options
        if name not in _SET_OPTIONS[equations.set]
    }
    if not equations.has_levels:
        level_options = ("levels", "physics", "tracers", "output.vertical")
        unused |= dict.fromkeys(level_options, _sets_with("levels"))
    for name, text in unused_option_findings(case, unused, context):
        with_advice = f"{context}. This set conserves energy with vertex_energy: 0."
        yield name, text.replace(f"{context}.", with_advice) if name == "equations.keep_energy" else text


def _sets_with(option: str) -> str:
    """Advice with the equation sets that have an option, or "levels"."""
    sets = (
        equation_set.name
        for equation_set in choices("equation sets")
        if option in (*equation_set.traits, *_SET_OPTIONS[equation_set.name])
    )
    return f"take set: {' or '.join(sets)}"


def _energy_findings(case: AtmosphereCase) -> Iterator[Finding]:
    """Checks for options that contradict equations.keep_energy."""
    equations = case.equations
    if not (equations.keep_energy and equations.has_levels):
        return
    changes = "changes energy, which equations.keep_energy does not allow. Leave out one of them."
    for name, required in _ENERGY_CONSERVING.items():
        given = getattr(equations, name)
        if given != required and differs_from_default(case, f"equations.{name}"):
            value = "" if name == "sponge" or given is True else f" = {decimal(given)}"
            yield f"equations.{name}", f"equations.{name}{value} {changes}"
    if case.physics:
        yield "physics", f"physics = '{labels_text(case.physics)}' {changes}"


def _scheme_findings(case: AtmosphereCase) -> Iterator[Finding]:
    """Checks for a semi-implicit scheme without effect, and for options of that scheme with another one."""
    has_fixed_wind = not isinstance(case.initial, FromFile) and case.initial.type == _FIXED_WIND_START
    does_nothing = "time.scheme = 'semi_implicit' does nothing for"
    if not case.is_semi_implicit:
        yield from _unused_semi_implicit_findings(case, "time.tolerance")
    elif case.equations.has_levels:
        text = f"{does_nothing} equations.set = '{case.equations.set}'."
        yield "time.scheme", f"{text} Leave it out, or take set: shallow_water."
    elif has_fixed_wind:
        text = f"{does_nothing} initial.type = '{_FIXED_WIND_START}', whose wind stays fixed."
        yield "time.scheme", f"{text} Leave it out."


def _unused_semi_implicit_findings(case: AirCase, *options: str) -> Iterator[Finding]:
    remedies = dict.fromkeys(options, "take scheme: semi_implicit")
    return unused_option_findings(case, remedies, "with the scheme runge_kutta")


def _layers_findings(case: AtmosphereCase) -> Iterator[Finding]:
    layers = case.exchange.layers
    if layers != "auto" and layers < case.min_layers:
        requirement = "monotone tracers need" if case.min_layers > HALO_LAYERS else "the atmosphere needs"
        text = f"exchange.layers = {layers}, but {requirement} {case.min_layers}."
        yield "exchange.layers", f"{text} Give {case.min_layers} or 'auto'."


def _grid_findings(case: SpectralCase) -> Iterator[Finding]:
    mesh, truncation = case.mesh, case.mesh.truncation
    latitudes, octahedral_rows = f"mesh.latitudes = {mesh.n_latitudes}", 2 * truncation + 2
    if mesh.grid == "octahedral" and mesh.points_per_wave != 3:
        yield unused_option("mesh.points_per_wave", "with mesh.grid = 'octahedral'", "take grid: reduced")
    elif mesh.grid != "full" and mesh.longitudes != "auto":
        context = f"with mesh.grid = '{mesh.grid}', whose rows differ in length"
        yield unused_option("mesh.longitudes", context, "take grid: full")
    elif mesh.grid == "full" and mesh.n_longitudes < 2 * truncation + 1:
        text = f"mesh.longitudes = {mesh.n_longitudes} is too small for truncation T{truncation}."
        yield "mesh.longitudes", f"{text} Give {2 * truncation + 1} or more, or 'auto'."
    elif mesh.n_latitudes <= truncation:
        minimum = octahedral_rows if mesh.grid == "octahedral" else truncation + 1
        text = f"{latitudes} is too small for truncation T{truncation}."
        yield "mesh.latitudes", f"{text} Give {minimum} or more, or 'auto'."
    elif mesh.grid == "octahedral" and mesh.n_latitudes % 2:
        text = f"{latitudes} is odd, but an octahedral grid has no row at the equator."
        yield "mesh.latitudes", f"{text} Give {mesh.n_latitudes + 1}, or 'auto'."
    elif mesh.grid == "octahedral" and not mesh.gaussian_grid.holds(truncation):
        text = f"{latitudes} makes octahedral rows next to the poles too short for truncation T{truncation}."
        yield "mesh.latitudes", f"{text} Give {octahedral_rows} or more, or 'auto'."


def _spectral_start_findings(case: SpectralCase) -> Iterator[Finding]:
    initial, truncation, equations = case.initial, case.mesh.truncation, case.equations.set
    if isinstance(initial, FromFile):
        given = [name for name in ("ground", "smoothing") if name in initial.model_fields_set]
        for name in given if equations == "barotropic" else ():
            yield unused_option(f"initial.{name}", "with equations.set = 'barotropic', which has no ground")
    elif (
        initial.type == "rossby_haurwitz"
        and initial.type in STARTS[equations]
        and initial.wavenumber >= truncation
    ):
        degree = initial.wavenumber + 1
        text = f"initial.wavenumber = {degree - 1} needs harmonics of degree {degree}, beyond truncation"
        yield (
            "initial.wavenumber",
            f"{text} T{truncation}. Give mesh.truncation = {degree} or more, or fewer waves.",
        )


def _spectral_scheme_findings(case: SpectralCase) -> Iterator[Finding]:
    equations = f"equations.set = '{case.equations.set}'"
    if case.equations.set == "barotropic" and case.is_semi_implicit:
        text = f"time.scheme = 'semi_implicit' does nothing for {equations},"
        yield "time.scheme", f"{text} which has no gravity waves. Leave it out."
    if case.physics and case.is_semi_implicit and case.time.filter == 0:
        schemes = labels_text(case.physics)
        text = (
            f"time.filter = 0 with physics = '{schemes}' lets the two time levels of semi_implicit separate."
        )
        yield "time.filter", f"{text} Leave it out, or give more than 0."
    if not case.equations.has_levels:
        names = ("levels", "physics", "tracers", "output.vertical", "equations.moist")
        remedies = dict.fromkeys(names, "take set: primitive")
        yield from unused_option_findings(case, remedies, f"with {equations}")
    if case.equations.is_semi_lagrangian:
        yield from semi_lagrangian_findings(case)
        return
    if case.mesh.points_per_wave == 2 and case.mesh.grid != "octahedral":
        text = "mesh.points_per_wave = 2 makes the products of Eulerian advection alias."
        yield "mesh.points_per_wave", f"{text} Leave it out, or take equations.advection: semi_lagrangian."
    if not case.is_semi_implicit:
        yield from _unused_semi_implicit_findings(case, "time.filter", "time.filter_share")
    others = ["equations.interpolation", "equations.monotone", "equations.mass_fixer", "time.decentring"]
    others += ["equations.monotone_tracers", "time.solver", "time.tolerance"]
    remedies = dict.fromkeys(
        (
            *others,
            *(["tracers", "equations.moist"] if case.equations.has_levels else []),
            "exchange.halo",
            "exchange.level_groups",
        ),
        "take equations.advection: semi_lagrangian",
    )
    yield from unused_option_findings(case, remedies, "with Eulerian advection")


def _sets_findings(case: SpectralCase) -> Iterator[Finding]:
    exchange, (max_v, max_w) = case.exchange, case.max_v_and_w
    if exchange.retune and not exchange.needs_tuning:
        context = f"where none of exchange.{', '.join(TUNED_OPTIONS)} is 'auto'"
        yield unused_option("exchange.retune", context, "take 'auto' for one of them")
    if exchange.core != "auto" and exchange.progress not in ("thread", "auto"):
        yield unused_option(
            "exchange.core", f"with exchange.progress = '{exchange.progress}'", "take progress: thread"
        )
    sets = exchange.sets
    if sets != "auto" and (sets[0] > max_v or sets[1] > max_w):
        text = f"exchange.sets = [V, W] = {sets}: T{case.mesh.truncation} on {case.mesh.description} allows"
        text += f" at most V = {max_v} and W = {max_w}."
        yield "exchange.sets", f"{text} Give smaller numbers, or 'auto'."
