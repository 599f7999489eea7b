"""The coefficients and grid points of a shared transform that a rank holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import ConfigError, InputError
from halcyon.options import integer
from halcyon.transform.arrays import as_array, without_mask
from halcyon.transform.tuning import collective_errors

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike

    from halcyon.transform.shared import SharedTransform


__all__ = ["PlaneShare", "Share"]


class Share:
    """The coefficients and grid points of a transform that this rank, v W + w, holds.

    `v`, `w`: V and W set of the rank (`Transform`); `wavenumbers`, `degrees` (coefficient): m and n of the
    coefficients, ordered by m and then n = m..T; `rows`: grid rows of which the rank holds points, from north
    to south; `points`: global indices of the points, row by row."""

    coordinates = ("latitude", "longitude")  # names of the coordinates of points

    def __init__(self, transform: SharedTransform, comm: MPI.Comm | None) -> None:
        self._transform = transform
        self._comm = comm
        self.v, self.w = transform.core.v, transform.core.w
        self._set_coefficients()

    def _set_coefficients(self) -> None:
        self.wavenumbers, self.degrees = self._coefficients(self.w)
        self.n_coefficients = len(self.degrees)

    def _coefficients(self, w: int) -> tuple[np.ndarray, np.ndarray]:
        truncation = self._transform.truncation
        wavenumbers = self._transform.core.wavenumbers(w)
        return np.repeat(wavenumbers, truncation + 1 - wavenumbers), np.concatenate(
            [np.arange(m, truncation + 1) for m in wavenumbers]
        )

    @cached_property
    def rows(self) -> np.ndarray:
        return self._transform.core.rows(self.w)

    @cached_property
    def points(self) -> np.ndarray:
        return self._transform.core.points(self.v, self.w)

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Global indices of the coefficients of this rank."""
        return self._global_indices(self.v, self.w)

    @cached_property
    def latitude(self) -> np.ndarray:
        """Latitudes [degrees] (point)."""
        grid = self._transform.grid
        rows = np.degrees(np.arctan2(grid.sines, grid.cosines))
        return np.repeat(rows, grid.row_lengths)[self.points]

    @cached_property
    def longitude(self) -> np.ndarray:
        """Longitudes [degrees] (point)."""
        lengths = self._transform.grid.row_lengths
        return np.concatenate([np.arange(n) * (360 / n) for n in lengths])[self.points]

    def fields(self, n: int) -> slice:
        """Returns, of n fields, the slice whose coefficients this rank holds."""
        return self._field_slice(n, self.v)

    def scatter_values(self, values: ArrayLike | None, root: int = 0) -> np.ndarray:
        """Collective. Distributes values (field, *grid.shape) from rank `root`. Returns the values of this
        rank, (field, point)."""
        return self._scatter(values, "values", self._values_of_rank, root)

    def scatter_coefficients(self, coefficients: ArrayLike | None, root: int = 0) -> np.ndarray:
        """Collective. Distributes coefficients (field, coefficient) from rank `root`. Returns the
        coefficients of this rank, (field, coefficient)."""
        return self._scatter(coefficients, "coefficients", self._coefficients_of_rank, root)

    def gather_values(self, values: ArrayLike, root: int = 0) -> np.ndarray | None:
        """Collective. Collects values (field, point) from each rank. Returns them as (field, *grid.shape) on
        rank `root`, None on other ranks. Raises InputError, on all ranks, for arrays of other shapes."""

        def expected_fields(counts: list[int], _rank: int) -> int:  # the same for all ranks
            return counts[0]

        pieces = self._gather(values, "values", np.float64, len(self.points), expected_fields, root)
        if pieces is None:
            return None
        grid = self._transform.grid
        collected = np.empty((len(pieces[0]), grid.n_points))
        for rank, piece in enumerate(pieces):
            collected[:, self._transform.core.points(*self._sets_of_rank(rank))] = piece
        return collected.reshape(-1, *grid.shape)

    def gather_coefficients(self, coefficients: ArrayLike, root: int = 0) -> np.ndarray | None:
        """Collective. Collects coefficients (field, coefficient) from each rank. Returns those of all ranks
        on rank `root`, None on other ranks. Raises InputError, on all ranks, for arrays of other shapes."""

        def expected_fields(counts: list[int], rank: int) -> int:
            fields = self._field_slice(self._n_fields_of_all_ranks(counts), self._sets_of_rank(rank)[0])
            return fields.stop - fields.start

        pieces = self._gather(
            coefficients, "coefficients", np.complex128, len(self.coefficients), expected_fields, root
        )
        if pieces is None:
            return None
        n = self._n_fields_of_all_ranks([len(piece) for piece in pieces])
        collected = np.empty((n, self._n_coefficients_of_truncation()), np.complex128)
        for rank, piece in enumerate(pieces):
            v, w = self._sets_of_rank(rank)
            collected[self._field_slice(n, v), self._global_indices(v, w)] = piece
        return collected

    def _sets_of_rank(self, rank: int) -> tuple[int, int]:
        """Returns (v, w), the V set and the W set of a rank."""
        return divmod(rank, self._transform.sets[1])

    def _field_slice(self, n: int, v: int) -> slice:
        first, size = self._transform.core.fields(n, v)
        return slice(first, first + size)

    def _n_fields_of_all_ranks(self, counts: list[int]) -> int:
        """Returns the number of different fields, given the number that each rank has: all W ranks of a V set
        have the same fields."""
        return sum(counts[:: self._transform.sets[1]])

    def _n_coefficients_of_truncation(self) -> int:
        """Returns the number of coefficients of the truncation."""
        truncation = self._transform.truncation
        return (truncation + 1) * (truncation + 2) // 2

    def _global_indices(self, _v: int, w: int) -> np.ndarray:
        m, n = self._coefficients(w)
        return m * (self._transform.truncation + 1) - (m * m - m) // 2 + n - m

    def _values_of_rank(self, values: np.ndarray, rank: int) -> np.ndarray:
        shape = self._transform.grid.shape
        if values.shape[1:] != shape:
            raise InputError(f"values have the shape {values.shape}. Give {('field', *shape)}.")
        points = self._transform.core.points(*self._sets_of_rank(rank))
        return values.reshape(len(values), self._transform.grid.n_points)[:, points]

    def _coefficients_of_rank(self, coefficients: np.ndarray, rank: int) -> np.ndarray:
        size = self._n_coefficients_of_truncation()
        if coefficients.ndim != 2 or coefficients.shape[1] != size:
            raise InputError(f"coefficients have the shape {coefficients.shape}. Give (field, {size}).")
        v, w = self._sets_of_rank(rank)
        return coefficients[self._field_slice(len(coefficients), v), self._global_indices(v, w)]

    def _scatter(
        self,
        values: ArrayLike | None,
        name: str,
        part_of_rank: Callable[[np.ndarray, int], np.ndarray],
        root: int,
    ) -> np.ndarray:
        """Collective. Sends part_of_rank(array, rank) from rank `root` to each rank, and returns the part of
        this rank. An error on the root is sent instead of the parts, and raised on all ranks."""
        self._check_root(root)
        pieces: list[Any] = []
        if self._comm is None or self._comm.rank == root:
            size = 1 if self._comm is None else self._comm.size
            try:
                array = without_mask(values, name)
                pieces = [part_of_rank(array, rank) for rank in range(size)]
            except Exception as error:
                pieces = [error] * size
        piece = pieces[0] if self._comm is None else self._comm.scatter(pieces or None, root)
        if isinstance(piece, Exception):
            raise piece
        return np.ascontiguousarray(piece)

    def _gather(
        self,
        values: ArrayLike,
        name: str,
        dtype: DTypeLike,
        size: int,
        expected_fields: Callable[[list[int], int], int],
        root: int,
    ) -> list[np.ndarray] | None:
        """Collective. Returns the list of the arrays of all ranks on rank `root`, None on other ranks.
        `expected_fields`(counts, rank) returns the number of fields that a rank must have, given the numbers
        of all ranks; `size`: values per field on this rank."""
        self._check_root(root)
        with collective_errors(self._comm):
            array = as_array(values, dtype, name)
            if array.ndim != 2 or array.shape[1] != size:
                raise InputError(f"{name} has the shape {array.shape}. Give (field, {size}).")
        if self._comm is None:
            return [array]
        counts = self._comm.allgather(len(array))
        for rank, count in enumerate(counts):
            if count != expected_fields(counts, rank):
                raise InputError(
                    f"The ranks have {counts} fields to gather. Give the same fields on all ranks."
                )
        return self._comm.gather(array, root)

    def _check_root(self, root: int) -> None:
        """Collective. Raises ConfigError, on all ranks, for a root that is not a rank or differs between
        ranks."""
        size = 1 if self._comm is None else self._comm.size
        with collective_errors(self._comm) as require_same:
            require_same("root", integer("root", root))
            if not 0 <= root < size:
                raise ConfigError(f"root is {root}. Give a rank, 0 to {size - 1}.")


class PlaneShare(Share):
    """The coefficients and grid points of a transform on a plane that this rank, v W + w, holds.

    `v`, `w`: V and W set of the rank (`Bifourier`); `m`, `n` (coefficient): wavenumbers of the coefficients,
    ordered by m and then n; `rows`: rows of the plane of which the rank holds points; `points`: indices of
    the points in the plane, row by row. Each rank holds parts of all fields."""

    coordinates = ("y", "x")

    def _set_coefficients(self) -> None:
        self.m, self.n = self._transform.core.waves(self.v, self.w)
        self.n_coefficients = len(self.m)
        self._counts = 2 * self._transform.core.last_n() + 1  # (m) number of waves: n = -N(m)..N(m)

    @cached_property
    def rows(self) -> np.ndarray:
        return np.unique(self.points // self._transform.grid.nx)

    @cached_property
    def x(self) -> np.ndarray:
        """x of the points [m] (point)."""
        return self._transform.grid.x[self.points % self._transform.grid.nx]

    @cached_property
    def y(self) -> np.ndarray:
        """y of the points [m] (point)."""
        return self._transform.grid.y[self.points // self._transform.grid.nx]

    def _field_slice(self, n: int, _v: int) -> slice:
        return slice(0, n)

    def _n_fields_of_all_ranks(self, counts: list[int]) -> int:
        return counts[0]

    def _n_coefficients_of_truncation(self) -> int:
        return int(self._counts.sum())

    def _global_indices(self, v: int, w: int) -> np.ndarray:
        m, n = self._transform.core.waves(v, w)
        before = np.concatenate([[0], np.cumsum(self._counts)])
        return before[m] + n + self._counts[m] // 2
