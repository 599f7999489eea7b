"""How ranks that share a transform exchange."""

import numpy as np

from halcyon.base import ConfigError
from halcyon.options import name_in, pair, text, whole
from halcyon.transform.tuning import GROUPS, METHODS, PROGRESS, together, tuned

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
    """Collective. What the core is told of a progress by name, or a `halcyon.comm.Progress`; None for a rank
    that is alone."""
    if comm is None:
        return None
    from halcyon.comm import Progress

    return (Progress(comm, given) if isinstance(given, str) else given)._core


def communicate(comm, core, *, groups, ahead, method, algorithm, progress):
    """Collective. From now on the ranks of a core exchange so; one that is alone checks what it is given.
    Raises ConfigError, on all ranks, for what cannot be or differs between them."""
    how = {"algorithm": algorithm, "method": method, "groups": groups, "ahead": ahead}
    with together(comm) as same:
        for name, value in how.items():
            same(name, (text if name in ("algorithm", "method") else whole)(name, value))
        if not hasattr(progress, "_core"):
            same("progress", name_in("progress", progress, PROGRESS))
    core.communicate(algorithm, method, progress_of(comm, progress), groups, ahead)


class Exchanges:
    """Of a transform of one rank or of many, whose `core` does the work."""

    def _exchange_by(self, comm, algorithm, method, progress, groups, ahead):
        with together(comm) as same:
            if isinstance(groups, str) and groups != "auto":
                raise ConfigError(f"groups is '{groups}'. Give a number from 1 on, or auto.")
            same("groups", groups if groups == "auto" else whole("groups", groups))
        self._comm, self.algorithm = comm, algorithm
        self._untuned = groups == "auto"
        how = {"ahead": ahead, "method": method, "algorithm": algorithm, "progress": progress}
        communicate(comm, self.core, groups=1 if self._untuned else groups, **how)

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
