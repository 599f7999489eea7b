"""Transforms between values on a Gaussian grid and coefficients of spherical harmonics."""

from halcyon._core import transform as core
from halcyon.base import ConfigError
from halcyon.options import instance, number, whole
from halcyon.transform.exchanges import of_core, sets_of
from halcyon.transform.grid import Grid
from halcyon.transform.labels import labelled
from halcyon.transform.share import Share
from halcyon.transform.shared import SharedTransform
from halcyon.transform.tuning import together

__all__ = ["EARTH_RADIUS", "Transform"]

EARTH_RADIUS = 6371220.0
MEMORY = 4 << 20
WINDS = (
    {"name": "u", "standard_name": "eastward_wind", "units": "m s-1"},
    {"name": "v", "standard_name": "northward_wind", "units": "m s-1"},
)
VORTICITY_DIVERGENCE = (
    {"name": "vorticity", "standard_name": "atmosphere_relative_vorticity", "units": "s-1"},
    {"name": "divergence", "standard_name": "divergence_of_wind", "units": "s-1"},
)


class Transform(SharedTransform):
    """Triangular truncation T on a grid (`Grid`) that `holds` it: more than T rows, 2 T + 1 values at the
    equator, and rows next to the poles long enough for the wavenumbers that matter there.

    x(lambda, mu) = sum over m = -T..T and n = |m|..T of X_nm P_nm(mu) exp(i m lambda), where the mean square
    of a P_nm over mu is 1 and X_n,-m = conj(X_nm). So X_00 is the mean of x over the sphere.

    Coefficients are complex128 (..., coefficient), of m >= 0: first those of m = 0, n = 0..T, then those of
    m = 1, n = 1..T, and so on (`wavenumbers`, `degrees`). Values are float64 (..., *grid.shape). Leading
    dimensions are fields, as many as wanted, and go through together. A field's bits do not depend on others,
    nor on `memory`, the bytes of Legendre functions to keep for calls of one field, nor on `group`, the
    fields that are computed together at most. `radius` [m] is that of the sphere. Results go to new arrays,
    or to contiguous ones given as `out`, which share no memory with others of the call. Masked arrays must be
    filled before.

    With an MPI communicator `comm`, its ranks share the transform as `sets` = (V, W) says, whose product is
    their number; by default (1, ranks). Rank v W + w has the coefficients of some wavenumbers of part v of
    the fields, and the values of all fields at some points (`share`); values are then (..., point). All calls
    are collective. Where V > 1 coefficients are (field, coefficient) of `share.fields(n)`, and syntheses are
    told the leading dimensions `fields` of all values. How ranks exchange does not touch bits, and may be
    left to `tune`, or changed by `communicate`:
    - `groups` that fields travel in, at most one a field, winds in as many of each component: while one is
      computed, `ahead` others travel; with 0 ahead none does, and ranks block. A rank holds the panels of
      `ahead` + 1 groups twice: in one group those of all fields. "auto": these and all that follows are what
      `tune` finds at the first call, for so many fields, and `how` tells
    - `method`, one of `halcyon.halo.METHODS`, and `algorithm`: burst, bruck or ring-K (`halcyon.schedule`)
    - `progress` while they compute: none, poll or thread, or a `halcyon.comm.Progress`

    Of xarray's DataArrays the dimensions latitude and longitude (or lat, lon; or point), and coefficient, may
    stand anywhere; their coordinates, where they have any, must be the transform's. Results are then
    DataArrays, too, with coordinates; coefficients have `wavenumber` and `degree`.

    Raises, on all ranks, ConfigError where the grid cannot hold the truncation, the sets cannot share it, or
    ranks are given different options or numbers of fields, InputError for arrays of other shapes.
    """

    splits_fields = True
    has_winds = True
    place = "grid"

    def __init__(
        self,
        grid,
        truncation,
        *,
        radius=EARTH_RADIUS,
        memory=MEMORY,
        group=50,
        comm=None,
        sets=None,
        **exchange,
    ):
        with together(comm) as same:
            same("grid", instance("grid", grid, Grid))
            same("truncation", whole("truncation", truncation))
            same("radius", number("radius", radius))
            same("group", whole("group", group))
            same("sets", sets_of(comm, sets))
            if whole("memory", memory, bits=63) < 0:
                raise ConfigError(f"memory of {memory} bytes was given. Give 0 or more.")
        self.grid = grid
        self.truncation = truncation
        self.radius = radius
        given = grid.core, truncation, radius, memory, group
        self._make(core.Transform, *given, share=Share, comm=comm, sets=sets, **exchange)
        self.wavenumbers = self.share.wavenumbers
        self.degrees = self.share.degrees

    @property
    def truncated(self):
        return f"T{self.truncation}"

    @property
    def coefficient_coordinates(self):
        return {"wavenumber": self.wavenumbers, "degree": self.degrees}

    kept_bytes = of_core("kept_bytes", "Bytes of the Legendre functions that are kept.")
    fourier_s = of_core(
        "times.fourier_s",
        "How long this rank has worked in the Fourier stage since ranks exchange so [s].",
    )
    legendre_s = of_core(
        "times.legendre_s",
        "How long this rank has worked in the Legendre stage since ranks exchange so [s].",
    )

    @labelled("coefficients", "values", *WINDS)
    def winds(self, vorticity, divergence, *, fields=None, out=(None, None)):
        """Eastward and northward wind [m s-1] (..., *shape) of the coefficients of vorticity and
        divergence [s-1]. The means of these, X_00, are taken as 0, as they are of any wind."""
        given = {"vorticity": vorticity, "divergence": divergence}
        return self._to_values(self.core.winds, given, fields, out, pair=True)

    @labelled("values", "coefficients", *VORTICITY_DIVERGENCE)
    def vorticity_divergence(self, u, v, *, out=(None, None)):
        """Coefficients (..., coefficient) of vorticity and divergence [s-1] of eastward and northward wind
        [m s-1]."""
        return self._to_coefficients(self.core.vorticity_divergence, {"u": u, "v": v}, out, pair=True)

    @labelled("coefficients", "values", {}, {})
    def gradient(self, coefficients, *, fields=None, out=(None, None)):
        """Derivatives eastward and northward [1/m] (..., *shape) of the coefficients of fields."""
        given = {"coefficients": coefficients}
        return self._to_values(self.core.gradient, given, fields, out, pair=True)
