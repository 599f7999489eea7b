"""Transforms between values on a Gaussian grid and coefficients of spherical harmonics."""

import numpy as np

from halcyon._core import transform as core
from halcyon.base import ConfigError, InputError

__all__ = ["EARTH_RADIUS", "Transform"]

EARTH_RADIUS = 6371220.0
MEMORY = 256 << 20


class Transform:
    """Triangular truncation T on a grid (`Grid`) with more than T rows and 2 T + 1 values at the equator.

    x(lambda, mu) = sum over m = -T..T and n = |m|..T of X_nm P_nm(mu) exp(i m lambda), where the mean square
    of a P_nm over mu is 1 and X_n,-m = conj(X_nm). So X_00 is the mean of x over the sphere.

    Coefficients are complex128 (..., coefficient), of m >= 0: first those of m = 0, n = 0..T, then those of
    m = 1, n = 1..T, and so on (`wavenumbers`, `degrees`). Values are float64 (..., *grid.shape). Leading
    dimensions are fields, as many as wanted, and go through together. A field's bits do not depend on others,
    nor on `memory`, the bytes of Legendre functions to keep, nor on `group`, the fields to take at a time.
    `radius` [m] is that of the sphere. Results go to new arrays, or to contiguous ones given as `out`.

    Raises ConfigError where the grid cannot hold the truncation, InputError for arrays of other shapes.
    """

    def __init__(self, grid, truncation, *, radius=EARTH_RADIUS, memory=MEMORY, group=16):
        if memory < 0:
            raise ConfigError(f"memory of {memory} bytes was given. Give 0 or more.")
        self.grid = grid
        self.truncation = truncation
        self.radius = radius
        self.core = core.Transform(grid.core, truncation, radius, memory, group)
        self.wavenumbers = np.repeat(np.arange(truncation + 1), np.arange(truncation + 1, 0, -1))
        self.degrees = np.concatenate([np.arange(m, truncation + 1) for m in range(truncation + 1)])
        self.n_coefficients = len(self.degrees)

    @property
    def kept_bytes(self):
        """Bytes of the Legendre functions that are kept."""
        return self.core.kept_bytes

    def synthesis(self, coefficients, *, out=None):
        """Values (..., *grid.shape) of fields."""
        coefficients, fields = self._coefficients(coefficients, "coefficients")
        values = self._values_out(fields, out)
        self.core.synthesis(coefficients, values)
        return values

    def analysis(self, values, *, out=None):
        """Coefficients (..., coefficient) of fields: exact for what the truncation holds."""
        values, fields = self._values(values, "values")
        coefficients = self._coefficients_out(fields, out)
        self.core.analysis(values, coefficients)
        return coefficients

    def winds(self, vorticity, divergence, *, out=(None, None)):
        """Eastward and northward wind [m s-1] (..., *grid.shape) of the coefficients of vorticity and
        divergence [s-1]. The means of these, X_00, are taken as 0, as they are of any wind."""
        vorticity, fields = self._coefficients(vorticity, "vorticity")
        divergence, others = self._coefficients(divergence, "divergence")
        check_alike("vorticity", fields, "divergence", others)
        u, v = (self._values_out(fields, given) for given in out)
        self.core.winds(vorticity, divergence, u, v)
        return u, v

    def vorticity_divergence(self, u, v, *, out=(None, None)):
        """Coefficients (..., coefficient) of vorticity and divergence [s-1] of eastward and northward wind
        [m s-1]."""
        u, fields = self._values(u, "u")
        v, others = self._values(v, "v")
        check_alike("u", fields, "v", others)
        vorticity, divergence = (self._coefficients_out(fields, given) for given in out)
        self.core.vorticity_divergence(u, v, vorticity, divergence)
        return vorticity, divergence

    def gradient(self, coefficients, *, out=(None, None)):
        """Derivatives eastward and northward [1/m] (..., *grid.shape) of the coefficients of fields."""
        coefficients, fields = self._coefficients(coefficients, "coefficients")
        east, north = (self._values_out(fields, given) for given in out)
        self.core.gradient(coefficients, east, north)
        return east, north

    def laplacian(self, coefficients):
        """Coefficients of the Laplacian [1/m2]: -n (n + 1) / radius^2 times each."""
        return coefficients * self._laplacian

    def inverse_laplacian(self, coefficients):
        """Coefficients of the field of mean 0 that has this Laplacian; its mean, X_00, is taken as 0."""
        factor = np.zeros(self.n_coefficients)
        np.divide(1, self._laplacian, out=factor, where=self.degrees > 0)
        return coefficients * factor

    @property
    def _laplacian(self):
        return -self.degrees * (self.degrees + 1.0) / self.radius**2

    def _coefficients(self, given, name):
        found = numbers(given, np.complex128, name)
        if found.shape[-1:] != (self.n_coefficients,):
            raise InputError(
                f"{name} has the shape {found.shape}. T{self.truncation} has {self.n_coefficients} "
                "coefficients: give (..., coefficient)."
            )
        return found, found.shape[:-1]

    def _values(self, given, name):
        found = numbers(given, np.float64, name)
        rank = len(self.grid.shape)
        if found.shape[-rank:] != self.grid.shape:
            raise InputError(
                f"{name} has the shape {found.shape}. A field on this grid is {self.grid.shape}: give "
                f"{('...', *self.grid.shape)}."
            )
        return found, found.shape[:-rank]

    def _values_out(self, fields, out):
        return output(out, (*fields, *self.grid.shape), np.float64)

    def _coefficients_out(self, fields, out):
        return output(out, (*fields, self.n_coefficients), np.complex128)


def numbers(given, dtype, name):
    """A contiguous array of what is given, of at least one dimension."""
    found = np.asarray(given)
    if not np.can_cast(found.dtype, dtype, "same_kind"):
        raise InputError(f"{name} is of {found.dtype}. Give numbers that {np.dtype(dtype)} can hold.")
    return np.ascontiguousarray(found, dtype=dtype)


def output(given, shape, dtype):
    """The array for results: a new one, or the given one where it fits."""
    if given is None:
        return np.empty(shape, dtype)
    if not isinstance(given, np.ndarray):
        raise InputError(f"out is of {type(given)}. Give a numpy array.")
    if given.shape != shape or given.dtype != dtype or not given.flags.c_contiguous:
        raise InputError(
            f"out is {given.dtype} {given.shape}. Give a contiguous array of {np.dtype(dtype)} {shape}."
        )
    return given


def check_alike(name, fields, other_name, others):
    if fields != others:
        raise InputError(f"{name} has fields {fields}, and {other_name} {others}. Give as many of both.")
