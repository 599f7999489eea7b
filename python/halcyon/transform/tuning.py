"""Which exchange is fastest for a transform that ranks share."""

import time
from collections.abc import Mapping
from contextlib import nullcontext

import numpy as np

from halcyon._core import comm as comm_core
from halcyon.base import ConfigError
from halcyon.options import name_in, sequence, whole

__all__ = ["GROUPS", "METHODS", "PROGRESS", "able", "fastest", "made", "together", "tuned"]

GROUPS = (1, 2, 3, 4)
METHODS = ("isend_irecv", "ialltoallv", "alltoallv")
PROGRESS = ("none", "poll", "thread")


def together(comm):
    """`halcyon.comm.together` of ranks; for one that is alone nothing."""
    if comm is None:
        return nullcontext(lambda name, value: None)
    from halcyon.comm import together

    return together(comm)


def tuned(transform, n_fields, groups, methods, progress, repetitions):
    """Collective. Leaves the transform with the fastest, and returns all, the fastest first."""
    with together(transform._comm) as same:
        same("n_fields", at_least_one("n_fields", n_fields))
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
    made that this MPI can have. Raises ConfigError, on all ranks, for what cannot be or differs."""
    with together(comm) as same:
        same("groups", sequence("groups", groups, at_least_one))
        same("methods", sequence("methods", methods, lambda *given: name_in(*given, comm_core.methods())))
        same("repetitions", at_least_one("repetitions", repetitions))
        if not isinstance(progress, Mapping):
            same("progress", sequence("progress", progress, lambda *given: name_in(*given, PROGRESS)))
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


def at_least_one(name, given):
    """A whole number from 1 on."""
    if whole(name, given) < 1:
        raise ConfigError(f"{name} is {given}. Give 1 or more.")
    return given


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
