"""Functions of the spacing of a mesh (distance between neighbouring cell centres) on longitude-latitude
grids: computed from the depth of water, or read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.mesh.grid_file import read_grid, read_relief
from halcyon.mesh.spacing import GROWTH
from halcyon.mesh.sphere import fibonacci, position_text, to_lonlat

if TYPE_CHECKING:
    from halcyon.mesh.grid_file import Grid
    from halcyon.mesh.spacing_spec import ByDepth, ByField
    from halcyon.mesh.spec import Depth


METRES = {
    **dict.fromkeys(["m", "metre", "metres", "meter", "meters"], 1.0),
    **dict.fromkeys(["km", "kilometre", "kilometres", "kilometer", "kilometers"], 1e3),
}
MAX_SWEEPS = 100
COVER_POINTS = 5000  # points all over the globe; a file must have a value at each of them that is in the box


class OnGrid:
    """A spacing function: interpolates a `Grid` of spacing [m] bilinearly, and returns radians."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return self.grid.interpolate(*to_lonlat(points)) / EARTH_RADIUS


def by_depth(
    request: ByDepth, background: float, depth: Depth, box: tuple[float, float, float, float]
) -> OnGrid:
    """Returns a spacing function that is fine in shallow water.

    request: a `spacing_spec.ByDepth`; background: spacing [m] in deep water; depth: a `Depth`, the file of
    depths; box: west, south, east, north [degrees]."""
    relief = read_relief(depth.path, box, depth.variable)
    n_averaged = max(1, int(request.spacing / 2 / (EARTH_RADIUS * np.radians(np.diff(relief.lat).mean()))))
    grid = coarsened(relief, n_averaged)
    water = np.nan_to_num(np.clip(grid.values, 0, request.depth))
    spacing = np.maximum(background * np.sqrt(water / request.depth), request.spacing)
    return OnGrid(_limited(grid, np.where(grid.values > 0, spacing, background)))


def by_field(request: ByField, box: tuple[float, float, float, float]) -> OnGrid:
    """Returns the spacing function of a `ByField` (a file of spacing) in a box: the values of the file,
    reduced where they grow faster than GROWTH.

    Raises InputError if the variable is ambiguous or has no unit of length, or if spacing is missing or not
    positive in the box."""
    advice = "Name one as FILE:VARIABLE on the command line, or by mesh.spacing.field.variable in a case."
    grid, attributes = read_grid(request.path, box, request.variable, advice)
    _require_cover(grid, box)
    metres = grid.values * _metres(grid, attributes)
    bad = np.argwhere(~(metres > 0) | np.isinf(metres))
    if len(bad):
        i, j = bad[0]
        raise InputError(
            f"{grid.path}: {grid.name} is {grid.values[i, j]:g} at {position_text(grid.lon[j], grid.lat[i])} "
            f"(and wrong at {len(bad) - 1} more places), but a spacing is above 0 everywhere. Fill the gaps."
        )
    return OnGrid(_limited(grid, metres))


def limited(spacing: np.ndarray, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    """Returns spacing (lat, lon) [m], reduced where it grows faster than GROWTH along a row or a column:
    h(x) <= h(y) + GROWTH |x - y| (Persson 2006, Eng. Comput. 22, 95-109, in sweeps along the axes)."""
    spacing = np.array(spacing, float)
    growth_per_degree = GROWTH * EARTH_RADIUS * np.pi / 180
    growth_in_lat = growth_per_degree * np.asarray(lat)[:, None]
    growth_in_lon = growth_per_degree * np.cos(np.radians(lat))[:, None] * np.asarray(lon)
    n_repeated = int(np.count_nonzero(lon > lon[0] + 360 - 1e-6))  # columns that a global grid repeats
    for _ in range(MAX_SWEEPS):
        previous = spacing.copy()
        _sweep(spacing, growth_in_lon, 1)
        if n_repeated:
            common = np.minimum(spacing[:, :n_repeated], spacing[:, -n_repeated:])
            spacing[:, :n_repeated] = spacing[:, -n_repeated:] = common
        _sweep(spacing, growth_in_lat, 0)
        if np.allclose(previous, spacing, rtol=1e-6, atol=0):
            break
    return spacing


def _limited(grid: Grid, spacing: np.ndarray) -> Grid:
    return replace(grid, values=limited(spacing, grid.lon, grid.lat))


def _sweep(spacing: np.ndarray, growth: np.ndarray, axis: int) -> None:
    """Limits growth along an axis in both directions. growth: largest allowed growth, accumulated along the
    axis."""
    np.minimum(spacing, np.minimum.accumulate(spacing - growth, axis) + growth, out=spacing)
    backward = np.flip(np.minimum.accumulate(np.flip(spacing + growth, axis), axis), axis) - growth
    np.minimum(spacing, backward, out=spacing)


def coarsened(grid: Grid, n: int) -> Grid:
    """Returns a grid of means over n x n points; the last row and column are means over the remaining
    points."""
    if n == 1:
        return grid
    rows, columns = np.arange(0, len(grid.lat), n), np.arange(0, len(grid.lon), n)

    def mean(values: np.ndarray, axis: int, starts: np.ndarray) -> np.ndarray:
        counts = np.diff([*starts, values.shape[axis]])
        shape = [-1 if axis == k else 1 for k in range(values.ndim)]
        return np.add.reduceat(values, starts, axis) / counts.reshape(shape)

    values = mean(mean(grid.values, 0, rows), 1, columns)
    return replace(grid, lon=mean(grid.lon, 0, columns), lat=mean(grid.lat, 0, rows), values=values)


def _require_cover(grid: Grid, box: tuple[float, float, float, float]) -> None:
    west, south, east, north = box
    lon, lat = to_lonlat(fibonacci(COVER_POINTS))
    lon = west + (lon - west) % 360
    inside = (lon <= east) & (lat >= south) & (lat <= north)
    corners = np.array([(x, y) for x in (west, east) for y in (south, north)])
    grid.require_cover(np.append(lon[inside], corners[:, 0]), np.append(lat[inside], corners[:, 1]))


def _metres(grid: Grid, attributes: Mapping[str, Any]) -> float:
    """Returns the unit of the field in metres."""
    units = str(attributes.get("units", "")).strip()
    if units.lower() not in METRES:
        given = f"the units '{units}'" if units else "no units"
        raise InputError(
            f"{grid.path}: {grid.name} has {given}, but a spacing is in m or km. Set its attribute units "
            "(ncatted -a units,NAME,o,c,km FILE)."
        )
    return METRES[units.lower()]
