"""Linear equations A x = b over all ranks by the generalised conjugate residual method.

    found = solve(operator, b, preconditioner=jacobi(diagonal), comm=comm)
    assert found.converged, found.explanation

Operators and preconditioners are callables on numpy arrays of the items that this rank owns, or Halcyon's own
maps. After Eisenstat, Elman and Schultz (1983) and Zheng and Marguinaud (2018), 3.3: see docs/krylov.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core import krylov as _core
from halcyon._core.krylov import Map
from halcyon.base import ConfigError, RunError
from halcyon.options import number, text, whole
from halcyon.transform.arrays import numbers

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["VARIANTS", "Gcr", "Helmholtz", "Map", "Solution", "jacobi", "solve", "zonal_line"]

VARIANTS = tuple(_core.variants())

LinearMap = Callable[[np.ndarray], np.ndarray] | Map


@dataclass(frozen=True)
class Solution:
    """What a solution found, how, and at which cost.

    x has the shape of b; `outcome` is converged, most_iterations, stagnated, no_descent, dependent or
    not_finite, and `explanation` says it in words. `residual` is |b - A x| / |b|, computed anew; `residuals`
    that of the recurrence after each iteration. Of the `allreduces`, `exposed` had no work between start and
    wait; this rank waited `waited_s` seconds for them."""

    x: np.ndarray
    outcome: str
    explanation: str
    residual: float
    residuals: np.ndarray
    operator_calls: int
    preconditioner_calls: int
    allreduces: int
    exposed: int
    replacements: int
    waited_s: float

    @property
    def converged(self) -> bool:
        """Whether `residual` is within the tolerance."""
        return self.outcome == "converged"

    @property
    def iterations(self) -> int:
        """How often x was made better."""
        return len(self.residuals)


class Gcr:
    """GCR(k) of vectors of `n_owned` items on this rank: made once, used for many solutions.

    @param comm of mpi4py; this rank alone where it is None
    @param variant "classical": two operator applications and two allreduces an iteration; "fused": one of
        each; "pipelined": so too, and the allreduce travels while preconditioner and operator are applied
    @param k directions that are kept; the oldest is dropped, nothing restarts
    @param tolerance of |b - A x| / |b|
    @param most_iterations after which a solution ends anyway
    @param replace_every iterations after which the residual is computed anew; 0: only where it drifted
    @param radix of the allreduce; only with as many ranks or fewer "pipelined" hides all of it;
        docs/krylov.md tells when that pays

    Collective. Raises ConfigError, on all ranks, for a value that is not allowed or differs between ranks."""

    def __init__(
        self,
        n_owned: int,
        *,
        comm: MPI.Comm | None = None,
        variant: str = "fused",
        k: int = 8,
        tolerance: float = 1e-10,
        most_iterations: int = 1000,
        replace_every: int = 0,
        radix: int = 32,
    ) -> None:
        self._comm = _comm_or_self(comm)
        options = {"variant": variant, "k": k, "tolerance": tolerance, "most_iterations": most_iterations}
        options |= {"replace_every": replace_every, "radix": radix}
        kinds = {"variant": text, "tolerance": number}
        with _together(self._comm) as same:
            if whole("n_owned", n_owned, bits=63) < 0:
                raise ConfigError(f"n_owned is {n_owned}. Give 0 or more.")
            for name, value in options.items():
                same(name, kinds.get(name, whole)(name, value))
        self._core = _core.Gcr(_communicator(self._comm), n_owned, *options.values())
        self._n_owned = n_owned

    def solve(
        self,
        operator: LinearMap,
        b: np.ndarray,
        *,
        preconditioner: LinearMap | None = None,
        guess: np.ndarray | None = None,
    ) -> Solution:
        """Solves A x = b for x, from a first guess (without: 0).

        @param operator A: a linear callable, x to A x, of the shape of b; Collective where it communicates
        @param preconditioner an approximation of the inverse of A, alike; where pipelined, the same each time
        @param b (items that this rank owns, in any shape) float64

        Collective. Raises, on all ranks, ConfigError for vectors that do not fit, and RunError where a
        callable raises or returns something else than such an array. One that communicates and then raises
        on some ranks only must do so after it has communicated."""
        with _together(self._comm):
            self._check(b, guess, operator, preconditioner)
        b = np.ascontiguousarray(b, dtype=np.float64)
        x = np.zeros_like(b) if guess is None else np.array(guess, dtype=np.float64, order="C")
        rank = self._comm.rank
        a = _Guarded.of(operator, f"The operator (rank {rank})", b.shape)
        m = _Guarded.of(preconditioner, f"The preconditioner (rank {rank})", b.shape)
        try:
            found = self._core.solve(a, m, b, x)
        except RunError as error:
            raised = [one.error for one in (a, m) if isinstance(one, _Guarded) and one.error is not None]
            if raised and not isinstance(raised[0], Exception):
                raise raised[0] from None
            raise error from (raised[0] if raised else None)
        return _solution(x, found)

    def _check(self, b, guess, *maps) -> None:
        _require_fit("The right side", b, self._n_owned)
        if guess is not None:
            _require_fit("The first guess", guess, self._n_owned)
            if np.shape(guess) != np.shape(b):
                raise ConfigError(f"The first guess is {np.shape(guess)}, but the right side {np.shape(b)}.")
        for one in maps:
            if isinstance(one, Map) and one.size != self._n_owned:
                raise ConfigError(f"A map of {one.size} items is given for vectors of {self._n_owned}.")
            if one is not None and not callable(one):
                raise ConfigError(
                    f"Operator and preconditioner must be callables, not {type(one).__name__}. Of a matrix"
                    " give `lambda x: matrix @ x`."
                )


def solve(
    operator: LinearMap,
    b: np.ndarray,
    *,
    preconditioner: LinearMap | None = None,
    guess: np.ndarray | None = None,
    comm: MPI.Comm | None = None,
    **options: Any,
) -> Solution:
    """Solves A x = b once: see `Gcr`, whose options these are, and `Gcr.solve`.

    Collective."""
    gcr = Gcr(np.size(b), comm=comm, **options)
    return gcr.solve(operator, b, preconditioner=preconditioner, guess=guess)


def jacobi(diagonal: np.ndarray) -> Map:
    """Division by the diagonal of the operator, (items that this rank owns).

    Raises ConfigError where it is zero or not finite, and InputError for what are no real numbers."""
    return _core.jacobi(numbers(diagonal, np.float64, "diagonal"))


def zonal_line(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray) -> Map:
    """The solution of l_i x_(i-1) + d_i x_i + u_i x_(i+1) = y_i along each circle of latitude, whose ends
    meet: what an operator couples on it. A rank has whole rows; arrays are (row, longitude).

    Raises ConfigError for other shapes, and rows that elimination cannot solve; those with dominant diagonals
    it can. InputError for what are no real numbers."""
    given = {"lower": lower, "diagonal": diagonal, "upper": upper}
    parts = [numbers(part, np.float64, name) for name, part in given.items()]
    if parts[1].ndim != 2 or len({part.shape for part in parts}) != 1:
        shapes = ", ".join(str(part.shape) for part in parts)
        raise ConfigError(f"Lower, diagonal and upper are {shapes}. Give (row, longitude), all three alike.")
    return _core.zonal_line(*parts[1].shape, *parts)


class Helmholtz:
    """(1 - L^2 del^2) x = b on the unit sphere, by finite volumes of second order on boxes of equal widths in
    longitude and latitude. A rank has whole rows, from the south; its arrays are (row, longitude).

    @param length_squared L^2, in squares of the radius
    @param n_longitudes twice the latitudes where it is None

    Collective. Raises ConfigError, on all ranks, for fewer rows than ranks or 3, and L^2 below 0."""

    def __init__(
        self,
        n_latitudes: int,
        length_squared: float,
        *,
        n_longitudes: int | None = None,
        comm: MPI.Comm | None = None,
    ) -> None:
        comm = _comm_or_self(comm)
        with _together(comm) as same:
            same("n_latitudes", whole("n_latitudes", n_latitudes))
            n_longitudes = 2 * n_latitudes if n_longitudes is None else n_longitudes
            same("n_longitudes", whole("n_longitudes", n_longitudes, bits=32))
            same("length_squared", number("length_squared", length_squared))
        communicator = _communicator(comm)
        self._core = _core.Helmholtz(communicator, n_latitudes, n_longitudes, length_squared)
        self.length_squared = length_squared
        rows = self._core.first_row + np.arange(self._core.n_rows)
        self.latitude = np.pi * ((rows + 0.5) / n_latitudes - 0.5)  # [rad] (row)
        self.longitude = 2 * np.pi * (np.arange(n_longitudes) + 0.5) / n_longitudes  # [rad] (longitude)
        step = np.pi / n_latitudes
        self.area = 4 * np.pi / n_longitudes * np.cos(self.latitude) * np.sin(step / 2)  # (row)

    @property
    def operator(self) -> Map:
        """x to x - L^2 del^2 x. Collective."""
        return _core.Helmholtz.operator(self._core)

    def jacobi(self) -> Map:
        """Its diagonal's inverse."""
        return self._core.jacobi()

    def zonal_line(self) -> Map:
        """The inverse of what it couples along circles of latitude."""
        return self._core.zonal_line()

    def exact(self) -> np.ndarray:
        """cos(latitude)^4 sin(latitude) cos(4 longitude), a spherical harmonic of degree 5: -L^2 del^2 of it
        is 30 L^2 times itself. (row, longitude)"""
        return (np.cos(self.latitude) ** 4 * np.sin(self.latitude))[:, None] * np.cos(4 * self.longitude)

    def right_side(self) -> np.ndarray:
        """b of which x is `exact`. (row, longitude)"""
        return (1 + 30 * self.length_squared) * self.exact()


class _Guarded:
    """A callable of Python's, as GCR calls it: on flat arrays, with errors that say whose they are."""

    def __init__(self, function: Callable, name: str, shape: tuple[int, ...]) -> None:
        self._function, self._name, self._shape = function, name, shape
        self.error: BaseException | None = None

    @staticmethod
    def of(one: LinearMap | None, name: str, shape: tuple[int, ...]) -> LinearMap | None:
        return one if one is None or isinstance(one, Map) else _Guarded(one, name, shape)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        try:
            y = np.asarray(self._function(x.reshape(self._shape)))
            if y.shape != self._shape or not np.can_cast(y.dtype, np.float64):
                raise ConfigError(f"it returned {y.dtype} {y.shape}, but must return float64 {self._shape}")
        except BaseException as error:
            self.error = self.error or error
            raise RunError(f"{self._name} raised {type(error).__name__}: {error}") from None
        return np.ascontiguousarray(y, dtype=np.float64).reshape(-1)


def _solution(x: np.ndarray, found) -> Solution:
    return Solution(
        x=x,
        outcome=found.outcome,
        explanation=found.explanation,
        residual=found.residual,
        residuals=found.residuals,
        operator_calls=found.n_operator,
        preconditioner_calls=found.n_preconditioner,
        allreduces=found.n_allreduces,
        exposed=found.n_exposed,
        replacements=found.n_replaced,
        waited_s=found.waited_s,
    )


def _comm_or_self(comm: MPI.Comm | None) -> MPI.Comm:
    from halcyon.comm import MPI

    return MPI.COMM_SELF if comm is None else comm


def _communicator(comm: MPI.Comm):
    from halcyon.comm import communicator

    return communicator(comm)


def _together(comm: MPI.Comm):
    from halcyon.comm import together

    return together(comm)


def _require_fit(name: str, values, n_owned: int) -> None:
    if np.size(values) != n_owned or not np.can_cast(np.asarray(values).dtype, np.float64):
        raise ConfigError(
            f"{name} is {np.asarray(values).dtype} {np.shape(values)}, but must be {n_owned} numbers that fit"
            " float64."
        )
