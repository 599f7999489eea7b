"""A map of the spacing of a mesh, with histograms of spacing and quality."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import wrapped
from halcyon.plot import style
from halcyon.plot.chart import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from halcyon.mesh import Mesh


MOST_POLYGONS = 40_000  # cells; larger meshes are drawn as a raster
RASTER_WIDTH = 1100  # pixels
HISTOGRAM_HEIGHT = 2.6  # inches
POLAR_LIMIT = 60.0  # latitude [degrees] to which the map of a polar mesh extends at least


def mesh_picture(path: str | os.PathLike[str], mesh: Mesh, *, title: str = "Mesh") -> None:
    """Plots a mesh coloured by the distance between neighbouring cells [km], with histograms of this distance
    and of the ratio of shortest to longest side per cell, as a PNG."""
    spacing = cell_spacing(mesh)
    with style.settings():
        chart = Chart(_box(mesh), title, _subtitle(mesh, spacing))
        levels = _levels(spacing)
        label = "mean distance to the neighbours [km]"
        if mesh.n_cells <= MOST_POLYGONS:
            chart.cells(*_on_both_sides(_polygons(mesh), spacing, chart.box), levels, label, "viridis")
        else:
            chart.raster(_raster(mesh, spacing, chart.box), levels, label, "viridis")
        left, right = chart.axes_below(HISTOGRAM_HEIGHT)
        _histogram(left, spacing, label)
        _histogram(right, cell_quality(mesh), "shortest over longest side of a cell")
        chart.save(path)


def cell_spacing(mesh: Mesh) -> np.ndarray:
    """Mean distance (cell) to the neighbouring cells [km]."""
    sums = np.add.reduceat(mesh.dc_edge[mesh.edges_on_cell], mesh.cell_offsets[:-1])
    return sums / np.diff(mesh.cell_offsets) * EARTH_RADIUS / 1e3


def cell_quality(mesh: Mesh) -> np.ndarray:
    """Shortest over longest side of each cell (cell)."""
    sides, starts = mesh.dv_edge[mesh.edges_on_cell], mesh.cell_offsets[:-1]
    return np.minimum.reduceat(sides, starts) / np.maximum.reduceat(sides, starts)


def _central_longitude(mesh: Mesh) -> float:
    """The central longitude [degrees] of the map: Greenwich for a mesh around the whole globe."""
    x, y, _ = np.asarray(mesh.cell_points).mean(axis=0)
    middle = float(np.degrees(np.arctan2(y, x)))
    width = np.ptp(wrapped(np.degrees(mesh.cell_longitude), middle)) + 2 * _half_cell(mesh)
    return middle if width < 360 else 0.0


def _half_cell(mesh: Mesh) -> float:
    """Half the width [degrees] of the largest cell."""
    return float(np.degrees(np.sqrt(mesh.area_cell.max())) / 2)


def _box(mesh: Mesh) -> tuple[float, float, float, float]:
    """West, east, south, north [degrees] of all centres, with a margin of half a cell."""
    lon = wrapped(np.degrees(mesh.cell_longitude), _central_longitude(mesh))
    lat = np.degrees(mesh.cell_latitude)
    half = _half_cell(mesh)
    south, north = max(lat.min() - half, -90), min(lat.max() + half, 90)
    south, north = min(south, POLAR_LIMIT), max(north, -POLAR_LIMIT)
    west, east = lon.min() - half, lon.max() + half
    return (west, east, south, north) if east - west < 360 else (-180, 180, south, north)


def _polygons(mesh: Mesh) -> list[np.ndarray]:
    """The corners (corner, 2) of each cell, longitude and latitude [degrees], not split at the date line."""
    lon, lat = np.degrees(mesh.vertex_longitude), np.degrees(mesh.vertex_latitude)
    vertices, counts = mesh.vertices_on_cell, np.diff(mesh.cell_offsets)
    centre = np.repeat(wrapped(np.degrees(mesh.cell_longitude), _central_longitude(mesh)), counts)
    corners = np.column_stack([wrapped(lon[vertices], centre), lat[vertices]])
    return np.split(corners, mesh.cell_offsets[1:-1])


def _on_both_sides(
    polygons: list[np.ndarray], values: np.ndarray, box: tuple[float, float, float, float]
) -> tuple[list[np.ndarray], np.ndarray]:
    """Polygons and values. In a global box, polygons that cross the west or east side are repeated at the
    other side."""
    west, east, _, _ = box
    if east - west < 360:
        return polygons, values
    lon = [polygon[:, 0] for polygon in polygons]
    shifted = [(i, 360) for i, x in enumerate(lon) if x.min() < west]
    shifted += [(i, -360) for i, x in enumerate(lon) if x.max() > east]
    repeated = [polygons[i] + [shift, 0] for i, shift in shifted]
    return polygons + repeated, np.append(values, values[[i for i, _ in shifted]])


def _raster(mesh: Mesh, spacing: np.ndarray, box: tuple[float, float, float, float]) -> np.ndarray:
    """Spacing of the nearest cell on an image of the box, rows from the south; NaN outside the mesh."""
    from scipy.spatial import cKDTree

    tree = cKDTree(mesh.cell_points, balanced_tree=False, compact_nodes=False)
    distance, cell = tree.query(style.pixel_points(box, RASTER_WIDTH), workers=-1)
    return np.where(distance * EARTH_RADIUS / 1e3 < spacing[cell], spacing[cell], np.nan)


def _levels(spacing: np.ndarray) -> np.ndarray:
    low, high = float(spacing.min()), float(spacing.max())
    return np.asarray(MaxNLocator(12).tick_values(low, max(high, low * (1 + 1e-6))))


def _subtitle(mesh: Mesh, spacing: np.ndarray) -> str:
    return f"{mesh.n_cells:,} cells   ·   {spacing.min():.4g} to {spacing.max():.4g} km"


def _histogram(axes: Axes, values: np.ndarray, label: str) -> None:
    axes.hist(values, bins=60, color=style.SERIES[0])
    axes.set(xlabel=label, ylabel="cells")
    style.plain_axes(axes)
