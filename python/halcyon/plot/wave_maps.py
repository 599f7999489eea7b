"""Maps of waves: where they were highest, and the wind."""

import numpy as np

from halcyon.plot import style
from halcyon.plot.cells import cells_of, open_files, values_of
from halcyon.plot.chart import Chart, place_name

_NAME = "significant_height"


def maximum_height(path, files, *, land=None, track=None, title="Maximum significant wave height"):
    """Draws the greatest significant wave height [m] of a run in each cell, with coast and track, as a PNG.

    path: the PNG; files: the UGRID files of a run in order of time (paths or xarray datasets) with
    `significant_height` [m] (time, face); land: shapely geometry in degrees; track: a
    `halcyon.wave.track.Track`. Raises InputError when a file cannot be read or lacks a variable.
    """
    datasets = open_files(files)
    cells = cells_of(datasets[0])
    greatest, times, start, end = _greatest(datasets)
    cell = int(np.nanargmax(np.nan_to_num(greatest, nan=-1)))
    with style.settings():
        chart = Chart(cells.box, title, _subtitle(cells, greatest, times, cell, start, end))
        levels = style.steps(np.nanmax(greatest), most=18)
        chart.cells(cells.polygons, greatest, levels, "significant wave height [m]", "magma_r")
        chart.land(land)
        if track is not None:
            chart.track(track, max(start, track.times[0]), min(end, track.times[-1]))
        _mark(chart, cells.longitude[cell], cells.latitude[cell], f"{greatest[cell]:.1f} m")
        chart.save(path)


def _greatest(datasets):
    """Greatest value and its time (cell), first and last time of all files."""
    greatest = np.full(values_of(datasets[0], _NAME).shape[-1], -np.inf)
    at = np.zeros(greatest.shape, "datetime64[s]")
    first, last = None, None
    for dataset in datasets:
        times = values_of(dataset, "time").values.astype("datetime64[s]")
        heights = values_of(dataset, _NAME)
        for i, time in enumerate(times):
            now = heights[i].values
            higher = now > greatest
            greatest[higher], at[higher] = now[higher], time
        first = times[0] if first is None else first
        last = times[-1]
    return np.where(np.isfinite(greatest), greatest, np.nan), at, first, last


def _subtitle(cells, greatest, times, cell, start, end):
    where = place_name(cells.longitude[cell], cells.latitude[cell])
    period = f"{style.when(start)} to {style.when(end)} UTC"
    return f"{period}   ·   highest {greatest[cell]:.1f} m at {where}, {style.when(times[cell])} UTC"


def _mark(chart, x, y, text):
    chart.axes.plot(x, y, "*", markersize=15, color="#ffd23f", markeredgecolor=style.INK, zorder=6)
    west, east, _, _ = chart.box
    side = 1 if x < (west + east) / 2 else -1
    line = {"arrowstyle": "-", "color": style.INK, "linewidth": 0.8, "shrinkB": 7}
    chart.note(x, y, text, (side * 62, -34), fontsize=12, fontweight="bold", ha="center", arrowprops=line)


_ARROWS = 40  # along the map's longer side


def wind(path, cells, u, v, *, time=None, land=None, track=None, title="Wind at 10 m"):
    """Draws wind speed and arrows on the cells of a mesh, as a PNG.

    cells: a UGRID file (path or xarray dataset) with the mesh; u, v: eastward and northward wind [m s-1]
    (cell); time: datetime64, written in the heading; land: shapely geometry in degrees; track: a
    `halcyon.wave.track.Track`. Raises InputError when the file cannot be read or lacks a variable.
    """
    cells = cells_of(open_files(cells)[0])
    speed = np.hypot(u, v)
    cell = int(np.argmax(speed))
    where = place_name(cells.longitude[cell], cells.latitude[cell])
    when = "" if time is None else f"{style.when(time)} UTC   ·   "
    with style.settings():
        chart = Chart(cells.box, title, f"{when}strongest {speed[cell]:.1f} m s⁻¹ at {where}")
        chart.cells(cells.polygons, speed, style.steps(speed.max()), "wind speed [m s⁻¹]", "YlGnBu")
        chart.land(land)
        if track is not None:
            chart.track(track, track.times[0], track.times[-1])
        if speed.max() > 0:
            _arrows(chart, cells, np.asarray(u), np.asarray(v), speed)
        chart.save(path)


def _arrows(chart, cells, u, v, speed):
    """Arrows as long as the wind is strong, at the cells nearest to the points of an even lattice."""
    west, east, south, north = chart.box
    chosen = _sample(cells, chart.box, max(east - west, north - south) / _ARROWS)
    chosen = chosen[speed[chosen] > 0.05 * speed.max()]
    chart.axes.quiver(
        cells.longitude[chosen],
        cells.latitude[chosen],
        u[chosen],
        v[chosen],
        angles="uv",
        scale=speed.max() * 24,
        width=0.0016,
        color=np.where(speed[chosen] > 0.45 * speed.max(), "white", style.INK),
        zorder=2.5,
    )


def _sample(cells, box, step):
    column = np.floor((cells.longitude - box[0]) / step)
    row = np.floor((cells.latitude - box[2]) / step)
    off = np.hypot(
        (cells.longitude - box[0]) / step - column - 0.5, (cells.latitude - box[2]) / step - row - 0.5
    )
    order = np.argsort(off, kind="stable")
    _, first = np.unique(column[order] * 10000 + row[order], return_index=True)
    return order[first]
