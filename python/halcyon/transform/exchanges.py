"""How ranks that share a transform exchange."""

from contextlib import nullcontext

import numpy as np

from halcyon.base import ConfigError
from halcyon.transform.tuning import GROUPS, METHODS, PROGRESS, tuned

__all__ = ["Exchanges", "ranks_of", "together"]


def together(comm):
    """`halcyon.comm.together` of ranks; for one that is alone nothing."""
    if comm is None:
        return nullcontext(lambda name, value: None)
    from halcyon.comm import together

    return together(comm)


def ranks_of(comm, sets, **options):
    """Collective. V x W sets, (1, ranks) where none are given, and what the core is told of ranks: nothing
    for one that is alone. Raises ConfigError, on all ranks, where sets or other options differ between
    them."""
    if comm is None:
        if sets not in (None, (1, 1)):
            raise ConfigError(f"sets of {sets} ranks were given without them. Give comm, too.")
        return (1, 1), ()
    from halcyon.comm import communicator

    sets = tuple(sets) if sets else (1, comm.size)
    with together(comm) as same:
        for name, value in {"sets": sets, **options}.items():
            same(name, value)
    return sets, (communicator(comm), sets)


class Exchanges:
    """Of a transform of one rank or of many, whose `core` does the work."""

    def _exchange_by(self, comm, algorithm, method, progress, groups, ahead):
        with together(comm) as same:
            if isinstance(groups, str) and groups != "auto":
                raise ConfigError(f"groups is '{groups}'. Give a number from 1 on, or auto.")
            given = {"algorithm": algorithm, "method": method, "groups": groups, "ahead": ahead}
            for name, value in given.items():
                same(name, value)
        self._comm = comm
        self._untuned = groups == "auto"
        if comm is None:
            return
        from halcyon.comm import Progress

        if isinstance(progress, str):
            progress = Progress(comm, progress)
        self.algorithm = algorithm
        self.core.communicate(algorithm, method, progress._core, 1 if self._untuned else groups, ahead)

    @property
    def statistics(self):
        """What the exchanges have cost and moved on this rank so far (`halcyon.comm`)."""
        return self.core.statistics

    def tune(self, n_fields, *, groups=GROUPS, methods=METHODS, progress=PROGRESS, repetitions=5):
        """Collective. From now on ranks exchange as is fastest here, for so many fields: each of these
        numbers of groups, methods and progresses is tried by so many round trips. The slowest rank counts,
        and of its times the best; all choose the same.

        Returns what was tried, a dictionary (groups, method, progress) to seconds, from the fastest on; none
        where one rank exchanges nothing. A thread is left out where MPI was started with less than
        MPI_THREAD_MULTIPLE."""
        self._untuned = False
        return tuned(self, n_fields, groups, methods, progress, repetitions)

    def _together(self):
        """Collective. Mistakes in what a call is given, on all ranks; see `halcyon.comm.together`."""
        return together(self._comm)

    def _tune_first(self, fields):
        """Collective. Where that was left to the first call, by the leading dimensions of its fields."""
        if self._untuned and min(fields, default=1) > 0:
            self.tune(int(np.prod(fields)))

    def schedule(self, way, n_fields):
        """What "synthesis" or "analysis" of so many fields exchange, as a schedule (`halcyon.schedule`).

        Raises ConfigError for one rank, which exchanges nothing."""
        return self.core.schedule(way, n_fields)
