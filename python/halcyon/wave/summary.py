"""What Halcyon recognizes in a file of another model, and the lines of a case that use the file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import ChoiceError, ConfigError, InputError, require_regular_file
from halcyon.mesh.cf_file import format_time, is_netcdf, numbers, short_unit
from halcyon.mesh.data_file import coordinate_values, is_grib, is_zarr, open_data, values_text
from halcyon.wave.gridded import CURRENT, ICE, LEVEL, WIND, Axes, Curvilinear, Scattered
from halcyon.wave.gridded.catalogue import are_relative_to_grid, join, select_period
from halcyon.wave.gridded.grid import bounds_text
from halcyon.wave.gridded.grid_variable import PRESSURES, grid_variables
from halcyon.wave.spectra import open_sources
from halcyon.wave.spectra.ndbc import is_ndbc_text, names_of_set
from halcyon.wave.spectra.netcdf import has_spectra
from halcyon.wave.spectra.source import is_spectra_text
from halcyon.wave.track import read_track

GROUPS = {"wind": WIND, "current": CURRENT, "ice": (ICE,), "water_level": (LEVEL,)}  # of forcing, by option
_KINDS_OF_GRID: dict[type, str] = {
    Axes: "latitudes and longitudes",
    Curvilinear: "two-dimensional latitudes and longitudes",
    Scattered: "points",
}
_MEMBERS = ("number", "member", "ensemble", "realization", "ens")  # coordinates that number members
_MOST_OTHERS = 12  # variables without a meaning that are listed
_PLAIN_TEXT = re.compile(r"[A-Za-z1-9_][\w./+-]*( [\w./+-]+)*")  # without quotes in YAML
_MOST_CHOICES = 4  # of options, in one file
_OPTIONS_OF_SPECTRA = {  # that the file does not determine, by their names in errors
    "boundary.directions": "directions: from  # or towards, cartesian",
    "boundary.position": "position: {longitude: LONGITUDE, latitude: LATITUDE}",
}


@dataclass(frozen=True)
class Part:
    """A recognized part of a file: rows (property, text), and the lines of a case that use it; or the reason
    why the file cannot be used for it as it is."""

    title: str
    rows: dict[str, str]
    lines: str = ""
    obstacle: str = ""


@dataclass(frozen=True)
class Summary:
    """The format of a file, its recognized parts, and the names of its other variables."""

    format: str
    parts: list[Part]
    others: list[str]


def summary_of(path: Path | str) -> Summary:
    """Returns what a file of gridded fields, a track or spectra has. Raises InputError if it cannot be read,
    and ConfigError if there is no such file."""
    path = Path(path)
    if not path.exists():
        raise ConfigError(f"There is no file {path}. Check the path.")
    is_store = path.is_dir() and is_zarr(path)
    if not is_store:
        require_regular_file(path, "data")
    if not (is_store or is_grib(path) or is_netcdf(path, "data")):
        return _summary_of_text(path)
    with open_data(path) as file:
        name = "Zarr" if is_store else "GRIB" if is_grib(path) else "netCDF"
        if has_spectra(file):
            return Summary(name, [_spectra(path)], [])
        if {"sid", "iso_time"} <= set(file.variables):  # IBTrACS
            return Summary(name, [_track_part(path)], [])
        parts = [*_gridded(path, _members(path, file)), *_start(path, file)]
        used = {word for part in parts for word in part.rows.get("variables", "").replace(",", "").split()}
        others = [str(v) for v in file.variables if v not in used and file[v].ndim > 1]
        return Summary(name, parts, others[:_MOST_OTHERS])


def _members(path: Path, file: Any) -> dict[str, list[Any]]:
    """The values of the coordinate that numbers the members of a file, by its name; empty with one member."""
    for name in _MEMBERS:
        if name in file.variables or name in file.sizes:
            values = list(dict.fromkeys(coordinate_values(path, file, name)))
            return {name: values} if len(values) > 1 else {}
    return {}


def _gridded(path: Path, members: dict[str, list[Any]]) -> Iterator[Part]:
    """The quantities of a forcing that a file has; of several members, those of the first."""
    select = {name: values[0] for name, values in members.items()}
    for option, quantities in GROUPS.items():
        try:
            read = partial(_catalogues, path, quantities)
            found, options, choice = _with_choices(path, read, {"select": select} if select else {})
        except (ConfigError, InputError) as error:
            yield Part(option, {}, obstacle=str(error))
            continue
        if found:
            for name, values in members.items():
                choice["members"] = f"{len(values)} ({name}: {values_text(values)})"
            yield _gridded_part(path, option, quantities, found, options, choice)


def _start(path: Path, file: Any) -> Iterator[Part]:
    """The levels of the temperature, if a file may be the start of an atmosphere."""
    for name, variable in file.variables.items():
        levels = [file[d] for d in variable.dims if d in file.variables and short_unit(file[d]) in PRESSURES]
        if variable.attrs.get("standard_name") == "air_temperature" and levels and levels[0].size > 1:
            values = numbers(levels[0])
            rows = {
                "variables": str(name),
                "levels": f"{len(values)}, from {values.min():g} to {values.max():g} {levels[0].units}",
            }
            yield Part("start of an atmosphere", rows, f"initial: {path.name}\n")
            return


def _with_choices(
    path: Path, read: Callable[..., Any], options: dict[str, Any]
) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """What `read` returns with the options and those that choose one of several in the file, these options,
    and a row that states the choices. Raises the errors of `read`."""
    texts: list[str] = []
    while True:
        try:
            return read(**options), options, {"choice": " ".join(texts)} if texts else {}
        except ChoiceError as error:
            if len(texts) == _MOST_CHOICES:
                raise
            texts.append(str(error).removeprefix(str(path)).lstrip(": "))
            select = options.get("select", {}) | error.options.get("select", {})
            options = options | error.options | ({"select": select} if select else {})


def _catalogues(path: Path, quantities: Sequence[Any], **options: Any) -> list[Any]:
    """The catalogues of the quantities in a file. Raises InputError where records of a time differ."""
    found = grid_variables(path, dict.fromkeys(quantities), None, **options)
    catalogues = [join(quantity, [variable]) for quantity, variable in found.items()]
    for each in catalogues:
        times = [record.time for record in each.records] or [np.datetime64(0, "s")]
        select_period(each, times[0], times[-1], longest_gap=np.inf)
    return catalogues


def _gridded_part(
    path: Path,
    option: str,
    quantities: Sequence[Any],
    found: list[Any],
    options: dict[str, Any],
    further_rows: dict[str, str],
) -> Part:
    variables = [catalogue.records[0].parts[0][0] for catalogue in found]
    rows = {
        "variables": ", ".join(dict.fromkeys(variable.name for variable in variables)),
        "grid": f"{_KINDS_OF_GRID.get(type(found[0].grid), 'rows of latitudes')},"
        f" {_shape_text(found[0].grid)}",
        "extent": found[0].grid.extent,
        "times": times_text(np.array([record.time for record in found[0].records])),
    }
    lines = _lines("forcing", option, files=_yaml(path.name), **{k: _yaml(v) for k, v in options.items()})
    if len(found) < len(quantities):
        names = f"[{_yaml(path.name)}, OTHER_FILE]"
        obstacle = (
            f"it has one component, {rows['variables']}. Give also the file of the other: files: {names}."
        )
        return Part(option, rows | further_rows, _lines("forcing", option, files=names), obstacle)
    if len(found) == 2:
        try:
            is_relative = are_relative_to_grid(found, variables, "auto")
            rows["components"] = (
                "along the grid, turned to east and north" if is_relative else "eastward and northward"
            )
        except InputError:
            rows["components"] = "the file does not say whether they are along the grid or to east and north"
            lines += (
                f"    components: {'grid  # or east_north' if found[0].grid.has_axes else 'east_north'}\n"
            )
    return Part(option, rows | further_rows, lines)


def _yaml(value: Any) -> str:
    """A value as a text of YAML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_yaml(each)}' for key, each in value.items())}}}"
    if isinstance(value, np.datetime64):
        return str(np.datetime_as_string(value, unit="m"))
    if isinstance(value, float):
        return f"{value:.15g}"
    is_plain = not isinstance(value, str) or _PLAIN_TEXT.fullmatch(value)
    return str(value) if is_plain else json.dumps(value, ensure_ascii=False)


def _lines(*groups: str, **options: str) -> str:
    """Lines of a case: options in groups."""
    lines = [f"{'  ' * i}{group}:" for i, group in enumerate(groups)]
    lines += [f"{'  ' * len(groups)}{name}: {text}" for name, text in options.items()]
    return "\n".join(lines) + "\n"


def _shape_text(grid: Any) -> str:
    rows = getattr(grid, "shape", None)
    return f"{rows[0]} x {rows[1]} points" if rows else f"{grid.size} points"


def _spectra(path: Path) -> Part:
    """The spectra of a file, and how they are used at an open side."""
    lines = _lines("boundary", files=_yaml(path.name))
    try:
        sources, options, choice = _with_choices(path, partial(open_sources, [str(path)]), {})
    except (ConfigError, InputError) as error:
        needed = [line for name, line in _OPTIONS_OF_SPECTRA.items() if name in str(error)]
        if needed and not is_netcdf(path, "data") and is_ndbc_text(path):
            lines = _lines("boundary", files=names_of_set(path))
        text = "".join([lines, *(f"  {line}\n" for line in needed)]) if needed else ""
        return Part("spectra", {}, text, obstacle=str(error))
    longitude = np.concatenate([source.longitude for source in sources])
    latitude = np.concatenate([source.latitude for source in sources])
    first, others = sources[0], sources[1:]
    rows = {
        "points": f"{len(longitude)}, {bounds_text(longitude, latitude)}",
        "frequencies": f"{len(first.frequency)},"
        f" from {first.frequency[0]:.4g} to {first.frequency[-1]:.4g} Hz",
        "directions": str(len(first.direction)),
        "times": times_text(first.times) if len(first.times) else "stationary",
    }
    lines = _lines("boundary", files=_yaml(path.name), **{k: _yaml(v) for k, v in options.items()})
    if others:
        rows["groups"] = f"{len(sources)} groups of points with other times or bins; the first is shown"
    return Part("spectra", rows | choice, lines)


def _summary_of_text(path: Path) -> Summary:
    """The spectra or the track of a text file."""
    if is_spectra_text(path):
        return Summary("text", [_spectra(path)], [])
    return Summary("text", [_track_part(path)], [])


def _track_part(path: Path) -> Part:
    """The track of a file; of several storms or forecasts, the one that the lines choose."""
    try:
        track, options, choice = _with_choices(path, partial(read_track, path), {})
    except (ConfigError, InputError) as error:
        return Part("track", {}, obstacle=str(error))
    known = {
        "wind": np.isfinite(track.wind).sum(),
        "pressure": np.isfinite(track.pressure).sum(),
        "radius of maximum wind": np.isfinite(track.rmax).sum(),
    }
    rows = {
        "storm": track.title or track.storm or "without a name",
        "records": f"{len(track)}: {', '.join(f'{name} {n}' for name, n in known.items())}",
        "extent": bounds_text(track.longitude, track.latitude),
        "times": times_text(track.times),
    }
    lines = _lines("forcing", "wind", track=_yaml(path.name), **{k: _yaml(v) for k, v in options.items()})
    return Part("track", rows | choice, lines)


def times_text(times: np.ndarray) -> str:
    """Returns the number, the first and last, and the usual interval of times (datetime64)."""
    times = np.unique(times)
    if len(times) == 1:
        return f"{format_time(times[0])} UTC"
    interval_h = float(np.median(np.diff(times)) / np.timedelta64(1, "s")) / 3600
    return (
        f"{len(times)}, from {format_time(times[0])} to {format_time(times[-1])} UTC, every {interval_h:g} h"
    )
