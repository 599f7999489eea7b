"""How ranks that share a transform exchange."""

import numpy as np

from halcyon.base import ConfigError
from halcyon.options import name_in, pair, text, whole
from halcyon.transform.hiding import Taken, weighed
from halcyon.transform.tuning import (
    AHEAD,
    ALGORITHMS,
    GROUPS,
    METHODS,
    PROGRESS,
    Choice,
    algorithm_named,
    at_least_one,
    fastest,
    together,
)

__all__ = ["Exchanges", "communicate", "progress_of", "ranks_of", "sets_of"]


def sets_of(comm, sets):
    """V x W sets, (1, ranks) where none are given. Raises ConfigError where that cannot be."""
    if comm is None and sets not in (None, (1, 1)):
        raise ConfigError(f"sets of {sets} ranks were given without them. Give comm, too.")
    return (1, 1 if comm is None else comm.size) if sets is None else pair("sets", sets, "(V, W)")


def ranks_of(comm, sets):
    """Collective the first time. What the core is told of ranks: nothing for one that is alone."""
    if comm is None:
        return ()
    from halcyon.comm import communicator

    return communicator(comm), sets


def progress_of(comm, given):
    """Collective. A `halcyon.comm.Progress`, of which the name may be given; None for a rank that is
    alone."""
    if comm is None:
        return None
    from halcyon.comm import Progress

    return Progress(comm, given) if isinstance(given, str) else given


def communicate(comm, core, *, groups, ahead, method, algorithm, progress):
    """Collective. From now on the ranks of a core exchange so; one that is alone checks what it is given.
    Returns the choice and the progress. Raises ConfigError, on all ranks, for what cannot be or differs
    between them."""
    how = {"algorithm": algorithm, "method": method, "groups": groups, "ahead": ahead}
    with together(comm) as same:
        for name, value in how.items():
            same(name, (text if name in ("algorithm", "method") else whole)(name, value))
        by = progress.by if hasattr(progress, "_core") else name_in("progress", progress, PROGRESS)
        same("progress", by)
    progress = progress_of(comm, progress)
    core.communicate(algorithm, method, None if progress is None else progress._core, groups, ahead)
    return Choice(groups, ahead, method, algorithm_named("algorithm", algorithm), by), progress


class Exchanges:
    """Of a transform of one rank or of many, whose `core` does the work."""

    def _exchange_by(self, comm, algorithm, method, progress, groups, ahead):
        with together(comm) as same:
            if isinstance(groups, str) and groups != "auto":
                raise ConfigError(f"groups is '{groups}'. Give a number from 1 on, or auto.")
            same("groups", groups if groups == "auto" else whole("groups", groups))
        self._comm, self._tried = comm, {}
        self._untuned = groups == "auto"
        how = {"ahead": ahead, "method": method, "algorithm": algorithm, "progress": progress}
        self._communicate(groups=1 if self._untuned else groups, **how)

    def _communicate(self, **how):
        self._how, self._progress = communicate(self._comm, self.core, **how)

    def _take(self, choice, progress):
        self._communicate(**choice._asdict() | {"progress": progress})
        self._how = choice

    @property
    def how(self):
        """How ranks exchange now, as it was given or `tune` chose: groups, ahead, method, algorithm and
        progress, a `halcyon.transform.Choice`."""
        return self._how

    @property
    def tried(self):
        """What the last `tune` returned, also that of `groups="auto"`; {} before."""
        return self._tried

    @property
    def statistics(self):
        """What the exchanges have cost and moved on this rank so far (`halcyon.comm`)."""
        return self.core.statistics

    def tune(
        self,
        n_fields,
        *,
        groups=GROUPS,
        ahead=AHEAD,
        methods=METHODS,
        algorithms=ALGORITHMS,
        progress=PROGRESS,
        repetitions=5,
    ):
        """Collective. From now on ranks exchange as is fastest here (`how`), for round trips of so many
        fields. Of all that may be chosen a search in three stages tries what looks well: methods by
        algorithms, the best of these by groups and progress, the best of these by groups ahead, each by so
        many round trips. The slowest rank counts, and of its times the best; what is simpler is preferred
        where the gain is within the noise. All choose the same. `progress`: names, or
        `halcyon.comm.Progress` by name.

        Returns what was tried, a dictionary of `halcyon.transform.Choice` to seconds, first what was chosen,
        then the others from the fastest on; none where one rank exchanges nothing. A thread is left out where
        MPI was started with less than MPI_THREAD_MULTIPLE."""
        with together(self._comm) as same:
            same("n_fields", at_least_one("n_fields", n_fields))
        given = {"groups": groups, "ahead": ahead, "methods": methods, "algorithms": algorithms}
        given |= {"progress": progress, "repetitions": repetitions}
        work = self._round_trip(n_fields)
        untuned, self._untuned = self._untuned, False
        try:
            self._tried = fastest(self._comm, self.sets, work, self._take, **given)
        except ConfigError:
            self._untuned = untuned
            raise
        return self._tried

    def hiding(self, n_fields):
        """Collective. How much of the exchange hides behind the work as ranks exchange now, by round trips of
        so many fields: five in one group without progress and five as ranks exchange, from a barrier of the V
        set on; where these are the same, nothing hides. A `halcyon.transform.Hiding`: times of work, of both,
        the hidden share by wall clock, the paper's CHR, the ceiling of both, the efficiency. `statistics`
        begin anew.

        Raises ConfigError, on all ranks, for less than 1 field, and for one rank, which exchanges nothing."""
        with together(self._comm) as same:
            same("n_fields", at_least_one("n_fields", n_fields))
            if self.sets == (1, 1):
                raise ConfigError("One rank exchanges nothing that could hide. Give more.")
        now, progress = self.how, self._progress

        def take(choice):
            self._take(choice, progress if choice == now else choice.progress)

        return weighed(self._comm, self.sets, now, take, self._rehearsal(n_fields), self._sent())

    def _together(self):
        """Collective. Mistakes in what a call is given, on all ranks; see `halcyon.comm.together`."""
        return together(self._comm)

    def _tune_first(self, fields):
        """Collective. Where that was left to the first call, by the leading dimensions of its fields."""
        if self._untuned and min(fields, default=1) > 0:
            self.tune(int(np.prod(fields)))

    def _arrays(self, n_fields):
        """Values, and room for their coefficients."""
        values = np.random.default_rng(1).normal(size=(n_fields, *self.shape))
        return values, np.zeros((*self._held((n_fields,)), self.n_coefficients), np.complex128)

    def _round_trip(self, n_fields):
        values, coefficients = self._arrays(n_fields)

        def work():
            self.core.analysis(values, coefficients)
            self.core.synthesis(coefficients, values)

        return work

    def _rehearsal(self, n_fields):
        values, coefficients = self._arrays(n_fields)

        def rehearse():
            before = self._taken()
            self.core.synthesis(coefficients, values)
            between = self._taken()
            self.core.analysis(values, coefficients)
            return between.since(before), self._taken().since(between)

        return rehearse

    def _taken(self):
        exchanged = self.core.statistics
        return Taken(*self._worked_s(), exchanged.total_s, exchanged.sent_bytes)

    def schedule(self, way, n_fields):
        """What "synthesis" or "analysis" of so many fields exchange, as a schedule (`halcyon.schedule`).

        Raises ConfigError for one rank, which exchanges nothing."""
        return self.core.schedule(way, n_fields)
