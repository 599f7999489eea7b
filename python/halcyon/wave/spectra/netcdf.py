"""Spectra in netCDF files: of WAVEWATCH III (efth), SWAN (density) and the package wavespectra."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh import require_whole
from halcyon.wave.gridded.times import decoded, time_variable

DENSITY = "sea_surface_wave_directional_variance_spectral_density"
_DENSITIES = ("efth", "spec", "density", "spec_2d")
_FREQUENCY, _FREQUENCIES = "sea_surface_wave_frequency", ("frequency", "freq", "f")
_DIRECTIONS = ("direction", "dir", "directions", "theta")
_SCALE = "scale_density"  # of SWAN: by which whole numbers of a spectrum are multiplied
_PLACES = {"longitude": ("longitude", "lon", "x"), "latitude": ("latitude", "lat", "y")}


@dataclass(frozen=True)
class SpectraFile:
    """The spectra of one file, as those of `SpectraSource`."""

    path: Path
    frequency: np.ndarray
    direction: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    times: np.ndarray
    reading: Any


def read_netcdf(path, directions, variable):
    """What a file holds, as `open_spectra` says. Raises InputError where it is not plain."""
    from netCDF4 import Dataset

    require_whole(str(path))
    try:
        with Dataset(path) as file:
            return _read(Path(path), file, directions, variable)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path} cannot be read as netCDF: {error}.") from None


def _read(path, file, directions, name):
    density = _density(path, file, name)
    time = time_variable(file, density)
    if time is None or time.dimensions != (time.name,):
        raise InputError(f"{path}: {density.name} has no dimension of times.")
    frequency = _coordinate(path, file, density, (_FREQUENCY,), _FREQUENCIES, "frequencies")
    standard = ("sea_surface_wave_from_direction", "sea_surface_wave_to_direction")
    if "rad" in getattr(frequency, "units", ""):
        raise InputError(
            f"{path}: {frequency.name} is in {frequency.units}, but must be in Hz. Divide it by 2 pi."
        )
    direction = _coordinate(path, file, density, standard, _DIRECTIONS, "directions")
    axes = [time.name, frequency.dimensions[0], direction.dimensions[0]]
    others = [name for name in density.dimensions if name not in axes]
    if len(others) > 1:
        raise InputError(f"{path}: {density.name} is on {', '.join(others)}; spectra must be at points.")
    scale = _scale(path, file, [time.name, *others])
    return SpectraFile(
        path,
        _numbers(frequency),
        _towards(path, direction, directions),
        _place(path, file, "longitude", time.name),
        _place(path, file, "latitude", time.name),
        decoded(time, path),
        _Reading(path, density, [time.name, *others, *axes[1:]], scale, _per_radian(path, density)),
    )


class _Reading:
    """Reads densities [m2 s rad-1] (point, frequency, direction) of a record; order: the names of the
    dimensions as they are wanted, with that of points or without."""

    def __init__(self, path, density, order, scale, factor):
        self._path, self._name, self._scale, self._factor = path, density.name, scale, factor
        self._order = [density.dimensions.index(name) for name in order]
        self._has_points = len(order) > 3

    def __call__(self, record, points):
        from netCDF4 import Dataset

        first, last = int(min(points)), int(max(points))
        index = [slice(None)] * len(self._order)
        index[self._order[0]] = slice(record, record + 1)
        if self._has_points:
            index[self._order[1]] = slice(first, last + 1)
        with Dataset(self._path) as file:
            table = _filled(file[self._name][tuple(index)]).transpose(self._order)
            table = table[0] if self._has_points else table
            if self._scale:
                table = table * _filled(file[self._scale][record]).reshape(-1, 1, 1)[first : last + 1]
        return self._factor * table[np.asarray(points) - first]


def _scale(path, file, dimensions):
    """The name of the variable that scales densities which SWAN wrote as whole numbers, or None."""
    if _SCALE not in file.variables:
        return None
    if list(file[_SCALE].dimensions) != dimensions:
        raise InputError(f"{path}: {_SCALE} must be on {', '.join(dimensions)}, as SWAN writes it.")
    return _SCALE


def _density(path, file, name):
    found = [v for v in file.variables.values() if getattr(v, "standard_name", "") == DENSITY]
    found = found or [v for v in file.variables.values() if v.name.lower() in _DENSITIES]
    if name is not None:
        found = [v for v in file.variables.values() if v.name == name]
    if len(found) != 1:
        known = ", ".join(file.variables)
        raise InputError(
            f"{path} has {len(found)} variables of spectral densities, but one is needed. Name it by"
            f" boundary.variable, of {known}."
        )
    return found[0]


def _coordinate(path, file, density, standard_names, names, what):
    """The variable of frequencies or directions among the dimensions of the densities."""
    found = [file[name] for name in density.dimensions if name in file.variables]
    by_standard = [v for v in found if getattr(v, "standard_name", "") in standard_names]
    by_name = [v for v in found if v.name.lower() in names]
    if not by_standard and not by_name:
        raise InputError(f"{path}: none of the dimensions of {density.name} is plainly that of {what}.")
    return (by_standard or by_name)[0]


def _per_radian(path, density):
    """The factor from a density to one per radian."""
    unit = getattr(density, "units", "").lower()
    if "rad" in unit:
        return 1.0
    if "deg" in unit:
        return 180 / np.pi
    raise InputError(
        f"{path}: {density.name} has the units '{unit}'; they must be m2 s per radian or degree."
    )


def _towards(path, variable, directions):
    """Directions [rad] towards which waves go, clockwise from north.

    SWAN marks its directions by the attribute `mdc`, and calls Cartesian ones, anticlockwise from east,
    sea_surface_wave_to_direction too (agioncmd of SWAN 41)."""
    in_radians = getattr(variable, "units", "degree").lower().startswith("rad")
    values = _numbers(variable) if in_radians else np.radians(_numbers(variable))
    said = f"{getattr(variable, 'standard_name', '')} {getattr(variable, 'long_name', '')}".replace("_", " ")
    ways = {way for way, word in (("from", "from direction"), ("towards", "to direction")) if word in said}
    way = next(iter(ways)) if directions == "auto" and len(ways) == 1 else directions
    if directions == "auto" and way == "towards" and "mdc" in variable.ncattrs():
        way = "cartesian"
    if way == "auto":
        raise InputError(
            f"{path} does not say whether {variable.name} is where waves come from or go to (standard_name "
            "sea_surface_wave_from_direction). Set boundary.directions to from, towards or cartesian."
        )
    if way == "cartesian":
        return np.mod(np.pi / 2 - values, 2 * np.pi)
    return np.mod(values + (np.pi if way == "from" else 0.0), 2 * np.pi)


def _place(path, file, what, time):
    """Longitudes or latitudes [degrees] (point); those of the first time where they are written for all."""
    found = [v for v in file.variables.values() if getattr(v, "standard_name", "") == what]
    found = found or [v for v in file.variables.values() if v.name.lower() in _PLACES[what]]
    if not found:
        raise InputError(f"{path} has no {what}s of its points.")
    values = _numbers(found[0])
    return np.atleast_1d(values[0] if time in found[0].dimensions else values)


def _numbers(variable):
    return _filled(variable[:])


def _filled(values):
    return np.ma.filled(np.ma.asarray(values, float), np.nan)
