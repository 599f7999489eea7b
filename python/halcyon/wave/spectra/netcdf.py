"""Spectra in netCDF files: of WAVEWATCH III (efth), SWAN (density) and the package wavespectra."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import numbers, open_netcdf, positions, reading, time_of, times_of

# Variables are recognized by (CF standard names, usual names).
DENSITY = (
    ["sea_surface_wave_directional_variance_spectral_density"],
    ["efth", "spec", "density", "spec_2d"],
)
_FREQUENCY = ["sea_surface_wave_frequency"], ["frequency", "freq", "f"]
_DIRECTION = (
    ["sea_surface_wave_from_direction", "sea_surface_wave_to_direction"],
    ["direction", "dir", "directions", "theta"],
)
_COORDINATES = (["longitude"], ["longitude", "lon", "x"]), (["latitude"], ["latitude", "lat", "y"])
_SCALE = "scale_density"  # SWAN's scale factor of a spectrum that is stored as integers


@dataclass(frozen=True)
class SpectraFile:
    """The spectra of one file; members as in `SpectraSource`."""

    path: Path
    frequency: np.ndarray
    direction: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    times: np.ndarray
    read: Any


def read_netcdf(path, directions, variable):
    """Reads the metadata of a file, see `open_spectra`. Raises InputError for ambiguous metadata."""
    with open_netcdf(path) as file, reading(path, "as netCDF"):
        return _read_metadata(Path(path), file, directions, variable)


def _read_metadata(path, file, directions, density_name):
    density = _density_variable(path, file, density_name)
    time = time_of(file, density)
    if time is None or time.dims != (time.name,):
        raise InputError(f"{path}: {density.name} has no time dimension.")
    frequency = _coordinate(path, file, density, _FREQUENCY, "frequencies")
    if "rad" in frequency.attrs.get("units", ""):
        raise InputError(
            f"{path}: {frequency.name} is in {frequency.units}, but must be in Hz. Divide it by 2 pi."
        )
    direction = _coordinate(path, file, density, _DIRECTION, "directions")
    axes = [time.name, frequency.dims[0], direction.dims[0]]
    point_dimensions = [name for name in density.dims if name not in axes]
    if len(point_dimensions) > 1:
        raise InputError(
            f"{path}: {density.name} is on {', '.join(point_dimensions)}; spectra must be at points."
        )
    scale_dimensions = [time.name, *point_dimensions]
    if _SCALE in file and list(file[_SCALE].dims) != scale_dimensions:
        raise InputError(f"{path}: {_SCALE} must be on {', '.join(scale_dimensions)}, as SWAN writes it.")
    factor = _per_radian(path, density)

    def read(record, points):
        """Reads densities [m2 s rad-1] (point, frequency, direction) of a record."""
        first, last = int(min(points)), int(max(points))
        indices = {time.name: record} | dict.fromkeys(point_dimensions, slice(first, last + 1))
        with open_netcdf(path) as file, reading(path, "as netCDF"):
            densities = numbers(
                file[density.name].isel(indices).compute().transpose(*point_dimensions, *axes[1:])
            )
            densities = densities.reshape(-1, *densities.shape[-2:])
            if _SCALE in file:
                densities = densities * numbers(file[_SCALE].isel(indices)).reshape(-1, 1, 1)
        return factor * densities[np.asarray(points) - first]

    positions = (_coordinates_of_points(path, file, names, time.name) for names in _COORDINATES)
    longitude, latitude = positions
    n_points = int(np.prod([density.sizes[name] for name in point_dimensions]))
    if not longitude.shape == latitude.shape == (n_points,):
        raise InputError(
            f"{path}: {longitude.size} longitudes and {latitude.size} latitudes are given for the {n_points} "
            f"points of {density.name}. Give one of both per point."
        )
    propagation = _propagation_directions(path, direction, directions)
    return SpectraFile(path, numbers(frequency), propagation, longitude, latitude, times_of(path, time), read)


def _with_names(variables, names):
    """Returns the variables with one of the standard names; if there is none, those with a usual name.

    names: (standard names, usual names)."""
    standard_names, usual_names = names
    found = [v for v in variables if v.attrs.get("standard_name") in standard_names]
    return found or [v for v in variables if v.name.lower() in usual_names]


def _density_variable(path, file, name):
    """Returns the variable of the densities: the variable called `name`, or, if that is None, the variable
    with a usual name."""
    if name is None:
        candidates = _with_names([file[variable] for variable in file.variables], DENSITY)
    else:
        candidates = [file[name]] if name in file.variables else []
    if len(candidates) != 1:
        raise InputError(
            f"{path} has {len(candidates)} variables of spectral densities, but one is needed. Set"
            f" boundary.variable to one of {', '.join(file.variables)}."
        )
    return candidates[0]


def _coordinate(path, file, density, names, kind):
    """Returns the coordinate variable of frequencies or directions of the densities."""
    coordinates = _with_names([file[name] for name in density.dims if name in file.variables], names)
    if not coordinates:
        raise InputError(f"{path}: no dimension of {density.name} is recognized as the dimension of {kind}.")
    found = coordinates[0]
    if found.dims != (found.name,):
        raise InputError(
            f"{path}: {found.name} holds the {kind} of {density.name}, but is on the dimensions "
            f"({', '.join(found.dims)}) instead of {found.name}. Correct the file."
        )
    return found


def _per_radian(path, density):
    """Returns the factor that converts a density to a density per radian."""
    unit = density.attrs.get("units", "").lower()
    if "rad" in unit:
        return 1.0
    if "deg" in unit:
        return 180 / np.pi
    raise InputError(
        f"{path}: {density.name} has the units '{unit}'; they must be m2 s per radian or degree."
    )


def _propagation_directions(path, variable, directions):
    """Returns the directions [rad] towards which waves propagate, clockwise from north.

    directions: the convention, see `open_spectra`. SWAN marks its directions by the attribute `mdc`, and uses
    sea_surface_wave_to_direction also for Cartesian directions, anticlockwise from east (agioncmd of SWAN
    41)."""
    attributes = variable.attrs
    in_radians = attributes.get("units", "degree").lower().startswith("rad")
    values = numbers(variable) if in_radians else np.radians(numbers(variable))
    description = f"{attributes.get('standard_name', '')} {attributes.get('long_name', '')}".replace("_", " ")
    conventions = {
        convention
        for convention, word in (("from", "from direction"), ("towards", "to direction"))
        if word in description
    }
    convention = next(iter(conventions)) if directions == "auto" and len(conventions) == 1 else directions
    if directions == "auto" and convention == "towards" and "mdc" in attributes:
        convention = "cartesian"
    if convention == "auto":
        raise InputError(
            f"{path} does not say whether {variable.name} has the directions from which waves come or "
            "towards which they go (standard_name sea_surface_wave_from_direction or "
            "sea_surface_wave_to_direction). Set boundary.directions to from, towards or cartesian."
        )
    if convention == "cartesian":
        return np.mod(np.pi / 2 - values, 2 * np.pi)
    return np.mod(values + (np.pi if convention == "from" else 0.0), 2 * np.pi)


def _coordinates_of_points(path, file, names, time):
    """Returns longitudes or latitudes [degrees] (point); if they depend on time, those of the first time."""
    coordinates = _with_names([file[name] for name in file.variables], names)
    if not coordinates:
        raise InputError(f"{path} has no {names[0][0]} of its points.")
    first = coordinates[0].isel({time: 0}, missing_dims="ignore")
    return np.atleast_1d(positions(path, first, names[0][0]))
