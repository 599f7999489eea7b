"""How ranks that share a transform exchange, tuned and weighed by round trips."""

import numpy as np

from halcyon.base import ConfigError
from halcyon.options import flag, whole
from halcyon.transform.exchanges import Exchanges
from halcyon.transform.tuning import at_least_one, together

__all__ = ["RoundTrips"]


class RoundTrips(Exchanges):
    """Of a transform of one rank or of many."""

    has_winds = False

    def _exchange_by(self, groups, **how):
        with together(self._comm) as same:
            if isinstance(groups, str) and groups != "auto":
                raise ConfigError(f"groups is '{groups}'. Give a number from 1 on, or auto.")
            same("groups", groups if groups == "auto" else whole("groups", groups))
        self.communicate(groups=1 if groups == "auto" else groups, **how)
        self._untuned = groups == "auto"

    @property
    def statistics(self):
        """What the exchanges have cost and moved on this rank (`halcyon.comm`) since ranks exchange so."""
        return self.core.statistics

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

    def _together(self):
        """Collective. Mistakes in what a call is given, on all ranks; see `halcyon.comm.together`."""
        return together(self._comm)

    def _tune_first(self, fields, *, winds=False):
        """Collective. Where that was left to the first call, by the leading dimensions of its fields."""
        if self._untuned and min(fields, default=1) > 0:
            self.tune(int(np.prod(fields)), winds=winds)

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

    def schedule(self, way, n_fields):
        """What "synthesis" or "analysis" of so many fields exchange, as a schedule (`halcyon.schedule`).

        Raises ConfigError for one rank, which exchanges nothing."""
        return self.core.schedule(way, n_fields)
