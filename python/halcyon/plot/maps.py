"""Maps of a run at several times in one figure."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import ScalarFormatter

from halcyon.base import InputError
from halcyon.io.attributes import is_direction
from halcyon.mesh.sphere import to_points
from halcyon.plot import style
from halcyon.plot.cells import Cells, cells_of, on_level, open_files, values_of
from halcyon.plot.chart import land_patches

if TYPE_CHECKING:
    import shapely
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage


MOST_PANELS = 40
_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 0.3, 1.0, 0.95, 0.3, 0.42  # inches
_SPANS = {"twilight": ((0.04, 0.96),), "RdBu_r": ((0.05, 0.95),)}  # of colour maps, other than the default


def panels(
    path: str | os.PathLike[str],
    files: Any,
    *,
    every_s: float = 86400.0,
    variable: str = "significant_height",
    at: float | None = None,
    land: Any = None,
    title: str | None = None,
) -> None:
    """Plots maps of a variable at multiples of `every_s` since the first record of a run, as a PNG with one
    colour scale.

    files: the UGRID files of a run in order of time; at: the level of a variable with levels, by default the
    one that `halcyon.plot.cells.on_level` chooses; land: shapely geometry in degrees. Raises InputError if a
    file cannot be read or lacks the variable or the level, and for too many maps."""
    datasets = open_files(files)
    cells = cells_of(datasets[0])
    times, maps, attributes, level = _records(datasets, variable, every_s, at)
    long_name = attributes.get("long_name", variable)
    name = (title or long_name[:1].upper() + long_name[1:]) + (f", {level}" if level else "")
    several_maps(
        path,
        cells,
        {style.time_text(time): values for time, values in zip(times, maps, strict=True)},
        colour_scale(maps, attributes),
        title=name,
        subtitle=f"{style.time_text(times[0])} to {style.time_text(times[-1])} UTC",
        label=f"{variable.replace('_', ' ')} [{attributes.get('units', '')}]",
        land=land,
    )


def several_maps(
    path: str | os.PathLike[str],
    cells: Cells,
    maps: Mapping[str, np.ndarray],
    scale: tuple[np.ndarray, Any, Any],
    *,
    title: str,
    subtitle: str,
    label: str,
    land: Any = None,
    raster: Callable[[Cells, tuple[float, ...], int], np.ndarray] | None = None,
) -> None:
    """Plots maps of values (cell), by their headings, in one figure.

    scale: as `colour_scale` returns it; label: of the colour bar; land: shapely geometry in degrees; raster:
    in place of `nearest_cells`, such as one that keeps its results."""
    box = _box(cells)
    with style.settings():
        figure, positions = _frame(box, len(maps))
        style.heading(figure, title, subtitle, left=_LEFT / style.WIDTH)
        levels, colour_map, norm = scale
        inches = figure.get_size_inches()[0] * positions[0][2]
        image = (raster or nearest_cells)(cells, box, round(inches * style.DPI))
        for position, (heading, values) in zip(positions, maps.items(), strict=True):
            axes = figure.add_axes(position)
            image_on_map = _map(
                axes, box, np.where(image >= 0, values[image], np.nan), colour_map, norm, land
            )
            axes.set_title(heading, fontsize=8.5, loc="left", pad=3)
        _colour_bar(figure, image_on_map, levels, label)
        style.save(figure, path)


def colour_scale(maps: np.ndarray, attributes: Mapping[Any, Any]) -> tuple[np.ndarray, Colormap, Normalize]:
    """The limits between colours, the colour map and its norm, by `scale_of`."""
    is_cyclic = is_direction(attributes.get("standard_name", ""))
    levels, name = scale_of(float(np.nanmin(maps)), float(np.nanmax(maps)), is_cyclic=is_cyclic)
    return levels, *style.colours(levels, name, *_SPANS.get(name, ()))


def scale_of(lowest: float, highest: float, *, is_cyclic: bool) -> tuple[np.ndarray, str]:
    """The limits between colours, and the name of the colour map for values in a range. The colour map is
    cyclic for directions and diverging for values of both signs. Otherwise it is sequential and begins with
    0, or with the lowest value if this exceeds half the highest, as for temperatures."""
    if is_cyclic:
        return np.arange(0, 361, 30), "twilight"
    if lowest < 0:
        positive = style.round_levels(max(-lowest, highest), most=7)
        return np.concatenate([-positive[:0:-1], positive]), "RdBu_r"
    if lowest > highest / 2:
        step = style.round_levels(highest - lowest, most=12)[1]
        lower = np.floor(lowest / step)
        return step * np.arange(lower, max(np.ceil(highest / step), lower + 1) + 1), "magma_r"
    return style.round_levels(highest), "magma_r"


def nearest_cells(cells: Cells, box: tuple[float, float, float, float], width: int) -> np.ndarray:
    """The cell that contains each pixel of a map, rows from the south, or -1. A Voronoi cell contains the
    points nearest to its centre; at the boundary of a mesh it ends at its farthest corner."""
    from scipy.spatial import cKDTree

    centres = to_points(cells.longitude, cells.latitude)
    distance, cell = cKDTree(centres).query(style.pixel_points(box, width))
    counts = [len(polygon) for polygon in cells.polygons]
    corners = to_points(*np.concatenate(cells.polygons).T)
    distances: Any = np.linalg.norm(corners - np.repeat(centres, counts, axis=0), axis=1)
    starts: Any = np.cumsum(counts) - counts
    farthest = np.maximum.reduceat(distances, starts)
    return np.where(distance <= farthest[cell], cell, -1)


def _records(
    datasets: Sequence[xr.Dataset], variable: str, every_s: float, at: float | None
) -> tuple[list[np.datetime64], np.ndarray, dict[Any, Any], str | None]:
    """The records at multiples of `every_s` since the first record: times datetime64[s], values (time, cell),
    attributes of the variable, and the level as text."""
    if "time" not in values_of(datasets[0], variable).dims:
        raise InputError(
            f"{variable} does not change in time: there is one map of it. Choose another variable."
        )
    fields, levels = zip(*(on_level(dataset, variable, at) for dataset in datasets), strict=True)
    times = [values_of(dataset, "time").values.astype("datetime64[s]") for dataset in datasets]
    start, selected = times[0][0], {}
    for field, file_times in zip(fields, times, strict=True):
        for i, time in enumerate(file_times):
            if (time - start).astype(float) % every_s == 0:
                selected[time] = (field, i)
    if len(selected) > MOST_PANELS:
        raise InputError(f"{len(selected)} maps would be too many for a figure. Give a longer --every.")
    maps = np.array([field[i].values for field, i in selected.values()])
    if not np.isfinite(maps).any():
        raise InputError(f"{variable} has no values at these times.")
    return list(selected), maps, fields[0].attrs, levels[0]


def _box(cells: Cells) -> tuple[float, float, float, float]:
    """West, east, south, north [degrees] around all corners; a global mesh is cut at 0 or at 180 E."""
    corners = np.concatenate(cells.polygons)
    (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
    if east - west > 340:
        west = -180.0 if cells.longitude.min() < 0 else 0.0
        east = west + 360
    return west, east, south, north


def _frame(box: tuple[float, float, float, float], n: int) -> tuple[Figure, list[Any]]:
    """A figure, and the positions of n maps on it."""
    west, east, south, north = box
    columns = min(n, 2 if n <= 4 else 3)
    shape = (north - south) / (east - west) / max(0.2, np.cos(np.radians((south + north) / 2)))
    width = (style.WIDTH - _LEFT - _RIGHT - (columns - 1) * _GAP) / columns
    rows, height = -(-n // columns), width * shape
    total = _TOP + _BOTTOM + rows * (height + _GAP)
    figure = style.new_figure(total)
    positions = []
    for i in range(n):
        row, column = divmod(i, columns)
        left, bottom = _LEFT + column * (width + _GAP), total - _TOP - row * (height + _GAP) - height
        positions.append((left / style.WIDTH, bottom / total, width / style.WIDTH, height / total))
    return figure, positions


def _map(
    axes: Axes,
    box: tuple[float, float, float, float],
    values: np.ndarray,
    colour_map: Colormap,
    norm: Normalize,
    land: shapely.Geometry | None,
) -> AxesImage:
    west, east, south, north = box
    extent = (west, east, south, north)
    image = axes.imshow(
        values, extent=extent, origin="lower", cmap=colour_map, norm=norm, aspect="auto", zorder=1
    )
    if land is not None:
        axes.add_collection(land_patches(land, box), autolim=False)
    axes.set(xlim=(west, east), ylim=(south, north), facecolor="#f7f7f5")
    axes.tick_params(labelsize=6.5, length=2)
    return image


def _colour_bar(figure: Figure, image: AxesImage, levels: np.ndarray, label: str) -> None:
    height = figure.get_size_inches()[1]
    bar_axes = figure.add_axes(
        (1 - 0.75 / style.WIDTH, _BOTTOM / height, 0.16 / style.WIDTH, 1 - (_TOP + _BOTTOM) / height)
    )
    bar = figure.colorbar(image, cax=bar_axes, ticks=levels)
    bar.formatter = ScalarFormatter(useMathText=True)
    bar.formatter.set_powerlimits((-3, 5))
    bar.set_label(label)
    bar.outline.set_linewidth(0.6)
