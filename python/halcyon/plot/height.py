"""Map of the greatest significant wave height of a run."""

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
    period = f"{_time(start)} to {_time(end)} UTC"
    return f"{period}   ·   highest {greatest[cell]:.1f} m at {where}, {_time(times[cell])} UTC"


def _time(time):
    return time.item().strftime("%-d %b %Y %H:%M")


def _mark(chart, x, y, text):
    chart.axes.plot(x, y, "*", markersize=15, color="#ffd23f", markeredgecolor=style.INK, zorder=6)
    west, east, _, _ = chart.box
    side = 1 if x < (west + east) / 2 else -1
    line = {"arrowstyle": "-", "color": style.INK, "linewidth": 0.8, "shrinkB": 7}
    chart.note(x, y, text, (side * 62, -34), fontsize=12, fontweight="bold", ha="center", arrowprops=line)
