"""Transforms between values on a Gaussian grid and coefficients of spherical harmonics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import transform as core
from halcyon.base import ConfigError
from halcyon.options import instance, integer, number
from halcyon.transform.exchanges import checked_sets, core_property
from halcyon.transform.grid import Grid
from halcyon.transform.labels import NO_ATTRIBUTES, accepts_xarray
from halcyon.transform.share import Share
from halcyon.transform.shared import SharedTransform
from halcyon.transform.tuning import collective_errors

if TYPE_CHECKING:
    from mpi4py import MPI


__all__ = ["EARTH_RADIUS", "Transform"]

EARTH_RADIUS = 6371220.0  # [m]
MEMORY = 1 << 19  # [bytes]
WINDS = (
    {"name": "u", "standard_name": "eastward_wind", "units": "m s-1"},
    {"name": "v", "standard_name": "northward_wind", "units": "m s-1"},
)
VORTICITY_DIVERGENCE = (
    {"name": "vorticity", "standard_name": "atmosphere_relative_vorticity", "units": "s-1"},
    {"name": "divergence", "standard_name": "divergence_of_wind", "units": "s-1"},
)


class Transform(SharedTransform):
    """Transform with triangular truncation T on a Gaussian grid with more than T rows, 2 T + 1 values at the
    equator, and long enough rows next to the poles (`Grid.holds`).

    f(lambda, mu) = sum over m = -T..T and n = |m|..T of F_nm P_nm(mu) exp(i m lambda), where P_nm has a mean
    square of 1 over mu and F_n,-m = conj(F_nm), so F_00 is the mean of f over the sphere.

    Coefficients are complex128 (..., coefficient) for m >= 0: m = 0, n = 0..T, then m = 1, n = 1..T, and so
    on (`wavenumbers`, `degrees`). Values are float64 (..., *grid.shape). Leading dimensions are fields, any
    number of them, which are transformed together. `memory`: limit [bytes] of the Legendre functions that are
    precomputed for calls with one field. `group`: maximum number of fields computed at a time. `radius` [m]:
    radius of the sphere. The bits of a field depend neither on other fields nor on `memory` or `group`.
    Results are new arrays, or contiguous arrays given as `out`, which must not share memory with other arrays
    of the call. Masked arrays must be filled first.

    The ranks of an MPI communicator `comm`, if given, share the transform in `sets` = (V, W), whose product
    is the number of ranks; the default is (1, ranks). Rank v W + w has the coefficients of some wavenumbers
    for part v of the fields, and the values of all fields at some points (`share`); values are then (...,
    point). All calls are collective. If V > 1, coefficients are (field, coefficient) of `share.fields(n)`,
    and syntheses need `fields`, the leading dimensions of all values. The following settings of the exchange
    do not affect the bits; they may be left to `tune` or changed by `set_exchange`:
    - `groups`: number of groups that fields are divided into, at most one per field; winds have this number
      per component. While one group is computed, `ahead` groups are in flight; with 0 ahead, exchanges block.
      A rank needs send and receive buffers for the Fourier coefficients of `ahead` + 1 groups. "auto": `tune`
      finds `groups` and the following settings at the first call, for the number of fields of that call
    - `method`, one of `halcyon.halo.METHODS`; `algorithm`: burst, bruck, or ring-k with k messages per round
      (`halcyon.schedule`)
    - `progress`: how messages progress during computation: none, poll or thread, or a `halcyon.comm.Progress`

    Arguments may be xarray DataArrays with the dimensions latitude and longitude (or lat, lon; or point), or
    coefficient, in any order; coordinates, if any, must be those of the transform. Results are then
    DataArrays, too, with coordinates; coefficients have `wavenumber` and `degree`.

    Raises, on all ranks, ConfigError if the grid does not support the truncation, the sets cannot share it,
    or ranks give different options or numbers of fields; InputError for arrays of other shapes."""

    splits_fields = True
    has_winds = True
    domain = "grid"

    def __init__(
        self,
        grid: Grid,
        truncation: int,
        *,
        radius: float = EARTH_RADIUS,
        memory: int = MEMORY,
        group: int = 50,
        comm: MPI.Comm | None = None,
        sets: tuple[int, int] | None = None,
        **exchange: Any,
    ) -> None:
        with collective_errors(comm) as require_same:
            require_same("grid", instance("grid", grid, Grid))
            require_same("truncation", integer("truncation", truncation))
            require_same("radius", number("radius", radius))
            require_same("group", integer("group", group))
            require_same("sets", checked_sets(comm, sets))
            if integer("memory", memory, bits=63) < 0:
                raise ConfigError(f"memory of {memory} bytes was given. Give 0 or more.")
        self.grid = grid
        self.truncation = truncation
        self.radius = radius
        arguments = grid.core, truncation, radius, memory, group
        self._create(core.Transform, *arguments, share_class=Share, comm=comm, sets=sets, **exchange)
        self.wavenumbers = self.share.wavenumbers
        self.degrees = self.share.degrees

    @property
    def truncation_text(self) -> str:
        return f"T{self.truncation}"

    @property
    def coefficient_coordinates(self) -> dict[str, np.ndarray]:
        return {"wavenumber": self.wavenumbers, "degree": self.degrees}

    kept_bytes = core_property("kept_bytes", "Bytes of precomputed Legendre functions.")
    fourier_s = core_property(
        "times.fourier_s",
        "Time of the Fourier stage on this rank since the last `set_exchange` [s].",
    )
    legendre_s = core_property(
        "times.legendre_s",
        "Time of the Legendre stage on this rank since the last `set_exchange` [s].",
    )

    @accepts_xarray("coefficients", "values", *WINDS)
    def winds(
        self,
        vorticity: ArrayLike,
        divergence: ArrayLike,
        *,
        fields: int | Sequence[int] | None = None,
        out: Sequence[np.ndarray | None] = (None, None),
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward wind [m s-1] (..., *shape) from the coefficients of vorticity and
        divergence [s-1]. The means F_00 are ignored, since any wind has vorticity and divergence of mean
        0."""
        coefficients = {"vorticity": vorticity, "divergence": divergence}
        return self._to_values(self.core.winds, coefficients, fields, out, pair=True)

    @accepts_xarray("values", "coefficients", *VORTICITY_DIVERGENCE)
    def vorticity_divergence(
        self, u: ArrayLike, v: ArrayLike, *, out: Sequence[np.ndarray | None] = (None, None)
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns coefficients (..., coefficient) of vorticity and divergence [s-1] from eastward and
        northward wind [m s-1]."""
        return self._to_coefficients(self.core.vorticity_divergence, {"u": u, "v": v}, out, pair=True)

    @accepts_xarray("coefficients", "values", NO_ATTRIBUTES, NO_ATTRIBUTES)
    def gradient(
        self,
        coefficients: ArrayLike,
        *,
        fields: int | Sequence[int] | None = None,
        out: Sequence[np.ndarray | None] = (None, None),
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward derivatives [1/m] (..., *shape) from the coefficients of fields."""
        arrays = {"coefficients": coefficients}
        return self._to_values(self.core.gradient, arrays, fields, out, pair=True)
