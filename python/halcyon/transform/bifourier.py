"""Transforms between values on a doubly periodic plane and coefficients of waves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import transform as core
from halcyon.options import instance, integer, pair, text
from halcyon.transform.exchanges import checked_sets, core_property
from halcyon.transform.grid import Plane
from halcyon.transform.labels import NO_ATTRIBUTES, accepts_xarray
from halcyon.transform.share import PlaneShare
from halcyon.transform.shared import SharedTransform
from halcyon.transform.tuning import collective_errors

if TYPE_CHECKING:
    from mpi4py import MPI


__all__ = ["Bifourier"]


class Bifourier(SharedTransform):
    """Transform with truncation (M, N) on a plane (`Plane`) of at least 2 M + 1 values along x and 2 N +
    1 along y.

    f(x, y) = sum over |m| <= M and |n| <= N(m) of F_mn exp(2 pi i (m x / length_x + n y / length_y)), where
    F_-m,-n = conj(F_mn), so that F_00 is the mean of f. `shape` of the truncation: "ellipse" keeps the waves
    with (m / M)^2 + (n / N)^2 <= 1, with the same resolution in all directions; "rectangle" keeps all waves.

    Coefficients are complex128 (..., coefficient): m = 0, n = -N(0)..N(0), then m = 1, and so on (`m`, `n`).
    For m = 0 both signs of n are stored; a synthesis uses only their conjugate-symmetric part. Values
    are float64 (..., y, x). Leading dimensions are fields, any number of them; at most `group` fields are
    computed at a time. The bits of a field do not depend on other fields. Results are new arrays, or
    contiguous arrays given as `out`, which must not share memory with other arrays of the call. Masked arrays
    must be filled first.

    The ranks of an MPI communicator `comm`, if given, share the transform in `sets` = (V, W), whose product
    is the number of ranks; the default is (1, ranks). W sets divide the rows and the wavenumbers m, V sets
    the points of a row. Each rank has the values of all fields at some points and the coefficients of all
    fields for some waves (`share`); values are then (..., point). All calls are
    collective. `groups`, `ahead`, `method`, `algorithm` and `progress` are those of `Transform`; they do not
    affect the bits and may be left to `tune`.

    Arguments may be xarray DataArrays with the dimensions y and x (or point), or coefficient, in any order;
    coordinates, if any, must be those of the transform. Results are then DataArrays, too; coefficients have
    the coordinates `m` and `n`.

    Raises, on all ranks, ConfigError if the plane cannot resolve the truncation, the sets cannot share it, or
    ranks give different options or numbers of fields; InputError for arrays of other shapes."""

    domain = "plane"

    def __init__(
        self,
        plane: Plane,
        truncation: int | Sequence[int],
        *,
        shape: str = "ellipse",
        group: int = 50,
        comm: MPI.Comm | None = None,
        sets: tuple[int, int] | None = None,
        **exchange: Any,
    ) -> None:
        with collective_errors(comm) as require_same:
            lengths = (instance("plane", plane, Plane).length_x, plane.length_y)
            require_same("plane", (plane.nx, plane.ny, *lengths))
            require_same("truncation", truncation_pair(truncation))
            require_same("shape", text("shape", shape))
            require_same("group", integer("group", group))
            require_same("sets", checked_sets(comm, sets))
        self.grid = plane
        self.truncation = truncation_pair(truncation)
        arguments = (plane.nx, plane.ny), lengths, self.truncation, shape, group
        self._create(core.Bifourier, *arguments, share_class=PlaneShare, comm=comm, sets=sets, **exchange)
        self.m, self.n = self.share.m, self.share.n
        self.last_n = self.core.last_n()  # (m = 0..M) N(m), the largest n of the waves with m

    @property
    def truncation_text(self) -> str:
        return f"The truncation {self.truncation}"

    @property
    def coefficient_coordinates(self) -> dict[str, np.ndarray]:
        return {"m": self.m, "n": self.n}

    zonal_s = core_property(
        "times.fourier_s", "Time of the zonal stage (rows) on this rank since the last `set_exchange` [s]."
    )
    meridional_s = core_property(
        "times.legendre_s",
        "Time of the meridional stage (columns along y) on this rank since the last `set_exchange` [s].",
    )

    @accepts_xarray("coefficients", "coefficients", NO_ATTRIBUTES)
    def x_derivative(self, coefficients: ArrayLike) -> np.ndarray:
        """Returns coefficients of the derivative along x [1/m]: 2 pi i m / length_x F_mn."""
        return self._map_coefficients(self.core.x_derivative, coefficients)

    @accepts_xarray("coefficients", "coefficients", NO_ATTRIBUTES)
    def y_derivative(self, coefficients: ArrayLike) -> np.ndarray:
        """Returns coefficients of the derivative along y [1/m]: 2 pi i n / length_y F_mn."""
        return self._map_coefficients(self.core.y_derivative, coefficients)


def truncation_pair(truncation: int | Sequence[int]) -> tuple[int, int]:
    """Returns (M, N); a single number is M and N."""
    if isinstance(truncation, (tuple, list, np.ndarray)):
        return pair("truncation", truncation, "(M, N)")
    return (integer("truncation", truncation),) * 2
