"""Grids whose file has coordinates of a map projection, or of a rotated pole, and a CF grid mapping."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError, require_memory
from halcyon.mesh.cf_file import numbers
from halcyon.wave.gridded.curvilinear import Curvilinear

if TYPE_CHECKING:
    import xarray as xr
    from pyproj import Transformer

    from halcyon.wave.gridded.grid import Grid


_NAMES = {
    "x": (("projection_x_coordinate", "grid_longitude"), r"x|xc|rlon|grid_longitude"),
    "y": (("projection_y_coordinate", "grid_latitude"), r"y|yc|rlat|grid_latitude"),
}
_BYTES_PER_POINT = 100  # with those of the projection
_METRES = {"m": 1.0, "metre": 1.0, "meter": 1.0, "metres": 1.0, "meters": 1.0, "km": 1e3, "kilometers": 1e3}


def projected_grid(path: Path, file: xr.Dataset, variable: xr.DataArray) -> Grid | None:
    """Returns the grid of a variable whose coordinates are those of its grid mapping (CF conventions 1.11,
    appendix F), by PROJ; None if it has none. Raises InputError for an invalid mapping."""
    mapping = _mapping(file, variable)
    axes = [axis for name in "yx" if (axis := _axis(file, variable, name)) is not None]
    if mapping is None or len(axes) < 2:
        return None
    label = f"{path}: the grid mapping {mapping.name}"
    numerical = {k: v for k, v in mapping.attrs.items() if k not in ("crs_wkt", "spatial_ref")}
    try:
        is_projected, to_degrees = _transformation(tuple((k, _plain(v)) for k, v in numerical.items()))
    except (RuntimeError, LookupError, TypeError, ValueError) as error:  # pyproj's errors are RuntimeErrors
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"{label} is not valid: {reason}. Correct its attributes.") from None
    y, x = (numbers(axis, path) * _factor(label, axis, is_projected) for axis in axes)
    n_points = len(x) * len(y)
    require_memory(_BYTES_PER_POINT * n_points, f"{label}: its grid of {n_points} points")
    is_reversed = len(x) > 1 and x[0] > x[-1]  # the x axis points to larger values
    longitude, latitude = to_degrees.transform(*np.meshgrid(x[::-1] if is_reversed else x, y))
    beyond = ~np.isfinite(longitude + latitude)
    longitude[beyond] = latitude[beyond] = np.nan
    y_name, x_name = (str(axis.dims[0]) for axis in axes)
    return Curvilinear.of(
        path,
        latitude,
        longitude,
        dimensions=(y_name, x_name),
        descending=(x_name,) if is_reversed else (),
    )


@lru_cache(maxsize=8)
def _transformation(attributes: tuple[tuple[str, Any], ...]) -> tuple[bool, Transformer]:
    """Returns whether a grid mapping, given by pairs of name and value, has coordinates in metres, and the
    transformation to longitudes and latitudes of the same body. Making it takes half a second."""
    from pyproj import CRS, Transformer

    crs = CRS.from_cf({name: list(v) if isinstance(v, tuple) else v for name, v in attributes})
    degrees = crs.geodetic_crs if crs.is_projected else crs.source_crs
    return crs.is_projected, Transformer.from_crs(crs, degrees, always_xy=True)


def _mapping(file: xr.Dataset, variable: xr.DataArray) -> xr.DataArray | None:
    """Returns the grid mapping of a variable that is not plain latitudes and longitudes, or None."""
    name = str(variable.attrs.get("grid_mapping", "")).split(":")[0].strip()
    mappings = [file[key] for key, v in file.variables.items() if "grid_mapping_name" in v.attrs]
    named = [mapping for mapping in mappings if mapping.name == name]
    found = named or (mappings if len(mappings) == 1 else [])
    return next((m for m in found if m.attrs["grid_mapping_name"] != "latitude_longitude"), None)


def _axis(file: xr.Dataset, variable: xr.DataArray, axis: str) -> xr.DataArray | None:
    """Returns the one-dimensional coordinate x or y on a dimension of the variable, or None."""
    standard_names, names = _NAMES[axis]
    on_dimension = [
        file[key] for key, v in file.variables.items() if v.ndim == 1 and v.dims[0] in variable.dims
    ]
    standard = [v for v in on_dimension if v.attrs.get("standard_name") in standard_names]
    named = [v for v in on_dimension if re.fullmatch(names, str(v.name).lower())]
    return next(iter(standard or named), None)


def _factor(label: str, axis: xr.DataArray, is_projected: bool) -> float:
    """Returns the factor that converts a coordinate to metres, or to degrees of a rotated pole."""
    unit = str(axis.attrs.get("units", "m" if is_projected else "degrees")).strip().lower()
    if is_projected and unit in _METRES:
        return _METRES[unit]
    if not is_projected and unit.startswith("deg"):
        return 1.0
    allowed = "m or km" if is_projected else "degrees"
    raise InputError(f"{label} needs {axis.name} in {allowed}, but its units are '{unit}'. Correct the file.")


def _plain(value: Any) -> Any:
    """Returns an attribute as a number, a text or a tuple of them."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return tuple(value) if isinstance(value, list) else value
