"""Linear equations A x = b over all ranks by the generalised conjugate residual method.

    solution = solve(operator, b, preconditioner=jacobi(diagonal), comm=comm)
    assert solution.converged, solution.explanation

Operators and preconditioners are callables on numpy arrays of the items that this rank owns, or linear maps
(`Map`) implemented in C++. After Eisenstat, Elman and Schultz (1983) and Zheng and Marguinaud (2018), 3.3:
see docs/krylov.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import krylov as _core
from halcyon._core.krylov import Map
from halcyon.base import ConfigError, RunError
from halcyon.options import integer, number, text
from halcyon.transform.arrays import as_array

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from mpi4py import MPI

    from halcyon._core.comm import Communicator

__all__ = ["VARIANTS", "Gcr", "Helmholtz", "Map", "Solution", "jacobi", "solve", "zonal_line"]

VARIANTS = tuple(_core.variants())

LinearMap = Callable[[np.ndarray], np.ndarray] | Map


@dataclass(frozen=True)
class Solution:
    """A solution with its convergence record.

    x has the shape of b; `outcome` is converged, most_iterations, stagnated, no_descent, dependent or
    not_finite, and `explanation` explains it. `residual` is the true |b - A x| / |b|, `residuals` are the
    |r| / |b| after each iteration, where r is updated and not recomputed. `exposed` is the number of
    allreduces that no computation overlaps with; `replacements` is the number of recomputations
    r = b - A x; `waited_s` is the time that this rank waited for allreduces [s]."""

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
        """Number of iterations."""
        return len(self.residuals)


class Gcr:
    """A GCR(k) solver for vectors of `n_owned` items on this rank, which may be used many times.

    @param comm mpi4py communicator; None: this rank alone
    @param variant "classical": two operator applications and two allreduces per iteration; "fused": one of
        each; "pipelined": one of each, and the allreduce overlaps with preconditioner and operator
    @param k number of kept directions; the oldest is dropped, without restarts
    @param tolerance bound of |b - A x| / |b|
    @param most_iterations maximum number of iterations
    @param replace_every iterations between recomputations r = b - A x; 0: only if the updated r
        drifts from b - A x
    @param radix radix of the allreduce; "pipelined" overlaps all of it only on up to this many ranks;
        docs/krylov.md shows when that pays off

    Collective. Raises ConfigError, on all ranks, for an invalid value or one that differs between ranks."""

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
        options: dict[str, Any] = {
            "variant": variant,
            "k": k,
            "tolerance": tolerance,
            "most_iterations": most_iterations,
        }
        options |= {"replace_every": replace_every, "radix": radix}
        readers: dict[str, Callable[[str, Any], Any]] = {"variant": text, "tolerance": number}
        with _collective_errors(self._comm) as require_same:
            if integer("n_owned", n_owned, bits=63) < 0:
                raise ConfigError(f"n_owned is {n_owned}. Give 0 or more.")
            for name, value in options.items():
                read: Callable[[str, Any], Any] = readers.get(name, integer)
                require_same(name, read(name, value))
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
        """Solves A x = b for x, from a first guess (default: 0).

        @param operator the linear map A: a callable that is given x and returns A x, both of the shape of b;
            collective if it communicates
        @param preconditioner approximate inverse of A, a callable like `operator`; in the pipelined variant,
            it must not change between calls
        @param b (items that this rank owns, in any shape) float64

        Collective. Raises, on all ranks, ConfigError for vectors of wrong size, and RunError if a callable
        raises or returns an array of another shape or type. A callable that communicates may raise on some
        ranks only after it has communicated."""
        with _collective_errors(self._comm):
            self._check(b, guess, operator, preconditioner)
        b = np.ascontiguousarray(b, dtype=np.float64)
        x = np.zeros_like(b) if guess is None else np.array(guess, dtype=np.float64, order="C")
        rank = self._comm.rank
        a = _CheckedCallable.wrap(operator, f"The operator (rank {rank})", b.shape)
        m = _CheckedCallable.wrap(preconditioner, f"The preconditioner (rank {rank})", b.shape)
        try:
            result = self._core.solve(a, m, b, x)
        except RunError as error:
            raised = [
                call.error for call in (a, m) if isinstance(call, _CheckedCallable) and call.error is not None
            ]
            if raised and not isinstance(raised[0], Exception):
                raise raised[0] from None
            raise error from (raised[0] if raised else None)
        return _solution(x, result)

    def _check(self, b: np.ndarray, guess: np.ndarray | None, *maps: Any) -> None:
        _require_size("The right side", b, self._n_owned)
        if guess is not None:
            _require_size("The first guess", guess, self._n_owned)
            if np.shape(guess) != np.shape(b):
                raise ConfigError(f"The first guess is {np.shape(guess)}, but the right side {np.shape(b)}.")
        for linear_map in maps:
            if isinstance(linear_map, Map) and linear_map.size != self._n_owned:
                raise ConfigError(
                    f"A map of {linear_map.size} items is given for vectors of {self._n_owned}."
                )
            if linear_map is not None and not callable(linear_map):
                raise ConfigError(
                    f"Operator and preconditioner must be callables, not {type(linear_map).__name__}."
                    " For a matrix, give `lambda x: matrix @ x`."
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
    """Solves A x = b once; options are those of `Gcr`, see `Gcr.solve`.

    Collective."""
    gcr = Gcr(np.size(b), comm=comm, **options)
    return gcr.solve(operator, b, preconditioner=preconditioner, guess=guess)


def jacobi(diagonal: np.ndarray) -> Map:
    """Jacobi preconditioner: division by the diagonal of the operator, (items that this rank owns).

    Raises ConfigError if a value is zero or not finite, and InputError if one is not a real number."""
    return _core.jacobi(as_array(diagonal, np.float64, "diagonal"))


def zonal_line(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray) -> Map:
    """Zonal line preconditioner: solves l_i x_(i-1) + d_i x_i + u_i x_(i+1) = y_i along each circle of
    latitude, where the first and last item are adjacent. Each rank has complete rows; the arrays are (row,
    longitude).

    Raises ConfigError for other shapes, and for rows that elimination cannot solve (rows with dominant
    diagonals always can be solved), and InputError if one is not a real number."""
    arrays = {"lower": lower, "diagonal": diagonal, "upper": upper}
    coefficients = [as_array(array, np.float64, name) for name, array in arrays.items()]
    if coefficients[1].ndim != 2 or len({array.shape for array in coefficients}) != 1:
        shapes = ", ".join(str(array.shape) for array in coefficients)
        raise ConfigError(f"Lower, diagonal and upper are {shapes}. Give (row, longitude), all of one shape.")
    return _core.zonal_line(*coefficients[1].shape, *coefficients)


class Helmholtz:
    """The Helmholtz equation (1 - L^2 del^2) x = b on the unit sphere, by second-order finite volumes on a
    regular longitude-latitude grid. Rows are circles of latitude, numbered from the south; each rank has
    complete rows, and its arrays are (row, longitude).

    @param length_squared L^2, in squared radii
    @param n_longitudes None: twice the number of latitudes

    Collective. Raises ConfigError, on all ranks, for fewer than 3 rows or fewer rows than ranks, and L^2 < 0.
    """

    def __init__(
        self,
        n_latitudes: int,
        length_squared: float,
        *,
        n_longitudes: int | None = None,
        comm: MPI.Comm | None = None,
    ) -> None:
        comm = _comm_or_self(comm)
        with _collective_errors(comm) as require_same:
            require_same("n_latitudes", integer("n_latitudes", n_latitudes))
            n_longitudes = 2 * n_latitudes if n_longitudes is None else n_longitudes
            require_same("n_longitudes", integer("n_longitudes", n_longitudes, bits=32))
            require_same("length_squared", number("length_squared", length_squared))
        communicator = _communicator(comm)
        self._core = _core.Helmholtz(communicator, n_latitudes, n_longitudes, length_squared)
        self.length_squared = length_squared
        rows = self._core.first_row + np.arange(self._core.n_rows)
        self.latitude = np.pi * ((rows + 0.5) / n_latitudes - 0.5)  # [rad] (row)
        self.longitude = 2 * np.pi * (np.arange(n_longitudes) + 0.5) / n_longitudes  # [rad] (longitude)
        latitude_step = np.pi / n_latitudes
        self.area = 4 * np.pi / n_longitudes * np.cos(self.latitude) * np.sin(latitude_step / 2)  # [sr] (row)

    @property
    def operator(self) -> Map:
        """The linear map y = x - L^2 del^2 x; its calls are collective."""
        return _core.Helmholtz.operator(self._core)

    def jacobi(self) -> Map:
        """Jacobi preconditioner of this operator."""
        return self._core.jacobi()

    def zonal_line(self) -> Map:
        """Zonal line preconditioner of this operator."""
        return self._core.zonal_line()

    def exact(self) -> np.ndarray:
        """Exact solution (row, longitude): the spherical harmonic of degree 5 x = cos(latitude)^4
        sin(latitude) cos(4 longitude), for which -L^2 del^2 x = 30 L^2 x."""
        return (np.cos(self.latitude) ** 4 * np.sin(self.latitude))[:, None] * np.cos(4 * self.longitude)

    def right_side(self) -> np.ndarray:
        """Right side (row, longitude) whose solution is `exact`."""
        return (1 + 30 * self.length_squared) * self.exact()


class _CheckedCallable:
    """Wraps a Python callable for GCR: reshapes its arguments, checks its results, and names the callable
    and the rank in errors."""

    def __init__(self, function: Callable[..., Any], name: str, shape: tuple[int, ...]) -> None:
        self._function, self._name, self._shape = function, name, shape
        self.error: BaseException | None = None

    @staticmethod
    def wrap(function: LinearMap | None, name: str, shape: tuple[int, ...]) -> LinearMap | None:
        return (
            function
            if function is None or isinstance(function, Map)
            else _CheckedCallable(function, name, shape)
        )

    def __call__(self, x: np.ndarray) -> np.ndarray:
        try:
            y = np.asarray(self._function(x.reshape(self._shape)))
            if y.shape != self._shape or not np.can_cast(y.dtype, np.float64):
                raise ConfigError(f"it returned {y.dtype} {y.shape}, but must return float64 {self._shape}")
        except BaseException as error:
            self.error = self.error or error
            raise RunError(f"{self._name} raised {type(error).__name__}: {error}") from None
        return np.ascontiguousarray(y, dtype=np.float64).reshape(-1)


def _solution(x: np.ndarray, result: _core.Result) -> Solution:
    return Solution(
        x=x,
        outcome=result.outcome,
        explanation=result.explanation,
        residual=result.residual,
        residuals=result.residuals,
        operator_calls=result.n_operator_calls,
        preconditioner_calls=result.n_preconditioner_calls,
        allreduces=result.n_allreduces,
        exposed=result.n_exposed,
        replacements=result.n_replaced,
        waited_s=result.waited_s,
    )


def _comm_or_self(comm: MPI.Comm | None) -> MPI.Comm:
    from halcyon.comm import MPI

    return MPI.COMM_SELF if comm is None else comm


def _communicator(comm: MPI.Comm) -> Communicator:
    from halcyon.comm import communicator

    return communicator(comm)


def _collective_errors(comm: MPI.Comm) -> AbstractContextManager[Callable[[str, Any], None]]:
    from halcyon.comm import collective_errors

    return collective_errors(comm)


def _require_size(name: str, values: ArrayLike, n_owned: int) -> None:
    if np.size(values) != n_owned or not np.can_cast(np.asarray(values).dtype, np.float64):
        raise ConfigError(
            f"{name} is {np.asarray(values).dtype} {np.shape(values)}, but must be {n_owned} numbers that fit"
            " float64."
        )
