"""Transforms between values on a Gaussian grid and coefficients of spherical harmonics."""

import numpy as np

from halcyon._core import transform as core
from halcyon.base import ConfigError, InputError
from halcyon.transform.share import Share
from halcyon.transform.tuning import GROUPS, METHODS, PROGRESS, tuned

__all__ = ["EARTH_RADIUS", "Transform"]

EARTH_RADIUS = 6371220.0
MEMORY = 4 << 20


class Transform:
    """Triangular truncation T on a grid (`Grid`) with more than T rows and 2 T + 1 values at the equator.

    x(lambda, mu) = sum over m = -T..T and n = |m|..T of X_nm P_nm(mu) exp(i m lambda), where the mean square
    of a P_nm over mu is 1 and X_n,-m = conj(X_nm). So X_00 is the mean of x over the sphere.

    Coefficients are complex128 (..., coefficient), of m >= 0: first those of m = 0, n = 0..T, then those of
    m = 1, n = 1..T, and so on (`wavenumbers`, `degrees`). Values are float64 (..., *grid.shape). Leading
    dimensions are fields, as many as wanted, and go through together. A field's bits do not depend on others,
    nor on `memory`, the bytes of Legendre functions to keep for calls of one field, nor on `group`, the
    fields to take at a time. `radius` [m] is that of the sphere. Results go to new arrays, or to contiguous
    ones given as `out`.

    With an MPI communicator `comm`, its ranks share the transform as `sets` = (V, W) says, whose product is
    their number; by default (1, ranks). Rank v W + w has the coefficients of some wavenumbers of part v of
    the fields, and the values of all fields at some points (`share`); values are then (..., point). All calls
    are collective. Where V > 1 coefficients are (field, coefficient) of `share.fields(n)`, and syntheses are
    told the leading dimensions `fields` of all values. How ranks exchange does not touch bits, and may be
    left to `tune`:
    - `groups` into which fields are cut: while one is computed, `ahead` others travel; "auto": these,
      method and progress, one group ahead, are what `tune` finds at the first call, for so many fields
    - `method`, one of `halcyon.halo.METHODS`, and `algorithm`: burst, bruck or ring-K (`halcyon.schedule`)
    - `progress` while they compute: none, poll or thread, or a `halcyon.comm.Progress`

    Raises ConfigError where the grid cannot hold the truncation or the sets cannot share it, InputError for
    arrays of other shapes.
    """

    def __init__(
        self,
        grid,
        truncation,
        *,
        radius=EARTH_RADIUS,
        memory=MEMORY,
        group=16,
        comm=None,
        sets=None,
        groups=1,
        ahead=1,
        method="isend_irecv",
        algorithm="burst",
        progress="none",
    ):
        if memory < 0:
            raise ConfigError(f"memory of {memory} bytes was given. Give 0 or more.")
        if isinstance(groups, str) and groups != "auto":
            raise ConfigError(f"groups is '{groups}'. Give a number from 1 on, or auto.")
        self.grid = grid
        self.truncation = truncation
        self.radius = radius
        self._untuned = groups == "auto"
        if comm is None:
            if sets not in (None, (1, 1)):
                raise ConfigError(f"sets of {sets} ranks were given without them. Give comm, too.")
            self.sets = (1, 1)
            self.core = core.Transform(grid.core, truncation, radius, memory, group)
        else:
            from halcyon.comm import communicator

            self.sets = tuple(sets) if sets else (1, comm.size)
            self.core = core.Transform(
                communicator(comm), self.sets, grid.core, truncation, radius, memory, group
            )
            self._communicate(comm, algorithm, method, progress, 1 if self._untuned else groups, ahead)
        self._comm = comm
        self.share = Share(self, comm)
        self.wavenumbers = self.share.wavenumbers
        self.degrees = self.share.degrees
        self.n_coefficients = len(self.degrees)
        self.shape = grid.shape if comm is None else (self.core.n_points,)

    @property
    def kept_bytes(self):
        """Bytes of the Legendre functions that are kept."""
        return self.core.kept_bytes

    @property
    def statistics(self):
        """What the exchanges have cost and moved on this rank so far (`halcyon.comm`)."""
        return self.core.statistics

    @property
    def fourier_s(self):
        """How long this rank has worked in the Fourier stage so far [s]."""
        return self.core.fourier_s

    @property
    def legendre_s(self):
        """How long this rank has worked in the Legendre stage so far [s]."""
        return self.core.legendre_s

    def _communicate(self, comm, algorithm, method, progress, groups, ahead):
        from halcyon.comm import Progress

        if isinstance(progress, str):
            progress = Progress(comm, progress)
        self.algorithm = algorithm
        self.core.communicate(algorithm, method, progress._core, groups, ahead)

    def tune(self, n_fields, *, groups=GROUPS, methods=METHODS, progress=PROGRESS, repetitions=5):
        """Collective. From now on ranks exchange as is fastest here, for so many fields: each of these
        numbers of groups, methods and progresses is tried by so many round trips. The slowest rank counts,
        and of its times the best; all choose the same.

        Returns what was tried, a dictionary (groups, method, progress) to seconds, from the fastest on; none
        where one rank exchanges nothing. A thread is left out where MPI was started with less than
        MPI_THREAD_MULTIPLE."""
        self._untuned = False
        return tuned(self, n_fields, groups, methods, progress, repetitions)

    def _tune_first(self, fields):
        """Collective. Where that was left to the first call, by the leading dimensions of its fields."""
        if self._untuned and min(fields, default=1) > 0:
            self.tune(int(np.prod(fields)))

    def schedule(self, way, n_fields):
        """What "synthesis" or "analysis" of so many fields exchange, as a schedule (`halcyon.schedule`).

        Raises ConfigError for one rank, which exchanges nothing."""
        return self.core.schedule(way, n_fields)

    def synthesis(self, coefficients, *, fields=None, out=None):
        """Values (..., *shape) of fields."""
        coefficients, fields = self._coefficients(coefficients, "coefficients", fields, out)
        values = self._values_out(fields, out)
        self.core.synthesis(coefficients, values)
        return values

    def analysis(self, values, *, out=None):
        """Coefficients (..., coefficient) of fields: exact for what the truncation holds."""
        values, fields = self._values(values, "values")
        coefficients = self._coefficients_out(fields, out)
        self.core.analysis(values, coefficients)
        return coefficients

    def winds(self, vorticity, divergence, *, fields=None, out=(None, None)):
        """Eastward and northward wind [m s-1] (..., *shape) of the coefficients of vorticity and
        divergence [s-1]. The means of these, X_00, are taken as 0, as they are of any wind."""
        given = fields
        vorticity, fields = self._coefficients(vorticity, "vorticity", given, out[0])
        divergence, others = self._coefficients(divergence, "divergence", given, out[1])
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

    def gradient(self, coefficients, *, fields=None, out=(None, None)):
        """Derivatives eastward and northward [1/m] (..., *shape) of the coefficients of fields."""
        coefficients, fields = self._coefficients(coefficients, "coefficients", fields, out[0])
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

    def _coefficients(self, given, name, fields, out):
        """The array, and the leading dimensions of all fields."""
        found = numbers(given, np.complex128, name)
        if found.shape[-1:] != (self.n_coefficients,):
            raise InputError(
                f"{name} has the shape {found.shape}. T{self.truncation} has {self.n_coefficients} "
                f"coefficients{'' if self.sets == (1, 1) else ' on this rank'}: give (..., coefficient)."
            )
        fields = self._all_fields(found.shape[:-1], fields, out)
        if self._held(fields) != found.shape[:-1]:
            raise InputError(
                f"{name} has the shape {found.shape}. Of fields {fields} this rank has "
                f"{self._held(fields)}: give {(*self._held(fields), self.n_coefficients)}."
            )
        self._tune_first(fields)
        return found, fields

    def _all_fields(self, held, fields, out):
        if fields is not None:
            return tuple(np.atleast_1d(fields).tolist())
        if isinstance(out, np.ndarray):
            return out.shape[: out.ndim - len(self.shape)]
        if self.sets[0] > 1:
            raise InputError("V sets share the fields. Give `fields`, the leading dimensions of all values.")
        return held

    def _held(self, fields):
        """Leading dimensions of the coefficients that this rank has of all fields."""
        if self.sets[0] == 1:
            return fields
        mine = self.share.fields(int(np.prod(fields)))
        return (mine.stop - mine.start,)

    def _values(self, given, name):
        found = numbers(given, np.float64, name)
        rank = len(self.shape)
        if found.shape[-rank:] != self.shape:
            raise InputError(
                f"{name} has the shape {found.shape}. A field on this grid is {self.shape}: give "
                f"{('...', *self.shape)}."
            )
        self._tune_first(found.shape[:-rank])
        return found, found.shape[:-rank]

    def _values_out(self, fields, out):
        return output(out, (*fields, *self.shape), np.float64)

    def _coefficients_out(self, fields, out):
        return output(out, (*self._held(fields), self.n_coefficients), np.complex128)


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
