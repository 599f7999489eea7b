"""Spectra in netCDF files: of WAVEWATCH III (efth), SWAN (density), ECMWF (d2fd) and wavespectra."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import GRAVITY, ChoiceError, InputError
from halcyon.mesh.cf_file import numbers, open_netcdf, positions, reading, short_unit, time_of, times_of
from halcyon.mesh.data_file import coordinate_values, select_from, values_text
from halcyon.wave.spectra.ecmwf import (
    ECMWF_NAMES,
    ecmwf_directions,
    ecmwf_frequencies,
    ecmwf_numbers,
    from_logarithms,
    is_ecmwf,
)
from halcyon.wave.spectra.file import WATER_DENSITY, SpectraFile, require_directions

if TYPE_CHECKING:
    import xarray as xr


# Variables are recognized by (CF standard names, usual names).
DENSITY = (
    ["sea_surface_wave_directional_variance_spectral_density"],
    ["efth", "spec", "density", "spec_2d", *ECMWF_NAMES],
)
_FREQUENCY = ["sea_surface_wave_frequency"], ["frequency", "freq", "f", "frequencynumber"]
_DIRECTION = (
    ["sea_surface_wave_from_direction", "sea_surface_wave_to_direction"],
    ["direction", "dir", "directions", "theta", "directionnumber"],
)
_COORDINATES = (["longitude"], ["longitude", "lon", "x"]), (["latitude"], ["latitude", "lat", "y"])
_SCALE = "scale_density"  # SWAN's scale factor of a spectrum that is stored as integers
_HERTZ = ("", "hz", "hertz", "s-1", "1/s", "s^-1", "cycles/s", "cps")
_LOGARITHM = "log10"  # units of ww3_ounp's short integers: log10(m2 s rad-1 +1E-12)
_LOG_OFFSET = 1e-12
_SAME_POSITION = 0.01  # [degrees]


def read_netcdf(
    path: str | os.PathLike[str],
    directions: str,
    variable: str | None,
    position: tuple[float, float] | None = None,
    select: Mapping[str, Any] | None = None,
) -> SpectraFile:
    """Reads the metadata of a file, see `open_sources`. Raises InputError for ambiguous metadata."""
    with open_netcdf(path) as file, reading(path, "as netCDF"):
        selected = select_from(path, file, select or {})
        return _read_metadata(Path(path), selected, directions, variable, position, select or {})


def _read_metadata(
    path: Path,
    file: xr.Dataset,
    directions: str,
    density_name: str | None,
    position: tuple[float, float] | None,
    select: Mapping[str, Any],
) -> SpectraFile:
    density = _density_variable(path, file, density_name)
    time = time_of(file, density)
    if time is None or time.size == 0:
        raise InputError(f"{path}: {density.name} has no time dimension, or no time.")
    of_ecmwf = is_ecmwf(density)
    frequency_axis = _dimension(path, file, density, _FREQUENCY, "frequencies")
    direction_axis = _dimension(path, file, density, _DIRECTION, "directions")
    numbered = [
        ecmwf_numbers(_axis_variable(file, axis), density.sizes[axis]) if of_ecmwf else None
        for axis in (frequency_axis, direction_axis)
    ]
    is_angular = False
    if numbered[0] is None:
        frequency, is_angular = _frequencies(_coordinate(path, file, density, frequency_axis, "frequencies"))
    else:
        frequency = ecmwf_frequencies(numbered[0])
    if numbered[1] is None:
        of_file = _coordinate(path, file, density, direction_axis, "directions")
        direction = _propagation_directions(path, of_file, "towards" if of_ecmwf else directions)
    else:
        direction = ecmwf_directions(numbered[1])
    coordinates = [_coordinate_variable(path, file, names, position) for names in _COORDINATES]
    axes = [frequency_axis, direction_axis]
    time_axes = [str(name) for name in time.dims if name in density.dims]
    point_dimensions = _point_dimensions(path, file, density, [*time_axes, *axes], coordinates)
    scale_dimensions = [*time_axes, *point_dimensions]
    if _SCALE in file and list(file[_SCALE].dims) != scale_dimensions:
        raise InputError(f"{path}: {_SCALE} must be on {', '.join(scale_dimensions)}, as SWAN writes it.")
    factor, is_logarithm = _per_radian(path, density, is_angular)
    shape = [density.sizes[name] for name in point_dimensions]

    def read(record: int, points: np.ndarray) -> np.ndarray:
        """Reads densities [m2 s rad-1] (point, frequency, direction) of a record."""
        at = np.unravel_index(np.asarray(points), shape) if shape else ()
        window: dict[str, Any] = {
            name: slice(int(i.min()), int(i.max()) + 1) for name, i in zip(point_dimensions, at, strict=True)
        }
        window |= dict.fromkeys(time_axes, record)
        with open_netcdf(path) as whole, reading(path, "as netCDF"):
            file = select_from(path, whole, select)
            stored = file[density.name].isel(window)
            stored = stored.squeeze([d for d in stored.dims if d not in (*point_dimensions, *axes)])
            values = numbers(stored.compute().transpose(*point_dimensions, *axes), path)
            if of_ecmwf:
                values = from_logarithms(values)
            elif is_logarithm:
                values = np.maximum(10**values - _LOG_OFFSET, 0)
            if _SCALE in file:
                values = values * numbers(file[_SCALE].isel(window))[..., None, None]
        return factor * values[tuple(i - i.min() for i in at)].reshape(len(points), *values.shape[-2:])

    if any(variable is None for variable in coordinates):
        assert position is not None  # as `_coordinate_variable` requires
        longitude, latitude = (np.array([float(value)]) for value in position)
    else:
        longitude, latitude = (
            _of_points(path, variable, names[0][0], density, point_dimensions, time)
            for variable, names in zip(coordinates, _COORDINATES, strict=True)
            if variable is not None
        )
    return SpectraFile(
        path,
        frequency,
        direction,
        longitude,
        latitude,
        times_of(path, time),
        read,
        missing_is_calm=of_ecmwf,
        tail_of_last=str(file.attrs.get("source", "")).startswith("Halcyon"),
    )


def _with_names(
    variables: Iterable[xr.DataArray], names: tuple[Collection[str], Collection[str]]
) -> list[xr.DataArray]:
    """Returns the variables with one of the standard names; if there is none, those with a usual name.

    names: (standard names, usual names)."""
    standard_names, usual_names = names
    found = [v for v in variables if v.attrs.get("standard_name") in standard_names]
    return found or [v for v in variables if str(v.name).lower() in usual_names]


def has_spectra(file: xr.Dataset) -> bool:
    """Returns whether a dataset has variance densities over frequency, or fields of ECMWF's 2-D spectra."""
    found = _with_names([file[name] for name in file.variables], DENSITY)
    return any(is_ecmwf(v) or any(d.lower() in _FREQUENCY[1] for d in map(str, v.dims)) for v in found)


def _density_variable(path: Path, file: xr.Dataset, name: str | None) -> xr.DataArray:
    """Returns the variable of the densities: the variable called `name`, or, if that is None, the variable
    with a usual name."""
    if name is None:
        candidates = _with_names([file[variable] for variable in file.variables], DENSITY)
    else:
        candidates = [file[name]] if name in file.variables else []
    if len(candidates) != 1:
        raise InputError(
            f"{path} has {len(candidates)} variables of spectral densities, but one is needed. Set"
            f" boundary.variable to one of {', '.join(map(str, file.variables))}."
        )
    return candidates[0]


def _axis_variable(file: xr.Dataset, dimension: Hashable) -> xr.DataArray | None:
    return file[dimension] if dimension in file.variables else None


def _dimension(
    path: Path,
    file: xr.Dataset,
    density: xr.DataArray,
    names: tuple[Collection[str], Collection[str]],
    kind: str,
) -> str:
    """Returns the dimension of the frequencies or directions of the densities."""
    coordinates = _with_names([file[name] for name in density.dims if name in file.variables], names)
    dims = [str(name) for name in density.dims]
    found = [str(v.name) for v in coordinates] or [name for name in dims if name.lower() in names[1]]
    if not found:
        raise InputError(f"{path}: no dimension of {density.name} is recognized as the dimension of {kind}.")
    return found[0]


def _coordinate(
    path: Path, file: xr.Dataset, density: xr.DataArray, dimension: str, kind: str
) -> xr.DataArray:
    """Returns the coordinate variable of a dimension of the densities."""
    found = _axis_variable(file, dimension)
    if found is None or found.dims != (dimension,):
        dimensions = "missing" if found is None else f"on the dimensions ({', '.join(map(str, found.dims))})"
        raise InputError(
            f"{path}: {dimension} holds the {kind} of {density.name}, but is {dimensions} instead of on "
            f"{dimension}. Correct the file."
        )
    return found


def _frequencies(variable: xr.DataArray) -> tuple[np.ndarray, bool]:
    """Returns frequencies [Hz], and whether those of the file are angular frequencies [rad s-1]."""
    path, unit = variable.encoding.get("source"), short_unit(variable)
    if "rad" in unit:
        return numbers(variable) / (2 * np.pi), True
    if unit not in _HERTZ:
        raise InputError(
            f"{path}: {variable.name} is in '{variable.attrs['units']}', but must be in Hz or rad s-1. "
            "Correct the file."
        )
    return numbers(variable), False


def _per_radian(path: Path, density: xr.DataArray, is_angular: bool) -> tuple[float, bool]:
    """Returns the factor that converts a density to m2 s per radian, and whether the values are logarithms.

    is_angular: whether the frequencies are angular; densities are per unit of them, or, if the units say so,
    per Hz."""
    unit = str(density.attrs.get("units", "")).strip().lower()
    factor = 1.0
    if is_angular and "hz" not in unit:
        factor, unit = 2 * np.pi, unit.replace("rad/s", "").replace("rad s-1", "")
        unit = unit or "rad"
    if unit.startswith("j"):
        factor /= WATER_DENSITY * GRAVITY
    is_logarithm = unit.startswith(_LOGARITHM)
    if "rad" in unit:
        return factor, is_logarithm
    if "deg" in unit:
        return factor * 180 / np.pi, is_logarithm
    raise InputError(
        f"{path}: {density.name} has the units '{unit}'; they must be m2 s per radian or degree. Correct them"
        f" (ncatted -a units,{density.name},o,c,'m2 s rad-1' FILE)."
    )


def _propagation_directions(path: Path, variable: xr.DataArray, directions: str) -> np.ndarray:
    """Returns the directions [rad] towards which waves propagate, clockwise from north.

    directions: the convention, see `open_sources`. SWAN marks its directions by the attribute `mdc`, and uses
    sea_surface_wave_to_direction also for Cartesian directions, anticlockwise from east (agioncmd of SWAN
    41)."""
    attributes = variable.attrs
    in_radians = attributes.get("units", "degree").lower().startswith("rad")
    values = numbers(variable) if in_radians else np.radians(numbers(variable))
    require_directions(path, np.degrees(values))
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


def _coordinate_variable(
    path: Path,
    file: xr.Dataset,
    names: tuple[Sequence[str], Sequence[str]],
    position: tuple[float, float] | None,
) -> xr.DataArray | None:
    """Returns the variable of longitudes or latitudes; None if there is none, but a position is given."""
    coordinates = _with_names([file[name] for name in file.variables], names)
    if not coordinates and position is None:
        raise InputError(
            f"{path} has no {names[0][0]} of its points. If they are one point, set boundary.position."
        )
    return coordinates[0] if coordinates else None


def _point_dimensions(
    path: Path,
    file: xr.Dataset,
    density: xr.DataArray,
    axes: Collection[Any],
    coordinates: Iterable[xr.DataArray | None],
) -> list[str]:
    """Returns the dimensions of the densities on which the points are: those of their coordinates, or, with
    coordinates of a single point, those that are longer than 1. Raises InputError for another dimension, as
    of members."""
    of_coordinates = {name for variable in coordinates if variable is not None for name in variable.dims}
    others = [str(name) for name in density.dims if name not in axes]
    long = [name for name in others if name not in of_coordinates and density.sizes[name] > 1]
    if long:
        (name, *_), values = long, coordinate_values(path, file, long[0])
        raise ChoiceError(
            f"{path}: {density.name} has {density.sizes[name]} {name}, of which the points have no position."
            f" Give one of them, select: {{{name}: {values_text(values[:1])}}}, or positions on {name}.",
            select={name: values[0]},
        )
    return [name for name in others if name in of_coordinates]


def _of_points(
    path: Path,
    variable: xr.DataArray,
    quantity: str,
    density: xr.DataArray,
    dimensions: Sequence[str],
    time: xr.DataArray,
) -> np.ndarray:
    """Returns longitudes or latitudes [degrees] (point). Raises InputError if they change in time, or cannot
    be of the points."""
    first, last = (
        positions(path, variable.isel(dict.fromkeys(time.dims, i), missing_dims="ignore"), quantity)
        for i in (0, -1)
    )
    if np.abs(first - last).max(initial=0) > _SAME_POSITION:
        raise InputError(
            f"{path}: the {quantity} of the points changes in time. Give spectra at fixed points."
        )
    shape = [density.sizes[name] for name in dimensions]
    names = [str(name) for name in variable.dims if name not in time.dims]
    spread = [density.sizes[name] if name in names else 1 for name in dimensions]
    order = [names.index(name) for name in dimensions if name in names]
    if len(order) != len(names):
        raise InputError(
            f"{path}: {variable.name} is on ({', '.join(names)}), but the points of {density.name} are on "
            f"({', '.join(dimensions)}). Give one {quantity} per point."
        )
    return np.broadcast_to(first.transpose(order).reshape(spread), shape).ravel()
