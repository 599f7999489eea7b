"""Map of the wind at one time."""

import numpy as np

from halcyon.plot import style
from halcyon.plot.cells import cells_of, open_files
from halcyon.plot.chart import Chart, place_name

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
    when = "" if time is None else f"{np.datetime64(time, 's').item():%-d %b %Y %H:%M} UTC   ·   "
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
