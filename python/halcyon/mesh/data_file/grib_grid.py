"""The points of the grids of GRIB messages.

Grids as in FM 92 GRIB edition 2, grid definition templates 3.0, 3.1, 3.10, 3.20, 3.30, 3.40, 3.41 and 3.140,
and the same of edition 1: the first point is that of the first value, and the flags of the scanning mode give
the directions of rows and columns. Formulas of the projections: PROJ."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from halcyon.base import InputError

SOUTH_POLE = 128  # flag of projectionCentreFlag
ONE_DIMENSIONAL = ("regular_ll", "regular_gg")
TURNED = ("rotated_ll", "rotated_gg")
PROJECTED = ("lambert", "mercator", "polar_stereographic", "lambert_azimuthal_equal_area")
REDUCED = ("reduced_ll", "reduced_gg")


def shape_of(path: str | os.PathLike[str], grid: Mapping[str, Any]) -> tuple[int, ...]:
    """Returns the number of (rows, columns) of a grid, or of its (points,). grid: keys and values of ecCodes.

    Raises InputError for a grid whose shape does not fit its number of points."""
    n_points, n_rows, n_columns = grid.get("numberOfDataPoints", 0), grid.get("Nj"), grid.get("Ni")
    if n_rows is None or n_columns is None:
        return (n_points,)
    if n_rows * n_columns != n_points:
        raise InputError(
            f"{path}: a grid has {n_rows} x {n_columns} but {n_points} points. Replace the file."
        )
    return n_rows, n_columns


def axes_of(grid: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Returns latitudes (row) and longitudes (column) [degrees] of a grid of ONE_DIMENSIONAL or TURNED, of
    the turned grid itself, in scanning order; longitudes across the date line continue beyond 180 or 360."""
    first, last = (
        [grid[f"{axis}Of{end}GridPointInDegrees"] for axis in ("latitude", "longitude")]
        for end in ("First", "Last")
    )
    latitude = np.linspace(first[0], last[0], grid["Nj"])
    if len(grid.get("distinctLatitudes", ())) == grid["Nj"]:  # Gaussian
        latitude = np.array(grid["distinctLatitudes"])
        latitude = latitude if (latitude[0] > latitude[-1]) == (first[0] > last[0]) else latitude[::-1]
    span = (last[1] - first[1]) * (-1 if grid["iScansNegatively"] else 1) % 360
    full_span = 360 * (1 - 1 / grid["Ni"])  # of a grid that covers the circle, rounded in the message
    span = full_span if abs(span - full_span) < 2e-3 else span
    return latitude, first[1] + np.linspace(0, -span if grid["iScansNegatively"] else span, grid["Ni"])


def points_of(grid: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Returns latitudes and longitudes [degrees] (row, column) of a grid of TURNED or PROJECTED, in scanning
    order."""
    if grid["gridType"] in TURNED:
        latitude, longitude = np.meshgrid(*axes_of(grid), indexing="ij")
        return _turned(latitude, longitude, grid)
    from pyproj import Proj

    projection = Proj(_projection(grid))
    names = ("DiInMetres", "DjInMetres") if grid["gridType"] == "mercator" else ("DxInMetres", "DyInMetres")
    x_step, y_step = (grid[name] for name in names)
    x, y = projection(grid["longitudeOfFirstGridPointInDegrees"], grid["latitudeOfFirstGridPointInDegrees"])
    x = x + np.arange(grid["Ni"]) * (-x_step if grid["iScansNegatively"] else x_step)
    y = y + np.arange(grid["Nj"]) * (y_step if grid["jScansPositively"] else -y_step)
    x, y = np.meshgrid(x, y)
    longitude, latitude = projection(x, y, inverse=True)
    return latitude, longitude


def _turned(
    latitude: np.ndarray, longitude: np.ndarray, grid: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the geographical positions of positions on a sphere whose southern pole is turned to
    (`latitudeOfSouthernPole`, `longitudeOfSouthernPole`), about its new axis by `angleOfRotation`."""
    lat, lon = np.radians(latitude), np.radians(longitude - grid.get("angleOfRotationInDegrees", 0.0))
    tilt = np.radians(90 + grid["latitudeOfSouthernPoleInDegrees"])
    x, y, z = np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)
    x, z = np.cos(tilt) * x - np.sin(tilt) * z, np.sin(tilt) * x + np.cos(tilt) * z
    turned = np.degrees(np.arctan2(y, x)) + grid["longitudeOfSouthernPoleInDegrees"]
    return np.degrees(np.arcsin(np.clip(z, -1, 1))), turned


def _projection(grid: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parameters of PROJ of a projected grid."""
    sign = -1 if int(grid.get("projectionCentreFlag", 0)) & SOUTH_POLE else 1
    axes = {"a": grid.get("earthMajorAxis"), "b": grid.get("earthMinorAxis")}
    figure = axes if None not in axes.values() else {"R": grid.get("radius", 6371229)}
    centre = {"lon_0": grid.get("LoVInDegrees", grid.get("orientationOfTheGridInDegrees"))}
    kind = grid["gridType"]
    if kind == "lambert":
        parallels = {"lat_1": grid["Latin1InDegrees"], "lat_2": grid["Latin2InDegrees"]}
        return {"proj": "lcc", **parallels, "lat_0": grid["Latin1InDegrees"], **centre, **figure}
    if kind == "mercator":
        centre = {"lon_0": grid["longitudeOfFirstGridPointInDegrees"]}
        return {"proj": "merc", "lat_ts": grid["LaDInDegrees"], **centre, **figure}
    if kind == "polar_stereographic":
        true_latitude = sign * abs(grid.get("LaDInDegrees", 60.0))
        return {"proj": "stere", "lat_0": sign * 90, "lat_ts": true_latitude, **centre, **figure}
    centre = {"lat_0": grid["standardParallelInDegrees"], "lon_0": grid["centralLongitudeInDegrees"]}
    return {"proj": "laea", **centre, **figure}
