"""Doubly periodic planes."""

import numpy as np

from halcyon.options import number, whole

__all__ = ["Plane"]


class Plane:
    """ny rows of nx values, evenly spaced, periodic along x and y over `length_x` and `length_y` [m].

    A field on it is (y, x), `shape`. The first row and column stand at 0. Raises ConfigError for what are no
    numbers, and `Bifourier` for those that cannot be."""

    def __init__(self, nx, ny, *, length_x, length_y):
        self.nx, self.ny = whole("nx", nx), whole("ny", ny)
        self.length_x, self.length_y = number("length_x", length_x), number("length_y", length_y)
        self.shape = (self.ny, self.nx)
        self.n_points = self.nx * self.ny

    @property
    def x(self):
        """Of the columns [m]."""
        return np.arange(self.nx) * (self.length_x / self.nx)

    @property
    def y(self):
        """Of the rows [m]."""
        return np.arange(self.ny) * (self.length_y / self.ny)

    def __repr__(self):
        return f"Plane of {self.nx} x {self.ny} points, {self.length_x:g} m x {self.length_y:g} m"
