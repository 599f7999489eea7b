"""Which exchange is fastest for a transform that ranks share."""

import time
from collections.abc import Mapping

import numpy as np

from halcyon.base import ConfigError

__all__ = ["GROUPS", "METHODS", "PROGRESS", "able", "fastest", "made", "tuned"]

GROUPS = (1, 2, 3, 4)
METHODS = ("isend_irecv", "ialltoallv", "alltoallv")
PROGRESS = ("none", "poll", "thread")


def tuned(transform, n_fields, groups, methods, progress, repetitions):
    """Collective. Leaves the transform with the fastest, and returns all, the fastest first."""
    if min(n_fields, repetitions, *groups) < 1:
        raise ConfigError(
            f"{repetitions} round trips of {n_fields} fields in {', '.join(map(str, groups))} groups. Give 1 "
            "or more of each."
        )
    values = np.random.default_rng(1).normal(size=(n_fields, *transform.shape))

    def round_trip():
        transform.synthesis(transform.analysis(values), out=values)

    def communicate(n_groups, method, by):
        transform.core.communicate(transform.algorithm, method, by._core, n_groups, 1)

    return fastest(transform._comm, round_trip, communicate, groups, methods, progress, repetitions)


def fastest(comm, work, communicate, groups, methods, progress, repetitions):
    """Collective. Leaves what `communicate`(groups, method, `halcyon.comm.Progress`) says at that by which
    `work`() is fastest, and returns all that was tried, by (groups, method, progress) in seconds, the fastest
    first; nothing is tried where one rank exchanges nothing. `progress` by name, or names of which those are
    made that this MPI can have."""
    if comm is None or comm.size == 1:
        return {}
    by = progress if isinstance(progress, Mapping) else made(comm, able(progress))
    best = {}
    for n_groups, method, name in choices(groups, methods, by):
        communicate(n_groups, method, by[name])
        mine = min(seconds(comm, work) for _ in range(repetitions + 1))
        best[n_groups, method, name] = comm.allreduce(mine, max)
    best = dict(sorted(best.items(), key=lambda item: item[1]))
    n_groups, method, name = next(iter(best))
    communicate(n_groups, method, by[name])
    return best


def able(names):
    """Those that this MPI can have."""
    from halcyon.comm import thread_level

    return [name for name in names if name != "thread" or thread_level() == "MPI_THREAD_MULTIPLE"]


def made(comm, names, core="auto"):
    """By name; `core` of a thread."""
    from halcyon.comm import Progress

    return {name: Progress(comm, name, core=core) for name in names}


def choices(groups, methods, by):
    """Without those that are others in disguise: where nothing is under way, nobody moves it."""
    for n in groups:
        for method in methods:
            for name in by:
                if name == "none" or (n > 1 and method != "alltoallv") or "none" not in by:
                    yield n, method, name


def seconds(comm, work):
    comm.Barrier()
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
