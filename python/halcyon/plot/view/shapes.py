"""Shapes of the page: the cells of a mesh, the land, and the tracks of storms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from halcyon.base import InputError
from halcyon.mesh import coast
from halcyon.mesh.sphere import middle_of, wrapped
from halcyon.plot.cells import values_of
from halcyon.plot.view.packing import packed_integers

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.wave.track import Track

_PARTS = 100  # steps of the coordinates of corners per half a cell
_LAND_STEP = 0.005  # [degrees]
_BOX = 15.0  # [degrees] land is cut into boxes of this size, whose triangles fit a sphere
_WIDE = 100.0  # [degrees] wider boxes have the coarse shoreline only


def packed_cells(dataset: xr.Dataset) -> dict[str, Any]:
    """The polygons of the cells of an open UGRID file: coordinates of nodes in units of `step` degrees, the
    number of corners of each cell, and the nodes at its corners, counter-clockwise."""
    lon, lat = (np.asarray(values_of(dataset, f"node_{name}").values, np.float64) for name in ("lon", "lat"))
    corners = values_of(dataset, "face_nodes").values
    is_corner = np.isfinite(corners) & (corners >= 0)
    nodes = corners[is_corner].astype(np.int32)
    counts = is_corner.sum(axis=1)
    middle = np.repeat(values_of(dataset, "lat").values, counts)
    half = np.percentile(abs(lat[nodes] - middle), 75)  # a lower bound of half the width of a cell
    step = float(half / _PARTS)
    return {
        "n": len(counts),
        "step": step,
        "lon": packed_integers(np.rint(wrapped(lon, 0.0) / step)),
        "lat": packed_integers(np.rint(lat / step)),
        "counts": packed_integers(counts),
        "nodes": packed_integers(nodes),
    }


def box_of(dataset: xr.Dataset) -> tuple[float, float, float, float]:
    """West, south, east, north [degrees] around the centres of cells; the globe for a global mesh."""
    lon, lat = (np.asarray(values_of(dataset, name).values, np.float64) for name in ("lon", "lat"))
    lon = wrapped(lon, middle_of(lon))
    west, south, east, north = map(float, (lon.min(), lat.min(), lon.max(), lat.max()))
    return (-180.0, -90.0, 180.0, 90.0) if east - west > 300 else (west, south, east, north)


def packed_land(box: tuple[float, float, float, float], own: Any = None) -> dict[str, Any]:
    """Land of the whole globe in the coarse resolution of GSHHG, within a box of less than `_WIDE` degrees in
    a finer one or the land `own` of the case: points of the coast, lengths of its lines, and triangles of the
    land, all in units of `step` degrees.

    Raises InputError if the shorelines are not installed."""
    world = coast.land("c", (-180.0, -90.0, 180.0, 90.0))
    west, south, east, north = box
    if east - west < _WIDE:
        frame = (west - 3, max(south - 3, -90.0), east + 3, min(north + 3, 90.0))
        fine = own if own is not None else coast.land("i" if east - west < _WIDE / 4 else "l", frame)
        fine = shapely.make_valid(shapely.simplify(fine, (east - west) / 2000))
        fine = shapely.intersection(fine, shapely.box(*frame))
        outside = shapely.difference(world, shapely.union_all([_shifted(frame, s) for s in (-360, 0, 360)]))
        world = shapely.geometrycollections([outside, fine])
    lines = [line for polygon in _polygons(world) for line in _coast_lines(polygon)]
    triangles = _triangles(world)
    return {
        "step": _LAND_STEP,
        "lines": packed_integers(_units(np.concatenate(lines)).T),
        "lengths": packed_integers(np.array([len(line) for line in lines])),
        "triangles": packed_integers(_units(triangles.reshape(-1, 2)).T),
    }


def track_of(track: Track) -> dict[str, Any]:
    """Times [s since 1970], positions [degrees] and greatest winds [m s-1] of a storm."""
    return {
        "name": track.title or track.storm or "track",
        "times": track.times.astype("datetime64[s]").astype(np.int64).tolist(),
        "lon": np.round(track.longitude, 3).tolist(),
        "lat": np.round(track.latitude, 3).tolist(),
        "wind": [None if np.isnan(wind) else round(float(wind), 1) for wind in track.wind],
    }


def _shifted(box: tuple[float, ...], shift: float) -> Any:
    west, south, east, north = box
    return shapely.box(west + shift, south, east + shift, north)


def _polygons(shape: Any) -> list[Any]:
    parts = shapely.get_parts(shapely.get_parts(shape))  # of collections of multi-polygons
    return [part for part in parts if part.geom_type == "Polygon"]


def _coast_lines(polygon: Any) -> list[np.ndarray]:
    """The rings of a polygon, without the sides of boxes, which are no coast: parts along the meridian of
    180 degrees or a long straight line along a parallel or meridian."""
    lines = []
    for ring in (polygon.exterior, *polygon.interiors):
        points = shapely.get_coordinates(ring)
        steps = abs(np.diff(points, axis=0))
        is_side = (steps.min(axis=1) < 1e-9) & (steps.max(axis=1) > 0.3)
        is_side |= (abs(abs(points[:-1, 0]) - 180) < 1e-9) & (abs(abs(points[1:, 0]) - 180) < 1e-9)
        breaks = np.flatnonzero(is_side)
        lines += [part for part in np.split(points, breaks + 1) if len(part) > 1]
    return lines


def _triangles(land: Any) -> np.ndarray:
    """Triangles (n, 3, 2) [degrees] of the land, each within a box of `_BOX` degrees."""
    west, south = np.meshgrid(np.arange(-180, 540, _BOX), np.arange(-90, 90, _BOX))
    boxes = shapely.box(west, south, west + _BOX, south + _BOX).ravel()
    polygons = np.array(_polygons(land))
    which, polygon = shapely.STRtree(polygons).query(boxes, predicate="intersects")
    cut = shapely.intersection(polygons[polygon], boxes[which])
    cut = [part for part in shapely.get_parts(cut) if part.geom_type == "Polygon"]
    found = shapely.get_parts(shapely.constrained_delaunay_triangles(np.array(cut)))
    return shapely.get_coordinates([each.exterior for each in found]).reshape(-1, 4, 2)[:, :3]


def _units(degrees: np.ndarray) -> np.ndarray:
    return np.rint(degrees / _LAND_STEP).astype(np.int32)


def land_or_note(box: tuple[float, float, float, float], own: Any) -> tuple[dict[str, Any] | None, str]:
    """The land, or None and the reason why there is none."""
    try:
        return packed_land(box, own), ""
    except InputError as error:
        return None, f"no coast: {error}"
