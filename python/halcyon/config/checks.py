"""What must hold between several options, and between options and the files they name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from halcyon.config.case import Case
from halcyon.config.forcing import TrackWind
from halcyon.config.mesh import FileMesh, RegionMesh
from halcyon.config.messages import did_you_mean
from halcyon.config.yaml_source import Location

Finding = tuple[Location, str]


def findings(case: Case) -> Iterator[Finding]:
    """Every mistake of a case whose options are right one by one: the option, and the text."""
    yield from _time(case)
    yield from _output(case)
    if isinstance(case.mesh, RegionMesh):
        yield from _region(case.mesh)
        yield from _spacing(case.mesh)
    yield from _variables(case)
    yield from _stations(case)
    yield from _files(case)


def _time(case: Case) -> Iterator[Finding]:
    time = case.time
    if time.end <= time.start:
        yield ("time", "end"), f"time.end = {time.end.isoformat()} must be after time.start = {time.start.isoformat()}."
    elif not _divides(time.source_step, case.duration_s):
        text = f"the run lasts {case.duration_s:.15g} s, which is not a multiple of time.source_step = {time.source_step:.15g} s."
        yield ("time", "end"), f"{text} Move the end, or choose another source_step."
    if time.step != "auto" and not _divides(time.step, time.source_step):
        text = f"time.step = {time.step:.15g} s must divide time.source_step = {time.source_step:.15g} s."
        yield ("time", "step"), f"{text} Take {_nearest_divisor(time.step, time.source_step)} or 'auto'."


def _output(case: Case) -> Iterator[Finding]:
    output, source_step = case.output, case.time.source_step
    if not _divides(source_step, output.interval):
        text = f"output.interval = {output.interval:.15g} s must be a multiple of time.source_step = {source_step:.15g} s."
        multiple = max(1, round(output.interval / source_step)) * source_step
        yield ("output", "interval"), f"{text} Take {multiple:.15g}, or change source_step."
    if not _divides(output.interval, output.segment):
        text = f"output.segment = {output.segment:.15g} s must be a multiple of output.interval = {output.interval:.15g} s."
        yield ("output", "segment"), text


def _variables(case: Case) -> Iterator[Finding]:
    if case.output.variables is None:
        return
    from halcyon._core.wave import wave_variables

    known = [variable.name for variable in wave_variables() if variable.output]
    for i, name in enumerate(case.output.variables):
        if name not in known:
            near = did_you_mean(name, known)
            hint = f"Did you mean '{near}'?" if near else f"There are: {', '.join(known)}."
            yield ("output", "variables", i), f"unknown variable '{name}'. {hint}"


def _region(mesh: RegionMesh) -> Iterator[Finding]:
    box = mesh.region
    if box.east <= box.west:
        text = f"mesh.region.east = {box.east:.15g} must be larger than mesh.region.west = {box.west:.15g}."
        yield ("mesh", "region", "east"), f"{text} Across the date line write west 170, east 200."
    elif box.east - box.west > 360:
        yield ("mesh", "region", "east"), f"mesh.region spans {box.east - box.west:.15g} degrees; at most 360 are allowed."
    if box.north <= box.south:
        text = f"mesh.region.north = {box.north:.15g} must be larger than mesh.region.south = {box.south:.15g}."
        yield ("mesh", "region", "north"), text


def _spacing(mesh: RegionMesh) -> Iterator[Finding]:
    spacing = mesh.spacing
    if spacing.coast > spacing.ocean:
        text = f"mesh.spacing.coast = {spacing.coast:.15g} m must not exceed mesh.spacing.ocean = {spacing.ocean:.15g} m."
        yield ("mesh", "spacing", "coast"), text


def _stations(case: Case) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for i, station in enumerate(case.output.stations):
        if station.name in first:
            text = f"the station name '{station.name}' is also that of station {first[station.name] + 1}; names are unique."
            yield ("output", "stations", i, "name"), text
        first.setdefault(station.name, i)
        if isinstance(case.mesh, RegionMesh) and not _inside(case.mesh, station.longitude, station.latitude):
            box = case.mesh.region
            text = f"station '{station.name}' at {station.longitude:.15g} E, {station.latitude:.15g} N lies outside the region"
            sides = f"{box.west:.15g}..{box.east:.15g} E, {box.south:.15g}..{box.north:.15g} N"
            yield ("output", "stations", i), f"{text} ({sides})."


def _inside(mesh: RegionMesh, longitude: float, latitude: float) -> bool:
    box = mesh.region
    return (longitude - box.west) % 360 <= box.east - box.west and box.south <= latitude <= box.north


def _files(case: Case) -> Iterator[Finding]:
    if isinstance(case.mesh, FileMesh):
        yield from _file(("mesh", "file"), case.mesh.file)
    elif isinstance(case.mesh.depth.source, Path):
        yield from _file(("mesh", "depth", "source"), case.mesh.depth.source)
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


def _nearest_divisor(step: float, whole: float) -> str:
    return f"{whole / max(1, -(-whole // step)):.15g}"
