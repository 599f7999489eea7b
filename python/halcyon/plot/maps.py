"""Maps of a run at several times in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import ScalarFormatter

from halcyon.base import InputError
from halcyon.io.attributes import is_direction
from halcyon.mesh.sphere import to_points
from halcyon.plot import style
from halcyon.plot.cells import Cells, cells_of, on_level, open_files, values_of
from halcyon.plot.chart import land_patches

MOST = 40  # panels of a figure
_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 0.3, 1.0, 0.95, 0.3, 0.42  # inches


def panels(
    path: Path,
    files: Sequence[Path],
    *,
    every_s: float = 86400.0,
    variable: str = "significant_height",
    at: float | None = None,
    land: Any = None,
    title: str | None = None,
) -> None:
    """Draws a variable on cells every so many seconds from a run's first record on, all maps in the same
    colours, as a PNG.

    files: the UGRID files of a run in order of time; at: the level of a variable that has some, by default as
    `halcyon.plot.cells.on_level`; land: shapely geometry in degrees. Raises InputError when a file cannot be
    read or lacks the variable or the level, when no record or too many lie on those times."""
    datasets = open_files(files)
    cells = cells_of(datasets[0])
    times, maps, attributes, level = _records(datasets, variable, every_s, at)
    box = _box(cells)
    with style.settings():
        figure, places = _frame(box, len(times))
        said = attributes.get("long_name", variable)
        name = (title or said[:1].upper() + said[1:]) + (f", {level}" if level else "")
        period = f"{style.when(times[0])} to {style.when(times[-1])} UTC"
        style.heading(figure, name, period, left=_LEFT / style.WIDTH)
        levels, colour_map, norm = scale(maps, attributes)
        inches = figure.get_size_inches()[0] * places[0][2]
        image = nearest_cells(cells, box, round(inches * style.DPI))
        for at, time, values in zip(places, times, maps, strict=True):
            axes = figure.add_axes(at)
            drawn = _map(axes, box, np.where(image >= 0, values[image], np.nan), colour_map, norm, land)
            axes.set_title(style.when(time), fontsize=8.5, loc="left", pad=3)
        _colour_bar(figure, drawn, levels, f"{variable.replace('_', ' ')} [{attributes.get('units', '')}]")
        figure.savefig(path, dpi=style.DPI)


def scale(maps, attributes):
    """Levels and colours: of directions round, of values of both signs from the middle, of others from 0, or
    from the lowest where that is more than half the highest, as of temperatures."""
    lowest, highest = float(np.nanmin(maps)), float(np.nanmax(maps))
    if is_direction(attributes.get("standard_name", "")):
        levels, given = np.arange(0, 361, 30), ("twilight", (0.04, 0.96))
    elif lowest < 0:
        half = style.steps(max(-lowest, highest), most=7)
        levels, given = np.concatenate([-half[:0:-1], half]), ("RdBu_r", (0.05, 0.95))
    elif lowest > highest / 2:
        step = style.steps(highest - lowest, most=12)[1]
        first = np.floor(lowest / step)
        levels, given = step * np.arange(first, max(np.ceil(highest / step), first + 1) + 1), ("magma_r",)
    else:
        levels, given = style.steps(highest), ("magma_r",)
    return levels, *style.colours(levels, *given)


def nearest_cells(cells: Cells, box: tuple[float, ...], width: int) -> np.ndarray:
    """The cell in which each pixel of a map lies, rows from the south; -1 where there is none. Voronoi cells
    hold what is nearest to their centre; at a rim they end at their farthest corner."""
    from scipy.spatial import cKDTree

    centres = to_points(cells.longitude, cells.latitude)
    distance, cell = cKDTree(centres).query(style.lattice(box, width))
    counts = [len(polygon) for polygon in cells.polygons]
    corners = to_points(*np.concatenate(cells.polygons).T)
    reach = np.linalg.norm(corners - np.repeat(centres, counts, axis=0), axis=1)
    farthest = np.maximum.reduceat(reach, np.cumsum(counts) - counts)
    return np.where(distance <= farthest[cell], cell, -1)


def _records(datasets, variable: str, every_s: float, at: float | None):
    """Times datetime64[s] at multiples of the step from the first, the values (time, cell) there, attributes,
    and the level in words."""
    if "time" not in values_of(datasets[0], variable).dims:
        raise InputError(f"{variable} does not change in time: there is one map of it. Choose another.")
    fields, levels = zip(*(on_level(dataset, variable, at) for dataset in datasets), strict=True)
    times = [values_of(dataset, "time").values.astype("datetime64[s]") for dataset in datasets]
    start, found = times[0][0], {}
    for field, each in zip(fields, times, strict=True):
        for i, time in enumerate(each):
            if (time - start).astype(float) % every_s == 0:
                found[time] = (field, i)
    if len(found) > MOST:
        raise InputError(f"{len(found)} maps would be too many for a figure. Give a longer --every.")
    maps = [field[i].values for field, i in found.values()]
    if not np.isfinite(maps).any():
        raise InputError(f"{variable} has no values at these times.")
    return list(found), maps, fields[0].attrs, levels[0]


def _box(cells: Cells) -> tuple[float, ...]:
    """west, east, south, north [degrees] around all corners; a globe is cut at the date line."""
    corners = np.concatenate(cells.polygons)
    (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
    return (-180.0, 180.0, south, north) if east - west > 340 else (west, east, south, north)


def _frame(box: tuple[float, ...], n: int):
    """A figure, and where on it n maps go."""
    west, east, south, north = box
    columns = min(n, 2 if n <= 4 else 3)
    shape = (north - south) / (east - west) / max(0.2, np.cos(np.radians((south + north) / 2)))
    width = (style.WIDTH - _LEFT - _RIGHT - (columns - 1) * _GAP) / columns
    rows, height = -(-n // columns), width * shape
    total = _TOP + _BOTTOM + rows * (height + _GAP)
    figure = style.new_figure(total)
    places = []
    for i in range(n):
        row, column = divmod(i, columns)
        left, bottom = _LEFT + column * (width + _GAP), total - _TOP - row * (height + _GAP) - height
        places.append((left / style.WIDTH, bottom / total, width / style.WIDTH, height / total))
    return figure, places


def _map(axes, box, values, colour_map, norm, land):
    west, east, south, north = box
    extent = (west, east, south, north)
    drawn = axes.imshow(
        values, extent=extent, origin="lower", cmap=colour_map, norm=norm, aspect="auto", zorder=1
    )
    if land is not None:
        axes.add_collection(land_patches(land), autolim=False)
    axes.set(xlim=(west, east), ylim=(south, north), facecolor="#f7f7f5")
    axes.tick_params(labelsize=6.5, length=2)
    return drawn


def _colour_bar(figure, drawn, levels, label: str) -> None:
    height = figure.get_size_inches()[1]
    beside = figure.add_axes(
        [1 - 0.75 / style.WIDTH, _BOTTOM / height, 0.16 / style.WIDTH, 1 - (_TOP + _BOTTOM) / height]
    )
    bar = figure.colorbar(drawn, cax=beside, ticks=levels)
    bar.formatter = ScalarFormatter(useMathText=True)
    bar.formatter.set_powerlimits((-3, 5))
    bar.set_label(label)
    bar.outline.set_linewidth(0.6)
