"""Reads a field on longitudes and latitudes, in any order and with any names, from a netCDF file."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import LATITUDE, LONGITUDE, find_axis, numbers, open_netcdf, positions, reading
from halcyon.mesh.plausible import require_plausible
from halcyon.mesh.sphere import position_text

if TYPE_CHECKING:
    import xarray as xr


ETOPO5_LONGITUDE = "etopo05_x"  # this axis of ETOPO5 is rounded by up to .0033 degree


@dataclass
class Grid:
    """A field on ascending longitudes and latitudes [degrees]; NaN where missing."""

    path: Path
    name: str
    lon: np.ndarray
    lat: np.ndarray
    values: np.ndarray  # (lat, lon)
    extent: tuple[float, float, float, float]  # west, south, east, north of the whole file [degrees]

    def wrapped(self, lon: np.ndarray) -> np.ndarray:
        """Returns longitudes shifted by multiples of 360 degrees into the grid's range."""
        return self.lon[0] + (lon - self.lon[0] + self._margin) % 360 - self._margin

    @property
    def _margin(self) -> float:
        return 0.75 * (self.lon[1] - self.lon[0])

    def require_cover(self, lon: np.ndarray, lat: np.ndarray) -> None:
        """Raises InputError if a point is more than 3/4 of a grid step outside."""
        beyond_lat = 0.75 * (self.lat[1] - self.lat[0])
        outside = (lat < self.lat[0] - beyond_lat) | (lat > self.lat[-1] + beyond_lat)
        outside |= self.wrapped(lon) > self.lon[-1] + self._margin
        if outside.any():
            point = np.flatnonzero(outside)[0]
            west, south, east, north = self.extent
            raise InputError(
                f"{self.path} does not cover {position_text(lon[point], lat[point])}: it reaches from "
                f"{west:g}E {south:g}N to {east:g}E {north:g}N. Give a file that covers the region."
            )

    def interpolate(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """Returns values (n), interpolated bilinearly; outside the grid, the value at the grid's edge."""
        i = np.clip(np.searchsorted(self.lat, lat) - 1, 0, len(self.lat) - 2)
        j = np.clip(np.searchsorted(self.lon, self.wrapped(lon)) - 1, 0, len(self.lon) - 2)
        y = np.clip((lat - self.lat[i]) / (self.lat[i + 1] - self.lat[i]), 0, 1)
        x = np.clip((self.wrapped(lon) - self.lon[j]) / (self.lon[j + 1] - self.lon[j]), 0, 1)
        v = self.values
        south = (1 - x) * v[i, j] + x * v[i, j + 1]
        return (1 - y) * south + y * ((1 - x) * v[i + 1, j] + x * v[i + 1, j + 1])


def read_grid(
    path: str | os.PathLike[str], box: tuple[float, float, float, float], variable: str | None, advice: str
) -> tuple[Grid, dict[str, Any]]:
    """Returns the part of a netCDF file within box (west, south, east, north) [degrees] as a `Grid`, and the
    attributes of its field.

    advice: how the user selects a variable, for the error text. Raises InputError if the file cannot be read,
    or if the variable is ambiguous."""
    with open_netcdf(path) as file, reading(path, "as netCDF"):
        lat, lon = (find_axis(path, file, axis) for axis in (LATITUDE, LONGITUDE))
        dimensions = lat.dims[0], lon.dims[0]
        field = _field(path, file, dimensions, variable, advice)
        lats, lons = _monotonic(path, lat, "latitude"), _monotonic(path, lon, "longitude")
        if str(lon.name).lower() == ETOPO5_LONGITUDE and len(lons) == 360 * 12:
            lons = np.arange(len(lons)) / 12
        extent = (lons.min(), lats.min(), lons.max(), lats.max())
        rows = _rows(lats, box[1], box[3])
        columns, lons = _columns(lons, box[0], box[2])
        part = field.isel({dimensions[0]: rows}).compute().transpose(*dimensions)
    lats, values = lats[rows], numbers(part)[:, columns]
    ascending = slice(None, None, -1) if lats[0] > lats[-1] else slice(None)
    return Grid(Path(path), str(field.name), lons, lats[ascending], values[ascending], extent), field.attrs


def _field(
    path: str | os.PathLike[str],
    file: xr.Dataset,
    dimensions: tuple[Hashable, Hashable],
    variable: str | None,
    advice: str,
) -> xr.DataArray:
    """Returns the named variable, or the only variable on the grid."""
    fields = [str(name) for name, v in file.variables.items() if v.ndim == 2 and {*v.dims} == {*dimensions}]
    names = ", ".join(fields) or "none"
    if variable is not None and variable not in fields:
        raise InputError(
            f"{path} has no variable '{variable}' on latitude and longitude. Choose one of: {names}."
        )
    if variable is None and len(fields) != 1:
        raise InputError(f"{path} has {len(fields)} variables on latitude and longitude ({names}). {advice}")
    return file[variable or fields[0]]


def _monotonic(path: str | os.PathLike[str], variable: xr.DataArray, quantity: str) -> np.ndarray:
    values = positions(path, variable, quantity)
    steps = np.diff(values)
    if not (np.all(steps > 0) or np.all(steps < 0)):
        raise InputError(f"{path}: {variable.name} is not monotonic. Sort the file's grid.")
    return values


def _rows(values: np.ndarray, low: float, high: float) -> slice:
    """Returns the slice of monotonic values from one step below `low` to one step above `high`."""
    inside = np.flatnonzero((values >= low) & (values <= high))
    if len(inside):
        first, last = inside[0], inside[-1]
    else:
        first = last = int(np.argmin(np.abs(values - (low + high) / 2)))
    return slice(max(first - 1, 0), min(last + 2, len(values)))


def _columns(lons: np.ndarray, west: float, east: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns the indices of the columns that cover west..east with one step of margin, and their ascending
    longitudes, which start near `west`. Global grids are continued across the meridian where they begin."""
    step = np.abs(np.diff(lons)).max()
    start = west - step
    shifted = start + (lons - start) % 360
    _, order = np.unique(np.round(shifted, 9), return_index=True)  # -180 and 180 are one meridian
    twice, order = np.append(shifted, shifted + 360), np.append(order, order + len(lons))
    kept = order[twice[order] <= east + step]
    if len(kept) < 2:
        kept = order[:2]  # interpolation needs two columns
    return kept % len(lons), twice[kept]


# Words in the names of fields that are positive down, and positive up.
DOWN_WORDS = ("depth", "below", "bathymetry", "deptho", "bottomdepth")
UP_WORDS = ("elevation", "height", "altitude", "topo", "relief", "above", "rose", "z")


def read_relief(
    path: str | os.PathLike[str], box: tuple[float, float, float, float], variable: str | None = None
) -> Grid:
    """Returns the depth [m], positive down, within box (west, south, east, north) [degrees] as a `Grid`.

    Raises InputError if the file cannot be read, or if the variable or its sign is ambiguous."""
    grid, attributes = read_grid(path, box, variable, "Name the depth variable by mesh.depth.variable.")
    if not _is_down(path, grid.name, attributes):
        grid.values = -grid.values
    require_plausible(
        "depth",
        f"{path}: the depth of {grid.name}",
        grid.values,
        lambda indices: f"at {position_text(grid.lon[indices[1]], grid.lat[indices[0]])}",
        "check units, give land a height, such as 1 m, and mark missing values by _FillValue",
    )
    return grid


def _is_down(path: str | os.PathLike[str], name: str, attributes: Mapping[str, Any]) -> bool:
    """Whether a field is positive down: by its attribute `positive`, else by its names."""
    positive = str(attributes.get("positive", "")).lower()
    if positive in ("up", "down"):
        return positive == "down"
    for text in (attributes.get("standard_name", ""), name, attributes.get("long_name", "")):
        words = str(text).lower().replace("_", " ").split()
        is_down, is_up = (any(word in words for word in known) for known in (DOWN_WORDS, UP_WORDS))
        if is_down != is_up:
            return is_down
    raise InputError(
        f"{path}: it is not clear whether {name} is positive up or down. Give it the attribute "
        "positive = 'up' or 'down' (ncatted -a positive,NAME,c,c,down FILE)."
    )
