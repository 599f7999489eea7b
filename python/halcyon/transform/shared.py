"""Base class of the transforms on the sphere and on a plane: arrays, round trips, exchanges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import ConfigError, InputError
from halcyon.options import flag, integer
from halcyon.transform.arrays import as_array, output_array, require_separate_memory
from halcyon.transform.exchanges import Exchanges, checked_sets, core_arguments, core_property
from halcyon.transform.labels import NO_ATTRIBUTES, accepts_xarray
from halcyon.transform.tuning import at_least_one, collective_errors

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon._core.schedule import Schedule
    from halcyon.transform.hiding import Hiding, RoundTrip
    from halcyon.transform.share import Share
    from halcyon.transform.tuning import ExchangeSettings


__all__ = ["SharedTransform"]


class SharedTransform(Exchanges):
    """A transform of one rank, or shared by several ranks in V x W `sets`. Subclasses define `domain` (grid
    or plane), for error texts, `truncation_text` and `coefficient_coordinates`."""

    domain: str
    grid: Any  # a Grid or a Plane
    share: Any  # a Share or a PlaneShare
    truncation: Any  # T, or the pair (M, N)
    has_winds = False
    splits_fields = False  # whether V sets divide the fields instead of the coefficients of each field

    def _create(
        self,
        core_class: Callable[..., Any],
        *arguments: Any,
        share_class: type[Share],
        comm: MPI.Comm | None,
        sets: Sequence[int] | None,
        groups: int | str = 1,
        **exchange: Any,
    ) -> None:
        """Collective. Creates the C++ transform and the rank's share, and applies the exchange settings."""
        sets = checked_sets(comm, sets)
        self._set_ranks(comm, sets, core_class(*core_arguments(comm, sets), *arguments))
        with self._collective_errors() as require_same:
            if isinstance(groups, str) and groups != "auto":
                raise ConfigError(f"groups is '{groups}'. Give a number from 1 on, or auto.")
            require_same("groups", groups if groups == "auto" else integer("groups", groups))
        self.set_exchange(groups=1 if isinstance(groups, str) else groups, **exchange)
        self._must_tune = groups == "auto"
        self.share = share_class(self, comm)
        self.n_coefficients = self.share.n_coefficients
        self.shape = self.grid.shape if comm is None else (self.core.n_points,)

    @property
    def truncation_text(self) -> str:
        """The truncation, for error texts."""
        raise NotImplementedError

    @property
    def coefficient_coordinates(self) -> dict[str, np.ndarray]:
        """Coordinates of the coefficients of this rank by name."""
        raise NotImplementedError

    @property
    def value_coordinates(self) -> dict[str, np.ndarray]:
        """Coordinates of the values of this rank by name: latitudes and longitudes [degrees], or y and x
        [m]."""
        locations = self.grid if self._comm is None else self.share
        return {name: getattr(locations, name) for name in self.share.coordinates}

    statistics = core_property(
        "statistics",
        "Statistics of the exchanges of this rank (`halcyon.comm`) since the last `set_exchange`.",
    )

    @accepts_xarray("coefficients", "values")
    def synthesis(
        self,
        coefficients: ArrayLike,
        *,
        fields: int | Sequence[int] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Returns the values (..., *shape) of fields. `fields`: leading dimensions of all values, needed if V
        sets divide the fields; `out`: array for the values."""
        return self._to_values(self.core.synthesis, {"coefficients": coefficients}, fields, out)

    @accepts_xarray("values", "coefficients")
    def analysis(self, values: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
        """Returns the coefficients (..., coefficient) of fields; exact for fields within the truncation."""
        return self._to_coefficients(self.core.analysis, {"values": values}, out)

    @accepts_xarray("coefficients", "coefficients", NO_ATTRIBUTES)
    def laplacian(self, coefficients: ArrayLike) -> np.ndarray:
        """Returns the coefficients of the Laplacian [1/m2] of fields."""
        return self._map_coefficients(self.core.laplacian, coefficients)

    @accepts_xarray("coefficients", "coefficients", NO_ATTRIBUTES)
    def inverse_laplacian(self, coefficients: ArrayLike) -> np.ndarray:
        """Returns the coefficients of the field of mean 0 that has this Laplacian. The mean F_00 of the given
        Laplacian is ignored."""
        return self._map_coefficients(self.core.inverse_laplacian, coefficients)

    def tune(self, n_fields: int, *, winds: bool = False, **lists: Any) -> dict[ExchangeSettings, float]:
        """Collective. Finds and applies the exchange settings (`exchange_settings`) with which round
        trips of `n_fields` fields, or of the winds of `n_fields` levels, are fastest. A search in three
        stages tries methods with algorithms; then the fastest of these with numbers of groups and kinds of
        progress; then the fastest of these with numbers of groups ahead. The time of settings is the shortest
        of several repetitions on the slowest rank; simpler settings are preferred if the gain is within the
        noise. All ranks choose the same settings.

        lists: candidates `groups`, `ahead`, `methods`, `algorithms` and `progress` (names, or a dictionary of
        `halcyon.comm.Progress` by name), and the number of `repetitions` of round trips (5), as in
        `halcyon.transform.tuning.fastest`.

        Returns a dictionary with the time [s] of each `halcyon.transform.ExchangeSettings` that was tried:
        first the selected settings, then the other settings, fastest first; empty for a single rank.
        Equivalent settings are not tried twice, such as more groups than fields; a progress thread is not
        tried unless MPI was initialized with MPI_THREAD_MULTIPLE."""
        tried = self._tune(self._round_trip(n_fields, winds), lists)
        self._must_tune = False
        return tried

    def hiding(self, n_fields: int, *, winds: bool = False) -> Hiding:
        """Collective. Measures how much of the exchange is hidden behind computation with the current
        settings, by round trips of `n_fields` fields, or of the winds of `n_fields` levels: five with
        blocking exchanges (one group, 0 ahead, no progress) and five with the current settings, each
        after a barrier of the V set. If no exchange can be in flight during computation, nothing is hidden.
        Returns a `halcyon.transform.Hiding`. Resets `statistics`.

        Raises ConfigError, on all ranks, for fewer than 1 field, and for a single rank, which exchanges
        nothing."""
        return self._hiding(self._round_trip(n_fields, winds))

    def schedule(self, direction: str, n_fields: int) -> Schedule:
        """Returns the schedule (`halcyon.schedule`) of the exchanges of a "synthesis" or "analysis" of
        `n_fields` fields.

        Raises ConfigError for a single rank, which exchanges nothing."""
        return self.core.schedule(direction, n_fields)

    def _collective_errors(self) -> AbstractContextManager[Callable[[str, Any], None]]:
        """Collective. Returns a context in which an error on one rank is raised on all ranks."""
        return collective_errors(self._comm)

    def _round_trip(self, n_fields: int, winds: bool) -> RoundTrip:
        """Returns a function that runs a synthesis and an analysis, and returns the times of each."""
        with self._collective_errors() as require_same:
            require_same("n_fields", at_least_one("n_fields", n_fields))
            require_same("winds", flag("winds", winds))
            if winds and not self.has_winds:
                raise ConfigError("This transform has no winds. Leave out winds=True.")
        to_grid, from_grid = self._test_round_trip(n_fields, 2 if winds else 1)

        def round_trip() -> tuple[Any, Any]:
            before = self.core.times
            to_grid()
            after_synthesis = self.core.times
            from_grid()
            return after_synthesis - before, self.core.times - after_synthesis

        return round_trip

    def _test_round_trip(
        self, n_fields: int, n_components: int
    ) -> tuple[Callable[[], None], Callable[[], None]]:
        """Returns a function that runs a synthesis of test data and one that runs an analysis: of scalar
        fields for one component, of winds for two."""
        random = np.random.default_rng(1)
        values = [random.normal(size=(n_fields, *self.shape)) for _ in range(n_components)]
        shape = (*self._local_fields((n_fields,)), self.n_coefficients)
        coefficients = [np.zeros(shape, np.complex128) for _ in values]
        functions = (self.core.synthesis, self.core.analysis)
        to_grid, from_grid = (
            functions if n_components == 1 else (self.core.winds, self.core.vorticity_divergence)
        )
        return lambda: to_grid(*coefficients, *values), lambda: from_grid(*values, *coefficients)

    def _to_values(
        self,
        function: Callable[..., None],
        coefficients: Mapping[str, ArrayLike],
        fields: int | Sequence[int] | None,
        out: Any,
        *,
        pair: bool = False,
    ) -> Any:
        """Collective. Calls a C++ function that computes values, one array or a pair, from `coefficients`,
        arrays by argument name. `fields` and `out` are arguments of the caller."""
        with self._collective_errors() as require_same:
            out = output_pair(out) if pair else (out,)
            pairs = zip(coefficients.items(), out, strict=False)  # a gradient has 1 argument and 2 results
            checked = [self._coefficients(array, name, fields, result) for (name, array), result in pairs]
            arrays, fields = same_leading_shape(coefficients, checked)
            values = [output_array(result, (*fields, *self.shape), np.float64) for result in out]
            require_separate_memory(values, arrays)
            require_same("fields", fields)
        return self._call(function, arrays, values, fields)

    def _to_coefficients(
        self, function: Callable[..., None], values: Mapping[str, ArrayLike], out: Any, *, pair: bool = False
    ) -> Any:
        """Collective. Calls a C++ function that computes coefficients from `values`, arrays by argument
        name."""
        with self._collective_errors() as require_same:
            arrays, fields = same_leading_shape(
                values, [self._values(array, name) for name, array in values.items()]
            )
            shape = (*self._local_fields(fields), self.n_coefficients)
            out = output_pair(out) if pair else (out,)
            coefficients = [output_array(result, shape, np.complex128) for result in out]
            require_separate_memory(coefficients, arrays)
            require_same("fields", fields)
        return self._call(function, arrays, coefficients, fields)

    def _call(
        self,
        function: Callable[..., None],
        arrays: Sequence[np.ndarray],
        results: Sequence[np.ndarray],
        fields: tuple[int, ...],
    ) -> Any:
        """Calls the function and returns the results. Runs `tune` before the first call after
        `groups="auto"`."""
        if self._must_tune and min(fields, default=1) > 0:
            self.tune(int(np.prod(fields)), winds=len(results) == 2)
        function(*arrays, *results)
        return tuple(results) if len(results) == 2 else results[0]

    def _values(self, array: ArrayLike, name: str) -> tuple[np.ndarray, tuple[int, ...]]:
        """Returns the checked array of values and its leading dimensions."""
        array = as_array(array, np.float64, name)
        n_dims = len(self.shape)
        if array.shape[-n_dims:] != self.shape:
            raise InputError(
                f"{name} has the shape {array.shape}. A field on this {self.domain} is {self.shape}: give "
                f"(..., {', '.join(map(str, self.shape))})."
            )
        return array, array.shape[:-n_dims]

    def _checked_coefficients(self, array: ArrayLike, name: str) -> np.ndarray:
        """Returns the checked array of coefficients."""
        array = as_array(array, np.complex128, name)
        if array.shape[-1:] != (self.n_coefficients,):
            raise InputError(
                f"{name} has the shape {array.shape}. {self.truncation_text} has {self.n_coefficients} "
                f"coefficients{'' if self.sets == (1, 1) else ' on this rank'}: give (..., coefficient)."
            )
        return array

    def _coefficients(
        self, array: ArrayLike, name: str, fields: int | Sequence[int] | None, out: np.ndarray | None
    ) -> tuple[np.ndarray, tuple[int, ...]]:
        """Returns the checked array of coefficients, and the leading dimensions of the fields of all V
        sets."""
        array = self._checked_coefficients(array, name)
        fields = self._all_fields(array.shape[:-1], fields, out)
        if self._local_fields(fields) != array.shape[:-1]:
            raise InputError(
                f"{name} has the shape {array.shape}. For fields {fields} this rank has "
                f"{self._local_fields(fields)}: give {(*self._local_fields(fields), self.n_coefficients)}."
            )
        return array, fields

    def _map_coefficients(self, function: Callable[..., None], coefficients: ArrayLike) -> np.ndarray:
        """Calls a C++ function that maps coefficients to the same number of coefficients."""
        coefficients = self._checked_coefficients(coefficients, "coefficients")
        results = np.empty_like(coefficients)
        function(coefficients, results)
        return results

    def _all_fields(
        self, local: tuple[int, ...], fields: int | Sequence[int] | None, out: np.ndarray | None
    ) -> tuple[int, ...]:
        """Returns the leading dimensions of all values: `fields` or, if None, those of `out` or `local`, the
        leading dimensions of the coefficients of this rank."""
        if fields is not None:
            given: Any = fields if np.ndim(fields) else [fields]
            dimensions = tuple(integer("fields", n) for n in given)
            if any(n < 0 for n in dimensions):
                raise ConfigError(f"fields are {fields}. Give 0 or more.")
            return dimensions
        if self.splits_fields and isinstance(out, np.ndarray):
            return out.shape[: out.ndim - len(self.shape)]
        if self._divides_fields:
            raise InputError("V sets share the fields. Give `fields`, the leading dimensions of all values.")
        return local

    def _local_fields(self, fields: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the leading dimensions of the coefficients that this rank has of fields."""
        if not self._divides_fields:
            return fields
        local = self.share.fields(int(np.prod(fields)))
        return (local.stop - local.start,)

    @property
    def _divides_fields(self) -> bool:
        """Whether this rank has the coefficients of some of the fields only."""
        return self.splits_fields and self.sets[0] > 1


def output_pair(out: Any) -> Sequence[np.ndarray | None]:
    """Returns the output arrays of two results. Raises InputError unless there are two."""
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        length = f" of {len(out)}" if isinstance(out, (tuple, list)) else ""
        raise InputError(f"out is a {type(out).__name__}{length}. Give two arrays, or None for new arrays.")
    return out


def same_leading_shape(
    names: Iterable[str], checked: Iterable[tuple[np.ndarray, tuple[int, ...]]]
) -> tuple[tuple[np.ndarray, ...], tuple[int, ...]]:
    """Returns the arrays, and their leading dimensions, of pairs (array, leading dimensions). Raises
    InputError, with the names of the arrays, if leading dimensions differ."""
    arrays, fields = zip(*checked, strict=True)
    if len(set(fields)) > 1:
        (name, other), (shape, other_shape) = names, fields
        raise InputError(f"{name} has fields {shape}, and {other} {other_shape}. Give as many of both.")
    return arrays, fields[0]
