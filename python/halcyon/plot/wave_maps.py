"""Maps of the maximum wave height of a run and of the wind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from halcyon.plot import style
from halcyon.plot.cells import cells_of, open_files, values_of
from halcyon.plot.chart import Chart, position_text
from halcyon.wave.track import Track

if TYPE_CHECKING:
    import shapely
    import xarray as xr

    from halcyon.plot.cells import Cells


_HEIGHT = "significant_height"


def maximum_height(
    path: str | os.PathLike[str] | IO[bytes],
    files: Any,
    *,
    land: shapely.Geometry | None = None,
    track: Track | Sequence[Track] = (),
    title: str = "Maximum significant wave height",
) -> None:
    """Plots the maximum significant wave height [m] of a run per cell, with coast and track, as a PNG.

    path: the PNG; files: the UGRID files of a run in order of time (paths or xarray datasets) with
    `significant_height` [m] (time, face); land: shapely geometry in degrees; track: a
    `halcyon.wave.track.Track`, or a list of them. Raises InputError if a file cannot be read or lacks a
    variable.
    """
    datasets = open_files(files)
    cells = cells_of(datasets[0])
    maximum, times, start, end = _maximum(datasets)
    cell = int(np.nanargmax(np.nan_to_num(maximum, nan=-1)))
    with style.settings():
        chart = Chart(cells.box, title, _subtitle(cells, maximum, times, cell, start, end))
        levels = style.round_levels(np.nanmax(maximum), most=18)
        chart.cells(cells.polygons, maximum, levels, "significant wave height [m]", "magma_r")
        chart.land(land)
        for each in [track] if isinstance(track, Track) else track:
            chart.track(each, max(start, each.times[0]), min(end, each.times[-1]))
        _mark_maximum(chart, cells.longitude[cell], cells.latitude[cell], f"{maximum[cell]:.1f} m")
        chart.save(path)


def _maximum(datasets: Sequence[xr.Dataset]) -> tuple[np.ndarray, np.ndarray, np.datetime64, np.datetime64]:
    """The maximum height (cell), the time of the maximum (cell), and the first and last time of all files."""
    maximum = np.full(values_of(datasets[0], _HEIGHT).shape[-1], -np.inf)
    time_of_maximum = np.zeros(maximum.shape, "datetime64[s]")
    start: Any = None
    end: Any = None
    for dataset in datasets:
        times = values_of(dataset, "time").values.astype("datetime64[s]")
        heights = values_of(dataset, _HEIGHT)
        for i, time in enumerate(times):
            current = heights[i].values
            is_higher = current > maximum
            maximum[is_higher], time_of_maximum[is_higher] = current[is_higher], time
        start = times[0] if start is None else start
        end = times[-1]
    return np.where(np.isfinite(maximum), maximum, np.nan), time_of_maximum, start, end


def _subtitle(
    cells: Cells, maximum: np.ndarray, times: np.ndarray, cell: int, start: np.datetime64, end: np.datetime64
) -> str:
    position = position_text(cells.longitude[cell], cells.latitude[cell])
    time_range = f"{style.time_text(start)} to {style.time_text(end)} UTC"
    return (
        f"{time_range}   ·   highest {maximum[cell]:.1f} m at {position}, {style.time_text(times[cell])} UTC"
    )


def _mark_maximum(chart: Chart, x: float, y: float, text: str) -> None:
    chart.axes.plot(x, y, "*", markersize=15, color="#ffd23f", markeredgecolor=style.INK, zorder=6)
    west, east, _, _ = chart.box
    side = 1 if x < (west + east) / 2 else -1
    line = {"arrowstyle": "-", "color": style.INK, "linewidth": 0.8, "shrinkB": 7}
    chart.annotate(x, y, text, (side * 62, -34), fontsize=12, fontweight="bold", ha="center", arrowprops=line)


_ARROWS = 40  # number of arrows along the map's longer side


def wind(
    path: str | os.PathLike[str],
    cells: str | os.PathLike[str] | xr.Dataset,
    u: np.ndarray,
    v: np.ndarray,
    *,
    time: np.datetime64 | None = None,
    land: shapely.Geometry | None = None,
    track: Track | None = None,
    title: str = "Wind at 10 m",
) -> None:
    """Plots wind speed and wind arrows on the cells of a mesh, as a PNG.

    cells: a UGRID file (path or xarray dataset) with the mesh; u, v: eastward and northward wind [m s-1]
    (cell); time: datetime64, shown in the subtitle; land: shapely geometry in degrees; track: a
    `halcyon.wave.track.Track`. Raises InputError if the file cannot be read or lacks a variable.
    """
    of_mesh = cells_of(open_files(cells)[0])
    speed = np.hypot(u, v)
    cell = int(np.argmax(speed))
    position = position_text(of_mesh.longitude[cell], of_mesh.latitude[cell])
    time_text = "" if time is None else f"{style.time_text(time)} UTC   ·   "
    with style.settings():
        chart = Chart(of_mesh.box, title, f"{time_text}strongest {speed[cell]:.1f} m s⁻¹ at {position}")
        chart.cells(of_mesh.polygons, speed, style.round_levels(speed.max()), "wind speed [m s⁻¹]", "YlGnBu")
        chart.land(land)
        if track is not None:
            chart.track(track, track.times[0], track.times[-1])
        if speed.max() > 0:
            _arrows(chart, of_mesh, np.asarray(u), np.asarray(v), speed)
        chart.save(path)


def _arrows(chart: Chart, cells: Cells, u: np.ndarray, v: np.ndarray, speed: np.ndarray) -> None:
    """Draws arrows of lengths proportional to the wind speed, at the cells nearest to a regular grid."""
    west, east, south, north = chart.box
    chosen = _one_per_square(cells, chart.box, max(east - west, north - south) / _ARROWS)
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


def _one_per_square(cells: Cells, box: tuple[float, float, float, float], step: float) -> np.ndarray:
    """The cell nearest to the centre of each square of side `step` [degrees] in the box."""
    column = np.floor((cells.longitude - box[0]) / step)
    row = np.floor((cells.latitude - box[2]) / step)
    distance = np.hypot(
        (cells.longitude - box[0]) / step - column - 0.5, (cells.latitude - box[2]) / step - row - 0.5
    )
    order = np.argsort(distance, kind="stable")
    _, nearest = np.unique(column[order] * 10000 + row[order], return_index=True)
    return order[nearest]
