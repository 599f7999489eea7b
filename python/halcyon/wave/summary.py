"""What Halcyon recognizes in a file of another model, and the lines of a case that use the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import ConfigError, InputError, require_regular_file
from halcyon.mesh.cf_file import format_time, is_netcdf, numbers, short_unit
from halcyon.mesh.data_file import coordinate_values, is_grib, is_zarr, open_data, values_text
from halcyon.wave.gridded import CURRENT, ICE, LEVEL, WIND, Axes, Curvilinear, Scattered
from halcyon.wave.gridded.grid import bounds_text
from halcyon.wave.gridded.grid_variable import grid_variables
from halcyon.wave.spectra import open_sources
from halcyon.wave.spectra.netcdf import has_spectra
from halcyon.wave.spectra.source import is_spectra_text
from halcyon.wave.track import read_track

GROUPS = {"wind": WIND, "current": CURRENT, "ice": (ICE,), "water_level": (LEVEL,)}  # of forcing, by option
_KINDS_OF_GRID = {
    Axes: "latitudes and longitudes",
    Curvilinear: "two-dimensional latitudes and longitudes",
    Scattered: "points",
}
_PRESSURES = ("pa", "hpa", "mbar", "mb", "millibar", "millibars")
_MEMBERS = ("number", "member", "ensemble", "realization", "ens")  # coordinates that number members
_MOST_OTHERS = 12  # variables without a meaning that are listed


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


def _members(path: Path, file: Any) -> dict[str, list]:
    """The values of the coordinate that numbers the members of a file, by its name; empty with one member."""
    for name in _MEMBERS:
        if name in file.variables or name in file.sizes:
            values = list(dict.fromkeys(coordinate_values(path, file, name)))
            return {name: values} if len(values) > 1 else {}
    return {}


def _gridded(path: Path, members: dict[str, list]) -> Iterator[Part]:
    """The quantities of a forcing that a file has; of several members, those of the first."""
    select = {name: values[0] for name, values in members.items()}
    for option, quantities in GROUPS.items():
        try:
            found = grid_variables(path, dict.fromkeys(quantities), None, select=select)
        except (ConfigError, InputError) as error:
            yield Part(option, {}, obstacle=str(error))
            continue
        if len(found) < len(quantities):
            continue
        variables = list(found.values())
        grid = variables[0].grids[0]
        rows = {
            "variables": ", ".join(variable.name for variable in variables),
            "grid": f"{_KINDS_OF_GRID.get(type(grid), 'rows of latitudes')}, {_shape_text(grid)}",
            "extent": grid.extent,
            "times": times_text(variables[0].times),
        }
        if len(variables) == 2:
            rows["components"] = _components_text(variables[0].relative_to_grid, grid)
        for name, values in members.items():
            rows["members"] = f"{len(values)} ({name}: {values_text(values)})"
        lines = [f"    select: {{{name}: {values_text([value])}}}\n" for name, value in select.items()]
        yield Part(option, rows, "".join([f"forcing:\n  {option}:\n    files: {path.name}\n", *lines]))


def _start(path: Path, file: Any) -> Iterator[Part]:
    """The levels of the temperature, if a file may be the start of an atmosphere."""
    for name, variable in file.variables.items():
        levels = [file[d] for d in variable.dims if d in file.variables and short_unit(file[d]) in _PRESSURES]
        if variable.attrs.get("standard_name") == "air_temperature" and levels and levels[0].size > 1:
            values = numbers(levels[0])
            rows = {
                "variables": str(name),
                "levels": f"{len(values)}, from {values.min():g} to {values.max():g} {levels[0].units}",
            }
            yield Part("start of an atmosphere", rows, f"initial: {path.name}\n")
            return


def _components_text(relative_to_grid: bool | None, grid: Any) -> str:
    if relative_to_grid is None and not grid.is_plain:
        return "not said by the file: add `components: grid` or `components: east_north`"
    return "along the grid, turned to east and north" if relative_to_grid else "eastward and northward"


def _shape_text(grid: Any) -> str:
    rows = getattr(grid, "shape", None)
    return f"{rows[0]} x {rows[1]} points" if rows else f"{grid.size} points"


def _spectra(path: Path) -> Part:
    """The spectra of a file, and how they are used at an open side."""
    lines = f"boundary:\n  files: {path.name}\n"
    try:
        sources = open_sources([str(path)])
    except (ConfigError, InputError) as error:
        return _unusable("spectra", lines, error)
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
    if others:
        rows["groups"] = f"{len(sources)} groups of points with other times or bins; the first is shown"
    return Part("spectra", rows, lines)


def _summary_of_text(path: Path) -> Summary:
    """The spectra or the track of a text file."""
    if is_spectra_text(path):
        return Summary("text", [_spectra(path)], [])
    return Summary("text", [_track_part(path)], [])


def _unusable(title: str, lines: str, error: Exception) -> Part:
    """A part that needs an option of the case, which the error names, or that is not in the file."""
    needs_option = any(group in str(error) for group in ("forcing.", "boundary."))
    return Part(title, {}, lines if needs_option else "", obstacle=str(error))


def _track_part(path: Path) -> Part:
    """The track of a file; of a file with several storms or forecasts, the error that lists them."""
    lines = f"forcing:\n  wind:\n    track: {path.name}\n"
    try:
        track = read_track(path)
    except (ConfigError, InputError) as error:
        return _unusable("track", lines, error)
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
    return Part("track", rows, lines)


def times_text(times: np.ndarray) -> str:
    """Returns the number, the first and last, and the usual interval of times (datetime64)."""
    times = np.unique(times)
    if not len(times):
        return "none"
    if len(times) == 1:
        return f"{format_time(times[0])} UTC"
    interval_h = float(np.median(np.diff(times)) / np.timedelta64(1, "s")) / 3600
    return (
        f"{len(times)}, from {format_time(times[0])} to {format_time(times[-1])} UTC, every {interval_h:g} h"
    )
