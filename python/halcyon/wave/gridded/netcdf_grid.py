"""The horizontal grid of a variable of a CF netCDF file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.io.field_source import face_dimension, faces_of, mesh_topology
from halcyon.mesh.cf_file import LATITUDE, LONGITUDE, numbers, positions, roles
from halcyon.mesh.sphere import normalized, to_lonlat
from halcyon.wave.gridded.axes import Axes
from halcyon.wave.gridded.curvilinear import Curvilinear
from halcyon.wave.gridded.projection import projected_grid
from halcyon.wave.gridded.reduced_rows import ReducedRows
from halcyon.wave.gridded.scattered import Scattered

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.wave.gridded.grid import Grid


# Names of coordinates, such as XLAT, nav_lat, lat_rho, TLAT, geolat, clat, latCell, but not rlat.
_NAME = r"(nav_|geo|[xtufvcem])?{}(c|cell|_\w+)?"
_NAMES = {LATITUDE: _NAME.format("lat(itude)?"), LONGITUDE: _NAME.format("lon(g|gitude)?")}
_X_DIMENSION = r"(x|xi|xi_\w+|lon\w*|i|ni|nx|west_east\w*)"


def grids_of(path: Path, file: xr.Dataset, variable: xr.DataArray) -> list[Grid]:
    """Returns the grid of a variable of an open file; a list of one grid, or of one per record if it moves.

    Its latitudes and longitudes are those that the attribute `coordinates` names, else those on dimensions of
    the variable: two-dimensional, else one-dimensional (points, if both are on one dimension), else those of
    the CF grid mapping, or of the middles of UGRID faces. Raises InputError where there are none, several, or
    where they are invalid."""
    coordinates = _coordinates(file, variable)
    pair = next(filter(None, (_pair(path, variable, n, *coordinates) for n in (2, 1))), None)
    kind = str(variable.attrs.get("GRIB_gridType", ""))
    if pair is None and kind not in ("", "regular_ll", "regular_gg"):
        remedy = (
            "Put the fields CLAT and CLON of the grid into the file (cat clat.grib2 clon.grib2 winds.grib2)."
            if kind == "unstructured_grid"
            else "Convert it, for example by cdo remapbil."
        )
        raise InputError(
            f"{path}: {variable.name} is on a grid of the kind {kind} without positions. {remedy}"
        )
    if pair is None:
        projected = projected_grid(path, file, variable)
        return [projected or _face_grid(path, file, variable) or Axes.from_file(path, file)]
    if pair[0].ndim == 1 and pair[0].dims != pair[1].dims:
        return [Axes.from_variables(path, *pair)]
    if pair[0].ndim > 2 and _moves(path, pair):
        (time,) = pair[0].dims[:-2]
        records = range(pair[0].sizes[time])
        return [_grid(path, variable, *(v.isel({time: i}) for v in pair)) for i in records]
    return [_grid(path, variable, *(v.isel(dict.fromkeys(v.dims[:-2], 0)) for v in pair))]


def _grid(path: Path, variable: xr.DataArray, latitude: xr.DataArray, longitude: xr.DataArray) -> Grid:
    """Returns the grid with one- or two-dimensional latitudes and longitudes on the same dimensions."""
    values = [_degrees(path, v, name) for v, name in ((latitude, "latitude"), (longitude, "longitude"))]
    dimensions: Any = latitude.dims
    if latitude.ndim == 1:
        reduced = ReducedRows.from_points(path, *values, dimensions=dimensions)
        return reduced or Scattered.of(path, *values, dimensions=dimensions)
    if re.fullmatch(_X_DIMENSION, dimensions[0].lower()):  # columns first
        dimensions, values = dimensions[::-1], [each.T for each in values]
    if variable.attrs.get("GRIB_iScansNegatively") not in (1, "1"):
        return Curvilinear.of(path, *values, dimensions=dimensions)
    values = [each[:, ::-1] for each in values]  # the x axis of components points to the first column
    return Curvilinear.of(path, *values, dimensions=dimensions, descending=dimensions[1:])


def _coordinates(file: xr.Dataset, variable: xr.DataArray) -> list[list[xr.DataArray]]:
    """Returns the latitudes and the longitudes of an open file on dimensions of a variable: only those that
    its attribute `coordinates` names, if there are any."""
    named = str(variable.attrs.get("coordinates", "")).split()
    by_role = roles(file)
    found = []
    for axis, name in _NAMES.items():
        each = [
            file[key]
            for key, v in file.variables.items()
            if (key in by_role.get(axis[0], ()) or re.fullmatch(name, str(key).lower()))
            and v.ndim
            and set(v.dims) <= set(variable.dims)
            and v.dtype.kind in "iuf"
            and not re.match("m|k", str(v.attrs.get("units", "")).lower())
        ]
        found.append([v for v in each if v.name in named] or each)
    return found


def _pair(
    path: Path,
    variable: xr.DataArray,
    n_dimensions: int,
    latitudes: list[xr.DataArray],
    longitudes: list[xr.DataArray],
) -> tuple[xr.DataArray, xr.DataArray] | None:
    """Returns the latitude and longitude with 1, or at least 2 dimensions; None without both."""
    found = [
        [v for v in each if min(v.ndim, 2) == n_dimensions and (v.ndim == 1 or min(v.shape[-2:]) > 1)]
        for each in (latitudes, longitudes)
    ]
    found = [[v for v in each if v.dims == (v.name,)] or each for each in found]
    if not all(found):
        return None
    if any(len(each) > 1 for each in found):
        names = ", ".join(str(v.name) for each in found for v in each)
        raise InputError(
            f"{path}: {names} may be the positions of {variable.name}. Name one latitude and one longitude in"
            f" its attribute coordinates (ncatted -a coordinates,{variable.name},o,c,'LAT LON' FILE)."
        )
    return found[0][0], found[1][0]


def _moves(path: Path, pair: tuple[xr.DataArray, xr.DataArray]) -> bool:
    """Returns whether coordinates with a leading dimension, as in WRF, change along it: the nest follows a
    storm."""
    if any(v.ndim > 3 for v in pair):
        raise InputError(f"{path}: {pair[0].name} has {pair[0].ndim} dimensions. Give at most 3.")
    return any(
        not np.array_equal(numbers(v[0], path), numbers(v[i], path), equal_nan=True)
        for v in pair
        for i in {len(v) // 2, len(v) - 1}
    )


def _degrees(path: Path, coordinate: xr.DataArray, quantity: str) -> np.ndarray:
    if str(coordinate.attrs.get("units", "")).strip().lower().startswith("rad"):
        return np.degrees(numbers(coordinate, path))
    return positions(path, coordinate, quantity)


def _face_grid(path: Path, file: xr.Dataset, variable: xr.DataArray) -> Grid | None:
    """Returns the middles of the faces of a UGRID file that has no face_coordinates; None for a variable on
    other dimensions."""
    if mesh_topology(file) is None or face_dimension(file) not in variable.dims:
        return None
    faces = faces_of(path, file)
    corners = np.add.reduceat(faces.nodes[faces.nodes_on_face], faces.offsets[:-1])
    longitude, latitude = to_lonlat(normalized(corners))
    return Scattered.of(path, latitude, longitude, dimensions=(str(face_dimension(file)),))
