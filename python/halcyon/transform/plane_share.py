"""What a rank holds of a transform on a plane that ranks share."""

from functools import cached_property

import numpy as np

from halcyon.transform.share import Share

__all__ = ["PlaneShare"]


class PlaneShare(Share):
    """What this rank, v W + w, holds of the coefficients and grid points of a transform on a plane.

    `v`, `w`: its place; `m`, `n` (coefficient): the waves of its coefficients, m by m ascending; `rows`: of
    which it has points; `points`: these, row by row, as the plane counts them. It has all fields of both."""

    def _take_coefficients(self):
        self.m, self.n = self._transform.core.waves(self.v, self.w)

    @cached_property
    def rows(self):
        return np.unique(self.points // self._transform.grid.nx)

    @cached_property
    def x(self):
        """[m] (point)"""
        return self._transform.grid.x[self.points % self._transform.grid.nx]

    @cached_property
    def y(self):
        """[m] (point)"""
        return self._transform.grid.y[self.points // self._transform.grid.nx]

    def _fields(self, n, _v):
        return slice(0, n)

    def _n_gathered(self, counts):
        return counts[0]

    def _n_all(self):
        return self._transform.n_all

    def _places(self, v, w):
        m, n = self._transform.core.waves(v, w)
        last = self._transform.last_n
        before = np.concatenate([[0], np.cumsum(2 * last + 1)])
        return before[m] + n + last[m]
