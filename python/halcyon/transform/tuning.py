"""Which exchange is fastest for a transform that ranks share."""

import time

import numpy as np

from halcyon.base import ConfigError

__all__ = ["GROUPS", "METHODS", "PROGRESS", "tuned"]

GROUPS = (1, 2, 3, 4)
METHODS = ("isend_irecv", "ialltoallv", "alltoallv")
PROGRESS = ("none", "poll", "thread")


def tuned(transform, n_fields, groups, methods, progress, repetitions):
    """Collective. Leaves the transform with the fastest, and returns all, the fastest first."""
    comm = transform._comm
    if min(n_fields, repetitions, *groups) < 1:
        raise ConfigError(
            f"{repetitions} round trips of {n_fields} fields in {', '.join(map(str, groups))} groups. Give 1 "
            "or more of each."
        )
    if comm is None or comm.size == 1:
        return {}
    by = made(comm, progress)
    values = np.random.default_rng(1).normal(size=(n_fields, *transform.shape))
    best = {}
    for choice in choices(groups, methods, by):
        communicate(transform, choice, by)
        mine = min(round_trip_s(transform, values) for _ in range(repetitions + 1))
        best[choice] = comm.allreduce(mine, max)
    best = dict(sorted(best.items(), key=lambda item: item[1]))
    communicate(transform, next(iter(best)), by)
    return best


def made(comm, names):
    """By name, those that this MPI can have."""
    from halcyon.comm import Progress, thread_level

    able = thread_level() == "MPI_THREAD_MULTIPLE"
    return {name: Progress(comm, name) for name in names if able or name != "thread"}


def choices(groups, methods, by):
    """Without those that are others in disguise: where nothing is under way, nobody moves it."""
    for n in groups:
        for method in methods:
            for name in by:
                if name == "none" or (n > 1 and method != "alltoallv") or "none" not in by:
                    yield n, method, name


def communicate(transform, choice, by):
    groups, method, name = choice
    transform.core.communicate(transform.algorithm, method, by[name]._core, groups, 1)


def round_trip_s(transform, values):
    transform._comm.Barrier()
    begin = time.perf_counter()
    transform.synthesis(transform.analysis(values), out=values)
    return time.perf_counter() - begin
