"""Regular latitude-longitude grids, and the choice of a grid for a mesh."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import remap
from halcyon.base import ConfigError

RESOLUTIONS = (10, 5, 2.5, 1, 0.5, 0.25, 0.1, 0.05, 0.025, 0.01)  # [degrees] default resolutions
MAX_BOXES = 100_000_000  # about 0.0255 degrees on the globe
GLOBE = (-180.0, 180.0, -90.0, 90.0)


@dataclass(frozen=True)
class LatLonGrid:
    """A grid of boxes of equal widths [degrees], from west to east and from south to north [degrees].

    Fields are (latitude, longitude), values at the centres of the boxes, from the south and from the west.
    """

    west: float
    east: float
    south: float
    north: float
    n_longitudes: int
    n_latitudes: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_latitudes, self.n_longitudes

    @property
    def longitude_edges(self) -> np.ndarray:
        return np.linspace(self.west, self.east, self.n_longitudes + 1)

    @property
    def latitude_edges(self) -> np.ndarray:
        return np.linspace(self.south, self.north, self.n_latitudes + 1)

    @property
    def longitude(self) -> np.ndarray:
        """Centres [degrees]."""
        return (self.longitude_edges[:-1] + self.longitude_edges[1:]) / 2

    @property
    def latitude(self) -> np.ndarray:
        return (self.latitude_edges[:-1] + self.latitude_edges[1:]) / 2

    def boxes(self) -> remap.LatLonGrid:
        """Returns the C++ grid."""
        return remap.LatLonGrid(np.radians(self.longitude_edges), np.radians(self.latitude_edges))


def regular_grid(
    region: Sequence[float] = GLOBE, *, resolution: float | None = None, shape: tuple[int, int] | None = None
) -> LatLonGrid:
    """Returns a grid on region (west, east, south, north) [degrees] with boxes of `resolution` [degrees], or
    with `shape` (longitudes, latitudes) boxes.

    Raises ConfigError for an invalid region, and if boxes of that size do not fill it."""
    west, east, south, north = _check_region(region)
    if shape is not None:
        counts = shape
    elif resolution is None:
        raise ConfigError(
            "The size of a grid's boxes is missing. Give a resolution, or the numbers of boxes."
        )
    else:
        counts = _count(east - west, resolution, "wide"), _count(north - south, resolution, "high")
    if min(counts) < 1:
        raise ConfigError(f"A grid of {counts[0]} x {counts[1]} boxes is empty. Give 1 x 1 or more.")
    if math.prod(counts) > MAX_BOXES:
        raise ConfigError(
            f"A grid of {counts[0]:,} x {counts[1]:,} boxes is too large: at most {MAX_BOXES:,} boxes are"
            " supported. Give a coarser resolution, or a smaller region."
        )
    return LatLonGrid(west, east, south, north, *counts)


def suitable_resolution(mean_area: float) -> float:
    """Returns the coarsest of `RESOLUTIONS` [degrees] that does not exceed the square root of the mean cell
    area [unit sphere], or the finest."""
    size = math.degrees(math.sqrt(mean_area))
    return next((resolution for resolution in RESOLUTIONS if resolution <= size), RESOLUTIONS[-1])


def globe(middle: float = 0.0) -> tuple[float, float, float, float]:
    """Returns the region west, east, south, north [degrees] of the globe around a longitude."""
    return middle - 180, middle + 180, *GLOBE[2:]


def grid_around(
    longitude: ArrayLike,
    latitude: ArrayLike,
    mean_area: float,
    *,
    resolution: float | None = None,
    middle: float | None = None,
) -> LatLonGrid:
    """Returns the smallest grid that contains the nodes [degrees] of faces with a mean area [unit sphere];
    its edges are multiples of the resolution [degrees]. Returns a global grid if the nodes leave no gap.

    resolution: by default the `suitable_resolution`; middle: longitude [degrees] within 180 degrees of which
    the grid is, by default with its west in -180..180. Raises ConfigError for an invalid resolution."""
    step = suitable_resolution(mean_area) if resolution is None else _positive(resolution)
    gap = 2 * max(step, math.degrees(math.sqrt(mean_area)))
    west, east = _span(np.asarray(longitude), gap, middle)
    south, north = float(np.min(latitude)), float(np.max(latitude))
    if east - west >= 360:  # a pole may lie inside a face, beyond all nodes
        south, north = (-90 if south < gap - 90 else south), (90 if north > 90 - gap else north)
    west, east, south, north = (
        _floor_multiple(west, step),
        -_floor_multiple(-east, step),
        _floor_multiple(south, step),
        -_floor_multiple(-north, step),
    )
    region = west, min(east, west + 360), max(south, -90), min(north, 90)
    return regular_grid(region, resolution=step)


def _span(longitude: np.ndarray, gap: float, middle: float | None) -> tuple[float, float]:
    """Returns the narrowest range of longitudes [degrees] that contains all nodes, around `middle`; 360
    degrees if no gap between nodes exceeds `gap` [degrees]."""
    ascending = np.unique(np.mod(longitude, 360))
    gaps = np.diff(ascending, append=ascending[0] + 360)
    widest = int(np.argmax(gaps))
    if gaps[widest] < gap:
        return globe(middle or 0.0)[:2]
    west = float(ascending[(widest + 1) % len(ascending)])
    east = float(ascending[widest])
    east += 360 * (east < west)
    turns = west >= 180 if middle is None else math.floor(((west + east) / 2 - middle) / 360 + 0.5)
    return west - 360 * turns, east - 360 * turns


def _floor_multiple(value: float, step: float) -> float:
    return math.floor(value / step + 1e-9) * step


def _check_region(region: Sequence[float]) -> tuple[float, float, float, float]:
    west, east, south, north = map(float, region)
    text = ",".join(f"{value:g}" for value in region)
    if not (west < east <= west + 360 and west >= -360 and east <= 720):
        raise ConfigError(
            f"The region {text} reaches from {west:g} to {east:g} E. East must be above west, by 360 degrees "
            "at most; across the date line it is above 180."
        )
    if not -90 <= south < north <= 90:
        raise ConfigError(
            f"The region {text} reaches from {south:g} to {north:g} N. Give west,east,south,north with "
            "-90 <= south < north <= 90."
        )
    return west, east, south, north


def _count(extent: float, resolution: float, direction: str) -> int:
    """Returns the number of boxes of a resolution in an extent [degrees]; direction: "wide" or "high"."""
    count = round(extent / _positive(resolution))
    if abs(count * resolution - extent) > 1e-6 * extent:
        raise ConfigError(
            f"Boxes of {resolution:g} degrees do not fill a region {extent:g} degrees {direction}, which is"
            f" {extent / resolution:.6g} boxes. Give another resolution or region, or the numbers of boxes."
        )
    return count


def _positive(resolution: float) -> float:
    if not (resolution > 0 and math.isfinite(resolution)):
        raise ConfigError(f"A resolution of {resolution:g} degrees is invalid. Give a positive number.")
    return resolution
