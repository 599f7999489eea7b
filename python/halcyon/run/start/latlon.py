"""Fields of a file on longitudes and latitudes: bilinear to places."""

from __future__ import annotations

from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.run.start.boxes import LatLonBoxes
from halcyon.run.start.corners import Corners
from halcyon.run.start.variables import Variable
from halcyon.wave.gridded.axes import Axes, Window
from halcyon.wave.gridded.grid_variable import axes_of
from halcyon.wave.gridded.interpolation import Interpolation


class LatLon:
    """The places of an open netCDF file on longitudes and latitudes. Raises InputError where they do not
    cover the globe."""

    def __init__(self, path: str, file: Any) -> None:
        self.axes, self.dimensions = axes_of(path, file)
        _require_globe(path, self.axes)

    def corners(self, points: np.ndarray) -> tuple[Corners, Window]:
        """Those around points (n, 3) of the unit sphere, and the part of the grid that holds them."""
        x, y, z = np.ascontiguousarray(points.T)
        lon, lat = np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.sqrt(x * x + y * y)))
        found = Interpolation(self.axes, lon, lat)
        row, column = np.divmod(found.nodes, found.window.n_columns)
        columns = (column + found.window.first_column) % len(self.axes.longitude)
        at = self.axes.longitude[columns], self.axes.latitude[row + found.window.first_row]
        return Corners(found.nodes, found.weights, *map(np.radians, at)), found.window

    def spacing(self, points: np.ndarray) -> np.ndarray:
        """That of the rows [rad], at points (n, 3)."""
        return np.full(len(points), np.radians(np.diff(self.axes.latitude).max()))

    def fineness(self, points: np.ndarray) -> np.ndarray:
        """What tells points (n, 3) apart that want boxes of another size: nothing does."""
        return np.zeros(len(points), np.int64)

    def boxes(self, point: np.ndarray) -> LatLonBoxes:
        """Those around the points of the grid."""
        return LatLonBoxes.around(self.axes.longitude, np.clip(self.axes.latitude, -90, 90))

    def maps(self, variable: Variable, window: Window):
        """The levels of a variable in the order of the file, laid flat as the window."""
        rows = self.axes.file_rows(window)
        for block in variable.blocks():
            parts = [variable.read(block, (rows, columns)) for columns in self.axes.file_columns(window)]
            values = np.concatenate(parts, axis=2)
            for level in values[:, ::-1] if self.axes.rows_descend else values:
                yield variable.scaled(level)


def _require_globe(path: str, axes: Axes) -> None:
    lat, lon = axes.latitude, axes.longitude
    slack = 1.001 * np.diff(lat).max()
    if axes.is_periodic and lat[0] - slack <= -90 and lat[-1] + slack >= 90:
        return
    raise InputError(
        f"{path} does not cover the globe: it reaches from {lat[0]:g} to {lat[-1]:g} N and from {lon[0]:g} to"
        f" {lon[-1]:g} E. Give a file of the whole globe."
    )
