"""What must hold between several options, and between options and the files they name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from halcyon.config.case import Case
from halcyon.config.forcing import TrackWind
from halcyon.config.mesh import FileMesh, RegionMesh, Spectrum
from halcyon.config.messages import did_you_mean
from halcyon.config.option import figure
from halcyon.config.yaml_source import Location

Finding = tuple[Location, str]

HIGHEST_FREQUENCY = 5.0  # [Hz]; shorter waves than 6 cm are ruled by surface tension


def findings(case: Case) -> Iterator[Finding]:
    """Every mistake of a case whose options are right one by one: the option, and the text."""
    yield from _time(case)
    yield from _output(case)
    yield from _spectrum(case.mesh.spectrum)
    if isinstance(case.mesh, RegionMesh):
        wrong_region = list(_region(case.mesh))
        yield from wrong_region or _stations(case, case.mesh)
        yield from _spacing(case.mesh)
    yield from _names(case)
    yield from _variables(case)
    yield from _files(case)


def _time(case: Case) -> Iterator[Finding]:
    start, end, step, source_step = case.time.start, case.time.end, case.time.step, case.time.source_step
    if end <= start:
        yield ("time", "end"), f"time.end = {end.isoformat()} must be after time.start = {start.isoformat()}."
    elif not _divides(source_step, case.duration_s):
        text = f"the run lasts {figure(case.duration_s)} s, which is not a multiple of"
        advice = "Move the end, or choose another source_step."
        yield ("time", "end"), f"{text} time.source_step = {figure(source_step)} s. {advice}"
    if step != "auto" and not _divides(step, source_step):
        text = f"time.step = {figure(step)} s must divide time.source_step = {figure(source_step)} s."
        shorter = figure(source_step / math.ceil(source_step / step))
        yield ("time", "step"), f"{text} Take {shorter} or 'auto'."


def _output(case: Case) -> Iterator[Finding]:
    interval, segment, source_step = case.output.interval, case.output.segment, case.time.source_step
    if not _divides(source_step, interval):
        text = f"output.interval = {figure(interval)} s must be a multiple of"
        multiple = figure(max(1, round(interval / source_step)) * source_step)
        advice = f"Take {multiple}, or change source_step."
        yield ("output", "interval"), f"{text} time.source_step = {figure(source_step)} s. {advice}"
    elif not _divides(interval, segment):
        text = f"output.segment = {figure(segment)} s must be a multiple of"
        yield ("output", "segment"), f"{text} output.interval = {figure(interval)} s."


def _spectrum(spectrum: Spectrum) -> Iterator[Finding]:
    first, ratio = spectrum.first_frequency, spectrum.ratio
    steps_left = math.log(HIGHEST_FREQUENCY / first) / math.log(ratio)
    if spectrum.frequencies - 1 <= steps_left * (1 + 1e-9):
        return
    top = first * ratio ** (spectrum.frequencies - 1)
    text = f"mesh.spectrum reaches {top:.3g} Hz, beyond the {figure(HIGHEST_FREQUENCY)} Hz where wind waves"
    advice = f"At this first_frequency and ratio take at most {math.floor(steps_left) + 1} frequencies."
    yield ("mesh", "spectrum", "frequencies"), f"{text} end. {advice}"


def _variables(case: Case) -> Iterator[Finding]:
    from halcyon._core.wave import wave_variables

    known = [variable.name for variable in wave_variables() if variable.output]
    for i, name in enumerate(case.output.variables):
        if name in case.output.variables[:i]:
            yield ("output", "variables", i), f"the variable '{name}' is named twice."
        elif name not in known:
            near = did_you_mean(name, known)
            hint = f"Did you mean '{near}'?" if near else f"There are: {', '.join(known)}."
            yield ("output", "variables", i), f"unknown variable '{name}'. {hint}"


def _region(mesh: RegionMesh) -> Iterator[Finding]:
    box = mesh.region
    west, east, south, north = (figure(side) for side in (box.west, box.east, box.south, box.north))
    if box.east <= box.west:
        text = f"mesh.region.east = {east} must be larger than mesh.region.west = {west}."
        yield ("mesh", "region", "east"), f"{text} Across the date line write west 170, east 200."
    elif box.east - box.west > 360:
        text = f"mesh.region spans {figure(box.east - box.west)} degrees; at most 360 are allowed."
        yield ("mesh", "region", "east"), text
    if box.north <= box.south:
        text = f"mesh.region.north = {north} must be larger than mesh.region.south = {south}."
        yield ("mesh", "region", "north"), text


def _spacing(mesh: RegionMesh) -> Iterator[Finding]:
    coast, ocean = mesh.spacing.coast, mesh.spacing.ocean
    if coast > ocean:
        text = f"mesh.spacing.coast = {figure(coast)} m must not exceed"
        yield ("mesh", "spacing", "coast"), f"{text} mesh.spacing.ocean = {figure(ocean)} m."
    elif ocean - coast > mesh.spacing.transition / 2:
        text = f"mesh.spacing.transition = {figure(mesh.spacing.transition)} m is too short to grow from"
        advice = f"Give at least {figure(2 * (ocean - coast))} m."
        found = f"{text} {figure(coast)} to {figure(ocean)} m in good shape. {advice}"
        yield ("mesh", "spacing", "transition"), found


def _names(case: Case) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for i, station in enumerate(case.output.stations):
        if station.name in first:
            text = f"the station name '{station.name}' is also that of station {first[station.name] + 1};"
            yield ("output", "stations", i, "name"), f"{text} names are unique."
        first.setdefault(station.name, i)


def _stations(case: Case, mesh: RegionMesh) -> Iterator[Finding]:
    west, east, south, north = (figure(side) for side in mesh.region.model_dump().values())
    for i, station in enumerate(case.output.stations):
        if not _inside(mesh, station.longitude, station.latitude):
            place = f"{figure(station.longitude)} E, {figure(station.latitude)} N"
            text = f"station '{station.name}' at {place} lies outside the region"
            yield ("output", "stations", i), f"{text} ({west}..{east} E, {south}..{north} N)."


def _inside(mesh: RegionMesh, longitude: float, latitude: float) -> bool:
    box = mesh.region
    return (longitude - box.west) % 360 <= box.east - box.west and box.south <= latitude <= box.north


def _files(case: Case) -> Iterator[Finding]:
    if isinstance(case.mesh, FileMesh):
        yield from _file(("mesh", "file"), case.mesh.file)
    else:
        for name, source in (("coast", case.mesh.coast.source), ("depth", case.mesh.depth.source)):
            if isinstance(source, Path):
                yield from _file(("mesh", name, "source"), source)
    if isinstance(case.forcing.wind, TrackWind):
        yield from _file(("forcing", "wind", "track"), case.forcing.wind.track)


def _file(location: Location, path: Path) -> Iterator[Finding]:
    name = ".".join(map(str, location))
    if path.is_dir():
        yield location, f"{name} = {path} is a folder; give a file."
    elif not path.exists():
        yield location, f"{name} = {path} does not exist.{_present(path)}"


def _present(path: Path) -> str:
    """What there is instead: the nearest name, or the files of the same kind."""
    if not path.parent.is_dir():
        return f" Nor does the folder {path.parent}."
    names = sorted(p.name for p in path.parent.iterdir() if p.is_file())
    near = did_you_mean(path.name, names)
    if near:
        return f" Did you mean '{near}'?"
    alike = [name for name in names if Path(name).suffix == path.suffix][:5]
    return f" In its folder there is: {', '.join(alike)}." if alike else ""


def _divides(part: float, whole: float) -> bool:
    count = whole / part
    return abs(count - round(count)) < 1e-9 * max(1.0, count) and round(count) >= 1
