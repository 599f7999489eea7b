"""Consistency checks between options, and of the files that options name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from halcyon.config.case import HALO_LAYERS, Case, FromRestart
from halcyon.config.error_texts import Finding, suggestion, unused_option
from halcyon.config.forcing import Storms
from halcyon.config.mesh import FileMesh
from halcyon.config.mesh_checks import file_findings, mesh_findings, region_findings
from halcyon.config.option import decimal
from halcyon.config.physics import declare_fields, unknown_variable
from halcyon.config.run_case import RunCase
from halcyon.config.storm import ForecastErrors

if TYPE_CHECKING:
    from halcyon.config.spectral import SpectralCase

MOST_STEPS, MOST_RECORDS, MOST_FILES = 10_000_000_000, 10_000_000, 100_000  # of a run


def wave_findings(case: Case) -> Iterator[Finding]:
    """Yields (option, error text) for each inconsistency between individually valid options."""
    from halcyon._core.wave import wave_variables

    yield from _time_findings(case)
    yield from mesh_findings(case.mesh)
    yield from _stations_findings(case)
    yield from variable_findings(case, wave_variables(), has_more=declare_fields(case.physics.schemes))
    for i, scheme in enumerate(case.physics.schemes):
        if scheme.step is not None:
            text = "a source term is called in each source step. Leave out step, or change time.source_step."
            yield f"physics.schemes.{i}.step", text
    yield from partition_findings(case)
    yield from io_findings(case)
    yield from _layers_findings(case)
    yield from _files_findings(case)
    yield from _storm_findings(case)
    yield from _ensemble_findings(case)
    yield from _nests_findings(case)
    yield from _unused_findings(case)
    yield from _same_component_findings(case)


def count_findings(case: RunCase, loop_step: str, loop_step_s: float) -> Iterator[Finding]:
    """Yields intervals so short that a run would have too many steps, records or files.

    @param loop_step option with the step of the time loop; loop_step_s: its value
    """
    intervals = {
        loop_step: (loop_step_s, MOST_STEPS, "steps"),
        "time.step": (case.time.step, MOST_STEPS, "steps"),
        "output.interval": (case.output.interval, MOST_RECORDS, "records"),
        "output.segment": (case.output.segment_s, MOST_FILES, "files"),
        "restart.interval": (case.restart.interval, MOST_RECORDS, "restarts"),
    }
    for name, (interval, most, kind) in intervals.items():
        if not isinstance(interval, str) and case.duration_s / interval > most:
            text = f"{name} = {decimal(interval)} s makes {case.duration_s / interval:.4g} {kind} in a run of"
            advice = f"Take at least {decimal(math.ceil(case.duration_s / most * 1e6) / 1e6)} s"
            yield (
                name,
                f"{text} {decimal(case.duration_s)} s; at most {most:,} are possible. {advice}.",
            )


def _time_findings(case: Case) -> Iterator[Finding]:
    excess = list(count_findings(case, "time.source_step", case.time.source_step))
    if excess:
        yield from excess
        return
    step, interval, source_step = case.time.step, case.output.interval, case.time.source_step
    shorter_step = step if step == "auto" else decimal(source_step / math.ceil(source_step / step))
    yield from span_findings(
        case,
        "time.source_step",
        source_step,
        other_remedy="choose another source_step",
        valid_step=f"{shorter_step} or",
    )
    if divides(source_step, interval):
        yield from segment_findings(case)
    else:
        text = f"output.interval = {decimal(interval)} s must be a multiple of"
        nearest_multiple = decimal(max(1, round(interval / source_step)) * source_step)
        advice = f"Take {nearest_multiple}, or change source_step."
        yield "output.interval", f"{text} time.source_step = {decimal(source_step)} s. {advice}"


def span_findings(
    case: RunCase, name: str, interval: float, *, other_remedy: str, valid_step: str
) -> Iterator[Finding]:
    """Yields errors in `time`: the run must last a multiple of `interval` [s], the value of option `name`,
    and the step must divide `interval`.

    @param other_remedy second remedy for an invalid end, for the error text; the first is to move the end
    @param valid_step a valid time.step in words, followed by "or": the error text continues with 'auto'
    """
    start, end, step = case.time.start, case.time.end, case.time.step
    if end <= start:
        yield "time.end", f"time.end = {end.isoformat()} must be after time.start = {start.isoformat()}."
    elif not divides(interval, case.duration_s):
        text = f"the run lasts {decimal(case.duration_s)} s, which is not a multiple of"
        yield "time.end", f"{text} {name} = {decimal(interval)} s. Move the end, or {other_remedy}."
    if step != "auto" and not divides(step, interval):
        text = f"time.step = {decimal(step)} s must divide {name} = {decimal(interval)} s."
        yield "time.step", f"{text} Take {valid_step} 'auto'."


def segment_findings(case: RunCase) -> Iterator[Finding]:
    """Yields errors in output.segment."""
    interval, segment = case.output.interval, case.output.segment_s
    if not divides(interval, segment):
        text = f"output.segment = {decimal(segment)} s must be a multiple of"
        yield "output.segment", f"{text} output.interval = {decimal(interval)} s."


def variable_findings(
    case: RunCase, table: Iterable[Any], fixed: Sequence[str] = (), has_more: bool = False
) -> Iterator[Finding]:
    """Yields errors in output.variables.

    @param table all variables of the model
    @param fixed names of variables that every file has, and that cannot be requested
    @param has_more whether schemes of the case may declare other variables
    """
    known = [variable.name for variable in table if variable.output and variable.name not in fixed]
    requested = case.output.variables or []
    for i, name in enumerate(requested):
        if name in requested[:i]:
            yield f"output.variables.{i}", f"the variable '{name}' is named twice."
        elif name not in known and not has_more:
            yield f"output.variables.{i}", unknown_variable(case, name, known)


def _stations_findings(case: Case) -> Iterator[Finding]:
    stations = case.output.stations
    box = None if isinstance(case.mesh, FileMesh) else case.mesh.region
    if box is None or list(region_findings(box)):
        return
    for i, station in enumerate(stations):
        is_inside = (station.longitude - box.west) % 360 <= box.east - box.west
        if not (is_inside and box.south <= station.latitude <= box.north):
            west, east, south, north = (decimal(side) for side in box.model_dump().values())
            position = f"{decimal(station.longitude)} E, {decimal(station.latitude)} N"
            text = f"station '{station.name}' at {position} lies outside the region"
            yield f"output.stations.{i}", f"{text} ({west}..{east} E, {south}..{north} N)."
    names = [station.name for station in stations]
    for i, name in enumerate(names):
        if names.index(name) != i:
            text = f"the station name '{name}' is already the name of station {names.index(name) + 1}."
            yield f"output.stations.{i}.name", f"{text} Give another name."


def partition_findings(case: RunCase) -> Iterator[Finding]:
    """Yields errors in the group `partition`."""
    method, file = case.partition.method, case.partition.file
    if method == "file" and file is None:
        text = "partition.method = 'file' needs partition.file, such as graph.info.part.8."
        yield "partition.method", text
    elif method != "file" and file is not None:
        text = f"partition.file does not go together with partition.method = '{method}'."
        yield "partition.file", f"{text} Set the method to file, or remove the file."
    elif file is not None:
        yield from file_findings("partition.file", file)


def io_findings(case: RunCase) -> Iterator[Finding]:
    """Yields I/O options that do not apply to the case's file layout."""
    for name, layout in (("ranks", "box"), ("group_size", "groups")):
        if differs_from_default(case, f"io.{name}") and case.io.layout != layout:
            text = f"io.{name} = {getattr(case.io, name)} does nothing with io.layout = '{case.io.layout}'."
            yield f"io.{name}", f"{text} Leave it out, or take layout: {layout}."


def unused_option_findings(case: RunCase, remedies: Mapping[str, str], context: str) -> Iterator[Finding]:
    """Yields options that the case gives without effect in a context such as "with io.layout = 'box'".

    @param remedies for each option without effect in this context: the change that would give it an effect
    """
    return (
        unused_option(name, context, remedy)
        for name, remedy in remedies.items()
        if differs_from_default(case, name)
    )


def differs_from_default(case: RunCase, option: str) -> bool:
    """Whether an option differs from its default."""
    *groups, name = option.split(".")
    group = getattr(case, groups[0]) if groups else case
    default = type(group).model_fields[name].get_default(call_default_factory=True)
    return getattr(group, name) != default


def _layers_findings(case: Case) -> Iterator[Finding]:
    scheme, layers = case.equations.scheme, case.exchange.layers
    if layers != "auto" and layers < HALO_LAYERS[scheme]:
        needed = HALO_LAYERS[scheme]
        text = f"exchange.layers = {layers}, but equations.scheme = '{scheme}' needs {needed}."
        yield "exchange.layers", f"{text} Give {needed} or 'auto', or take equations.scheme: upwind."


def _files_findings(case: Case) -> Iterator[Finding]:
    if isinstance(case.forcing.wind, Storms):
        for location, storm in case.forcing.wind.storms.items():
            name = ".".join(map(str, ("forcing", "wind", *location)))
            yield from file_findings(f"{name}.track", storm.track)
            if storm.best is not None:
                yield from file_findings(f"{name}.best", storm.best)
    if isinstance(case.initial, FromRestart):
        yield from file_findings("initial.file", case.initial.file)


def _storm_findings(case: Case) -> Iterator[Finding]:
    """Checks the inner and outer radius of the storm's wind."""
    wind = case.forcing.wind
    if isinstance(wind, Storms) and wind.outer_m is not None and wind.outer_m <= wind.inner_radius:
        inner = f"forcing.wind.inner_radius = {decimal(wind.inner_radius)} m"
        text = f"{inner} must be less than the outer radius, {decimal(wind.outer_m)} m."
        yield "forcing.wind.inner_radius", text


def _ensemble_findings(case: Case) -> Iterator[Finding]:
    """Checks the table of forecast errors and the options of the ensemble."""
    storms = case.forcing.wind.storms if isinstance(case.forcing.wind, Storms) else {}
    for location, storm in storms.items():
        option = ".".join(map(str, ("forcing", "wind", *location, "perturbation", "errors")))
        errors = storm.perturbation and storm.perturbation.errors
        if not isinstance(errors, ForecastErrors):
            continue
        hours = errors.hours
        if hours[0] != 0 or any(later <= earlier for earlier, later in pairwise(hours)):
            yield f"{option}.hours", f"the lead times {hours} must increase from 0."
        for name in ("along", "across", "wind"):
            if len(getattr(errors, name)) != len(hours):
                text = f"{len(getattr(errors, name))} errors {name} for {len(hours)} lead times."
                yield f"{option}.{name}", f"{text} Give one for each of {option}.hours."
    for name in case.ensemble.exceeding or ():
        if name not in case.output.variables:
            text = f"the variable '{name}' is not in output.variables."
            yield f"ensemble.exceeding.{name}", f"{text} {suggestion(name, case.output.variables)}"
        elif name.endswith("direction"):
            yield (
                f"ensemble.exceeding.{name}",
                f"'{name}' is a direction, which has no thresholds. Leave it out.",
            )


def _unused_findings(case: Case) -> Iterator[Finding]:
    """Yields given options that have no effect because of other options."""
    equations, time, wind, physics = case.equations, case.time, case.forcing.wind, case.physics
    if equations.scheme == "upwind" and "swell_age" in equations.model_fields_set and equations.swell_age > 0:
        yield unused_option(
            "equations.swell_age", "with equations.scheme = 'upwind'", "take scheme: second_order"
        )
    if time.step != "auto" and time.bands not in ("auto", 1):
        text = f"time.bands = {time.bands} does nothing with time.step = {decimal(time.step)} s."
        yield "time.bands", f"{text} Leave it out, or take step: auto."
    if "breaker_index" in physics.model_fields_set and physics.breaking == 0:
        text = f"physics.breaker_index does nothing with physics.breaking = 0 of set {physics.set}."
        yield "physics.breaker_index", f"{text} Give breaking: 1, too."
    if isinstance(wind, Storms) and wind.outer_m is None and "inner_radius" in wind.model_fields_set:
        text = "forcing.wind.inner_radius does nothing without an outer radius."
        yield "forcing.wind.inner_radius", f"{text} Give outer_radius or background, or leave it out."


def _same_component_findings(case: Case) -> Iterator[Finding]:
    """Yields vectors whose eastward and northward component are the same variable of the files."""
    wind, current = case.forcing.wind, case.forcing.current
    vectors = {"wind": wind, "wind.background": getattr(wind, "background", None), "current": current}
    for name, group in vectors.items():
        names = getattr(group, "variables", None)
        if names is not None and names.eastward == names.northward:
            text = f"both components of forcing.{name} are the variable '{names.eastward}'."
            yield f"forcing.{name}.variables.northward", f"{text} Name two different variables."


def _nests_findings(case: Case) -> Iterator[Finding]:
    names = [nest.name for nest in case.output.nests]
    for i, nest in enumerate(case.output.nests):
        option = f"output.nests.{i}"
        if names.index(nest.name) != i:
            yield f"{option}.name", f"two nests have the name '{nest.name}'. Give another name."
        if nest.source is None:
            yield (
                option,
                f"the nest '{nest.name}' needs one of points, mesh, region and case. Give one of them.",
            )
        for name in ("points", "mesh", "case"):
            if getattr(nest, name) is not None:
                yield from file_findings(f"{option}.{name}", getattr(nest, name))


def divides(part: float, whole: float) -> bool:
    """Whether `whole` is a multiple of `part`, up to rounding."""
    count = whole / part
    return math.isfinite(count) and abs(count - round(count)) < 1e-9 * max(1.0, count) and round(count) >= 1


def semi_lagrangian_findings(case: SpectralCase) -> Iterator[Finding]:
    """Checks of a case of the spectral model with semi-Lagrangian advection."""
    advection, equations = "equations.advection = 'semi_lagrangian'", case.equations
    if equations.set == "barotropic":
        text = f"{advection} is not for equations.set = 'barotropic'."
        yield "equations.advection", f"{text} Take set: shallow_water or primitive, or leave it out."
    if case.time.scheme != "auto":
        text = f"time.scheme = '{case.time.scheme}' is Eulerian, but {advection}."
        yield "time.scheme", f"{text} Leave out one of them."
    remedies = dict.fromkeys(("time.filter", "time.filter_share"), "leave out equations.advection")
    yield from unused_option_findings(case, remedies, f"with {advection}")
    n_levels = case.levels.n_levels if equations.has_levels else 1
    if case.exchange.level_groups > n_levels:
        levels = f"{n_levels} levels" if n_levels > 1 else "one level"
        text = f"exchange.level_groups = {case.exchange.level_groups}, but there is {levels}."
        yield "exchange.level_groups", f"{text} Give at most {n_levels}."
    if case.time.solver == "direct":
        remedies = {"time.tolerance": "take time.solver: gcr"}
        yield from unused_option_findings(case, remedies, "with time.solver = 'direct'")
    tilt, step_s = getattr(case.initial, "tilt", 0.0), case.time.step
    if tilt and step_s != "auto" and case.time.solver == "direct":
        # Inertial oscillations of the extrapolated part of the Coriolis force grow by (f dt)^4/4 per step.
        f = 2 * equations.rotation * abs(math.sin(math.radians(tilt)))
        growth = case.duration_s / step_s * (f * step_s) ** 4 / 4
        if growth > 1:
            longest_s = (4 / (case.duration_s * f**4)) ** (1 / 3)
            text = (
                f"initial.tilt = {tilt:g}: the Coriolis force of a tilted axis is extrapolated by the direct"
            )
            text += f" solver, and steps of {step_s:g} s make it grow. Give at most {longest_s:.0f} s,"
            yield "initial.tilt", f"{text} no tilt, or time.solver: gcr."
