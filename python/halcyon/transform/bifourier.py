"""Transforms between values on a doubly periodic plane and coefficients of waves."""

import numpy as np

from halcyon._core import transform as core
from halcyon.options import instance, pair, text, whole
from halcyon.transform.exchanges import of_core, sets_of
from halcyon.transform.grid import Plane
from halcyon.transform.labels import labelled
from halcyon.transform.share import PlaneShare
from halcyon.transform.shared import SharedTransform
from halcyon.transform.tuning import together

__all__ = ["Bifourier"]


class Bifourier(SharedTransform):
    """Truncation (M, N) on a plane (`Plane`) of at least 2 M + 1 values along x and 2 N + 1 along y.

    x(x, y) = sum over |m| <= M and |n| <= N(m) of X_mn exp(2 pi i (m x / length_x + n y / length_y)), where
    X_-m,-n = conj(X_mn). So X_00 is the mean of x. `shape` of the truncation: ellipse keeps what is in
    (m / M)^2 + (n / N)^2 <= 1, so that scales are resolved alike in all directions; rectangle keeps all.

    Coefficients are complex128 (..., coefficient): those of m = 0, n = -N(0)..N(0), then those of m = 1, and
    so on (`m`, `n`). Of m = 0 both signs of n are held, each the conjugate of the other; what is not so is
    left out by a synthesis. Values are float64 (..., y, x). Leading dimensions are fields, as many as wanted,
    at most `group` of them are computed together. A field's bits do not depend on others. Results go to new
    arrays, or to contiguous ones given as `out`, which share no memory with others of the call. Masked
    arrays must be filled before.

    With an MPI communicator `comm`, its ranks share the transform as `sets` = (V, W) says, whose product is
    their number; by default (1, ranks). A rank has all fields of both, the values of some points and the
    coefficients of some waves (`share`), so that columns are whole; values are then (..., point). All calls
    are collective. `groups`, `ahead`, `method`, `algorithm` and `progress` are those of `Transform`: how
    ranks exchange does not touch bits, and may be left to `tune`.

    Of xarray's DataArrays the dimensions y and x (or point), and coefficient, may stand anywhere; their
    coordinates, where they have any, must be the transform's. Results are then DataArrays, too; coefficients
    have the coordinates `m` and `n`.

    Raises, on all ranks, ConfigError where the plane cannot hold the truncation, the sets cannot share it, or
    ranks are given different options or numbers of fields, InputError for arrays of other shapes.
    """

    place = "plane"

    def __init__(self, plane, truncation, *, shape="ellipse", group=50, comm=None, sets=None, **exchange):
        with together(comm) as same:
            lengths = (instance("plane", plane, Plane).length_x, plane.length_y)
            same("plane", (plane.nx, plane.ny, *lengths))
            same("truncation", last_of(truncation))
            same("shape", text("shape", shape))
            same("group", whole("group", group))
            same("sets", sets_of(comm, sets))
        self.grid = plane
        self.truncation = last_of(truncation)
        given = (plane.nx, plane.ny), lengths, self.truncation, shape, group
        self._make(core.Bifourier, *given, share=PlaneShare, comm=comm, sets=sets, **exchange)
        self.m, self.n = self.share.m, self.share.n
        self.last_n = self.core.last_n()  # (m)

    @property
    def truncated(self):
        return f"The truncation {self.truncation}"

    @property
    def coefficient_coordinates(self):
        return {"m": self.m, "n": self.n}

    zonal_s = of_core("times.fourier_s", "How long this rank has worked on rows since ranks exchange so [s].")
    meridional_s = of_core(
        "times.legendre_s",
        "How long this rank has worked on columns along y since ranks exchange so [s].",
    )

    @labelled("coefficients", "coefficients", {})
    def x_derivative(self, coefficients):
        """Coefficients of the derivative along x [1/m]: 2 pi i m / length_x times each."""
        return self._of_coefficients(self.core.x_derivative, coefficients)

    @labelled("coefficients", "coefficients", {})
    def y_derivative(self, coefficients):
        """Coefficients of the derivative along y [1/m]: 2 pi i n / length_y times each."""
        return self._of_coefficients(self.core.y_derivative, coefficients)


def last_of(truncation):
    """(M, N), of one number the same."""
    if isinstance(truncation, (tuple, list, np.ndarray)):
        return pair("truncation", truncation, "(M, N)")
    return (whole("truncation", truncation),) * 2
