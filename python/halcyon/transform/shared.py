"""What transforms on the sphere and on a plane have in common: arrays, round trips, how ranks exchange."""

import numpy as np

from halcyon.base import ConfigError, InputError
from halcyon.options import flag, whole
from halcyon.transform.arrays import apart, numbers, output
from halcyon.transform.exchanges import Exchanges, of_core, ranks_of, sets_of
from halcyon.transform.labels import labelled
from halcyon.transform.tuning import at_least_one, together

__all__ = ["SharedTransform"]


class SharedTransform(Exchanges):
    """A transform of one rank or of many, with `core`, `grid`, `share` and `sets`. `place` is what its values
    lie on, in a word; `truncated` what its coefficients are of."""

    place: str
    has_winds = False
    splits_fields = False  # V sets share fields, not coefficients of all of them

    def _make(self, made_by, *given, share, comm, sets, groups=1, **how):
        """Collective. The core's transform, what of it this rank holds, and how ranks exchange."""
        sets = sets_of(comm, sets)
        self._share(comm, sets, made_by(*ranks_of(comm, sets), *given))
        with self._together() as same:
            if isinstance(groups, str) and groups != "auto":
                raise ConfigError(f"groups is '{groups}'. Give a number from 1 on, or auto.")
            same("groups", groups if groups == "auto" else whole("groups", groups))
        self.communicate(groups=1 if groups == "auto" else groups, **how)
        self._untuned = groups == "auto"
        self.share = share(self, comm)
        self.n_coefficients = self.share.n_coefficients
        self.shape = self.grid.shape if comm is None else (self.core.n_points,)

    @property
    def value_coordinates(self):
        """Coordinates of the values, by name: latitudes and longitudes [degrees], or y and x [m]."""
        places = self.grid if self._comm is None else self.share
        return {name: getattr(places, name) for name in self.share.coordinates}

    statistics = of_core(
        "statistics",
        "What the exchanges have cost and moved on this rank (`halcyon.comm`) since ranks exchange so.",
    )

    @labelled("coefficients", "values")
    def synthesis(self, coefficients, *, fields=None, out=None):
        """Values (..., *shape) of fields."""
        return self._to_values(self.core.synthesis, {"coefficients": coefficients}, fields, out)

    @labelled("values", "coefficients")
    def analysis(self, values, *, out=None):
        """Coefficients (..., coefficient) of fields: exact for what the truncation holds."""
        return self._to_coefficients(self.core.analysis, {"values": values}, out)

    @labelled("coefficients", "coefficients", {})
    def laplacian(self, coefficients):
        """Coefficients of the Laplacian [1/m2] of fields."""
        return self._of_coefficients(self.core.laplacian, coefficients)

    @labelled("coefficients", "coefficients", {})
    def inverse_laplacian(self, coefficients):
        """Coefficients of the field of mean 0 that has this Laplacian; its mean, X_00, is taken as 0."""
        return self._of_coefficients(self.core.inverse_laplacian, coefficients)

    def tune(self, n_fields, *, winds=False, **lists):
        """Collective. From now on ranks exchange as is fastest here (`how`), for round trips of so many
        fields, or of the winds of so many. Of all that may be chosen a search in three stages tries what
        looks well: methods by algorithms, the best of these by groups and progress, the best of these by
        groups ahead, each by so many round trips. The slowest rank counts, and of its times the best; what is
        simpler is preferred where the gain is within the noise. All choose the same.

        lists: `groups`, `ahead`, `methods`, `algorithms` and `progress` to choose among, and `repetitions` of
        round trips (5), as `halcyon.transform.tuning.fastest` has them; progress are names, or
        `halcyon.comm.Progress` by name.

        Returns what was tried, a dictionary of `halcyon.transform.Choice` to seconds, first what was chosen,
        then the others from the fastest on; none where one rank exchanges nothing. What would be another
        choice in disguise is not tried, such as more groups than there are fields, nor is a thread where MPI
        was started with less than MPI_THREAD_MULTIPLE."""
        found = self._tune(self._rehearsal(n_fields, winds), lists)
        self._untuned = False
        return found

    def hiding(self, n_fields, *, winds=False):
        """Collective. How much of the exchange hides behind the work as ranks exchange now, by round trips of
        so many fields, or of the winds of so many: five by which ranks block, in one group with none ahead
        and without progress, and five as ranks exchange, from a barrier of the V set on; where nothing can be
        under way, nothing hides. A `halcyon.transform.Hiding`: times of work, of both, the hidden share by
        wall clock, the paper's CHR, the ceiling of both, the efficiency. `statistics` begin anew.

        Raises ConfigError, on all ranks, for less than 1 field, and for one rank, which exchanges nothing."""
        return self._hiding(self._rehearsal(n_fields, winds))

    def schedule(self, way, n_fields):
        """What "synthesis" or "analysis" of so many fields exchange, as a schedule (`halcyon.schedule`).

        Raises ConfigError for one rank, which exchanges nothing."""
        return self.core.schedule(way, n_fields)

    def _together(self):
        """Collective. Mistakes in what a call is given, on all ranks; see `halcyon.comm.together`."""
        return together(self._comm)

    def _rehearsal(self, n_fields, winds):
        """Does a round trip, and tells what either way took."""
        with self._together() as same:
            same("n_fields", at_least_one("n_fields", n_fields))
            same("winds", flag("winds", winds))
            if winds and not self.has_winds:
                raise ConfigError("This transform has no winds. Leave them out.")
        there, back = self._ways(n_fields, 2 if winds else 1)

        def rehearse():
            before = self.core.times
            there()
            between = self.core.times
            back()
            return between - before, self.core.times - between

        return rehearse

    def _ways(self, n_fields, n_components):
        """A synthesis and an analysis of some numbers: of winds where there are two components."""
        random = np.random.default_rng(1)
        values = [random.normal(size=(n_fields, *self.shape)) for _ in range(n_components)]
        held = (*self._held((n_fields,)), self.n_coefficients)
        coefficients = [np.zeros(held, np.complex128) for _ in values]
        ways = (self.core.synthesis, self.core.analysis)
        there, back = ways if n_components == 1 else (self.core.winds, self.core.vorticity_divergence)
        return lambda: there(*coefficients, *values), lambda: back(*values, *coefficients)

    def _to_values(self, function, given, fields, out, *, pair=False):
        """Collective. Values that a function of the core makes of coefficients by name: one, or a pair."""
        with self._together() as same:
            out = two(out) if pair else (out,)
            pairs = zip(given.items(), out, strict=False)
            taken = [self._coefficients(array, name, fields, to) for (name, array), to in pairs]
            arrays, fields = alike(given, taken)
            values = [output(to, (*fields, *self.shape), np.float64) for to in out]
            apart(values, arrays)
            same("fields", fields)
        return self._called(function, arrays, values, fields)

    def _to_coefficients(self, function, given, out, *, pair=False):
        """Collective. Coefficients that a function of the core makes of values by name."""
        with self._together() as same:
            arrays, fields = alike(given, [self._values(array, name) for name, array in given.items()])
            shape = (*self._held(fields), self.n_coefficients)
            out = two(out) if pair else (out,)
            coefficients = [output(to, shape, np.complex128) for to in out]
            apart(coefficients, arrays)
            same("fields", fields)
        return self._called(function, arrays, coefficients, fields)

    def _called(self, function, arrays, results, fields):
        """The results; before, `tune` where that was left to the first call of fields."""
        if self._untuned and min(fields, default=1) > 0:
            self.tune(int(np.prod(fields)), winds=len(results) == 2)
        function(*arrays, *results)
        return tuple(results) if len(results) == 2 else results[0]

    def _values(self, given, name):
        """The array, and the leading dimensions of its fields."""
        found = numbers(given, np.float64, name)
        rank = len(self.shape)
        if found.shape[-rank:] != self.shape:
            raise InputError(
                f"{name} has the shape {found.shape}. A field on this {self.place} is {self.shape}: give "
                f"(..., {', '.join(map(str, self.shape))})."
            )
        return found, found.shape[:-rank]

    def _whole_coefficients(self, given, name):
        """The array of one coefficient each."""
        found = numbers(given, np.complex128, name)
        if found.shape[-1:] != (self.n_coefficients,):
            raise InputError(
                f"{name} has the shape {found.shape}. {self.truncated} has {self.n_coefficients} "
                f"coefficients{'' if self.sets == (1, 1) else ' on this rank'}: give (..., coefficient)."
            )
        return found

    def _coefficients(self, given, name, fields, out):
        """The array, and the leading dimensions of all fields."""
        found = self._whole_coefficients(given, name)
        fields = self._all_fields(found.shape[:-1], fields, out)
        if self._held(fields) != found.shape[:-1]:
            raise InputError(
                f"{name} has the shape {found.shape}. Of fields {fields} this rank has "
                f"{self._held(fields)}: give {(*self._held(fields), self.n_coefficients)}."
            )
        return found, fields

    def _of_coefficients(self, function, coefficients):
        """What a function of the core makes of coefficients, of each as many."""
        coefficients = self._whole_coefficients(coefficients, "coefficients")
        found = np.empty_like(coefficients)
        function(coefficients, found)
        return found

    def _all_fields(self, held, fields, out):
        if fields is not None:
            found = tuple(whole("fields", n) for n in (fields if np.ndim(fields) else [fields]))
            if any(n < 0 for n in found):
                raise ConfigError(f"fields are {fields}. Give 0 or more.")
            return found
        if self.splits_fields and isinstance(out, np.ndarray):
            return out.shape[: out.ndim - len(self.shape)]
        if self._splits:
            raise InputError("V sets share the fields. Give `fields`, the leading dimensions of all values.")
        return held

    def _held(self, fields):
        """Leading dimensions of the coefficients that this rank has of all fields."""
        if not self._splits:
            return fields
        mine = self.share.fields(int(np.prod(fields)))
        return (mine.stop - mine.start,)

    @property
    def _splits(self):
        return self.splits_fields and self.sets[0] > 1


def two(out):
    """What is given for two results."""
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        many = f" of {len(out)}" if isinstance(out, (tuple, list)) else ""
        raise InputError(
            f"out is a {type(out).__name__}{many}. Give two arrays, or None for those that are to be new."
        )
    return out


def alike(names, taken):
    """Arrays by name that were taken with their fields, and these, of which all must have as many."""
    arrays, fields = zip(*taken, strict=True)
    if len(set(fields)) > 1:
        (name, other), (mine, others) = names, fields
        raise InputError(f"{name} has fields {mine}, and {other} {others}. Give as many of both.")
    return arrays, fields[0]
