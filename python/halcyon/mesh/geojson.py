"""Polygons of GeoJSON files (RFC 7946)."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import shapely
from shapely import affinity

from halcyon.base import InputError, read_text


def read_polygons(path: str | os.PathLike[str], kind: str) -> list[shapely.Geometry]:
    """Returns the polygons of a GeoJSON file as valid shapely geometries in degrees.

    kind: kind of the file for error texts, such as "coast". Raises InputError if the file is missing or is
    not GeoJSON with polygons."""
    try:
        document = json.loads(read_text(path, f"the {kind} file"))
        shapes = [shapely.make_valid(shape) for shape in _geometries(document)]
    except InputError:
        raise
    except RecursionError:
        raise InputError(
            f"The {kind} file {path} is nested too deeply. Give a FeatureCollection of Polygon or "
            "MultiPolygon features in degrees."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, shapely.errors.ShapelyError):
        raise InputError(
            f"The {kind} file {path} is not GeoJSON of polygons. Give a FeatureCollection of Polygon or "
            "MultiPolygon features in degrees."
        ) from None
    return shapes


def read_region(path: str | os.PathLike[str]) -> shapely.Geometry:
    """Returns the polygons of a GeoJSON file as one prepared geometry without a jump at the date line: parts
    west of Greenwich are shifted by 360 degrees if this makes the region narrower.

    Raises InputError as `read_polygons`, and if the polygons have no area, latitudes beyond the poles, or a
    side of more than 180 degrees of longitude."""
    shapes = read_polygons(path, "region")
    parts = [part for part in shapely.get_parts(shapes) if part.area > 0]
    if not parts:
        raise InputError(f"The region file {path} has no polygon with an area. Add one.")
    if min(part.bounds[1] for part in parts) < -90 or max(part.bounds[3] for part in parts) > 90:
        raise InputError(f"The region file {path} has latitudes beyond -90..90. Give degrees.")
    for part in parts:
        _require_short_sides(part, path)
    shifted = [affinity.translate(part, 360) if part.bounds[0] < 0 else part for part in parts]
    shape = min((shapely.union_all(parts), shapely.union_all(shifted)), key=_width)
    if _width(shape) > 360:
        raise InputError(
            f"The region file {path} spans {_width(shape):g} degrees of longitude, but 360 is the maximum."
        )
    shapely.prepare(shape)
    return shape


def _require_short_sides(part: shapely.Polygon, path: str | os.PathLike[str]) -> None:
    """Raises InputError for a side of more than 180 degrees, which was probably meant to cross the date line.
    Sides of 360 degrees, round the globe along a parallel, are allowed."""
    for ring in (part.exterior, *part.interiors):
        lon = shapely.get_coordinates(ring)[:, 0]
        lengths = np.round(np.abs(np.diff(lon)), 9)
        wrong = np.flatnonzero((lengths > 180) & (lengths < 360))
        if not len(wrong):
            continue
        side = wrong[0]
        lower, higher = sorted(lon[side : side + 2])
        raise InputError(
            f"The region file {path} has a side from {lon[side]:g} to {lon[side + 1]:g} E, which runs "
            f"{lengths[side]:g} degrees round the globe. For the short way write {higher:g}..{lower + 360:g},"
            " or cut the polygon at the date line; for the long way insert a point between them."
        )


def _width(shape: shapely.Geometry) -> float:
    west, _, east, _ = shape.bounds
    return np.round(east - west, 9)


def _geometries(document: Any) -> list[shapely.Geometry]:
    """Returns the shapely geometries of a GeoJSON document."""
    kind = document["type"]
    if kind == "FeatureCollection":
        return [shape for feature in document["features"] for shape in _geometries(feature)]
    if kind == "Feature":
        return _geometries(document["geometry"])
    if kind not in ("Polygon", "MultiPolygon"):
        raise ValueError(kind)
    return [shapely.from_geojson(json.dumps(document))]
