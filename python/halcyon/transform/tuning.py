"""Search for the fastest exchange settings of work that ranks share, implemented in C++."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from halcyon._core import comm as comm_core
from halcyon._core import transform as core
from halcyon.base import ConfigError
from halcyon.options import instance, integer, one_of, sequence, text

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress

__all__ = [
    "AHEAD",
    "ALGORITHMS",
    "GROUPS",
    "LISTS",
    "METHODS",
    "PROGRESS",
    "ExchangeSettings",
    "GroupLimits",
    "available_progress",
    "collective_errors",
    "fastest",
    "make_progress",
]

# Default candidates of `fastest` for each member of `ExchangeSettings`, the simplest first.
LISTS: dict[str, tuple] = core.choices()
GROUPS, AHEAD, METHODS, ALGORITHMS, PROGRESS = (
    LISTS[name] for name in ("groups", "ahead", "methods", "algorithms", "progress")
)


class ExchangeSettings(NamedTuple):
    """How ranks exchange: number of groups that fields are divided into, number of groups in flight while
    one is computed (0: exchanges block), exchange method, all-to-all algorithm, and progress by name."""

    groups: int = 1
    ahead: int = 1
    method: str = "isend_irecv"
    algorithm: str = "burst"
    progress: str = "none"

    def __str__(self) -> str:
        """`3 groups, 2 ahead, isend_irecv, burst, poll`; `1 ahead` is omitted."""
        groups = "1 group" if self.groups == 1 else f"{self.groups} groups"
        ahead = [] if self.ahead == 1 else [f"{self.ahead} ahead"]
        return ", ".join([groups, *ahead, self.method, self.algorithm, self.progress])


class GroupLimits(NamedTuple):
    """Maximum number of groups per component, and number of components, over the calls of some work."""

    groups: int
    components: int = 1


def collective_errors(comm):
    """`halcyon.comm.collective_errors` of the ranks; does nothing for a single rank."""
    if comm is None:
        return nullcontext(lambda name, value: None)
    from halcyon.comm import collective_errors

    return collective_errors(comm)


def fastest(
    comm: MPI.Comm | None,
    sets: tuple[int, int],
    work: Callable[[], Any],
    set_exchange: Callable[[ExchangeSettings, Progress], Any],
    limits: GroupLimits,
    *,
    groups: Sequence[int] = GROUPS,
    ahead: Sequence[int] = AHEAD,
    methods: Sequence[str] = METHODS,
    algorithms: Sequence[str] = ALGORITHMS,
    progress: Sequence[str] | Mapping[str, Progress] = PROGRESS,
    repetitions: int = 5,
) -> dict[ExchangeSettings, float]:
    """Collective. Finds the settings with which `work`() is fastest, applies them by
    `set_exchange`(settings, progress), and returns all settings that were tried with their times [s]:
    first the selected ones, then the others, fastest first; empty for a single rank.
    `cpp/halcyon/transform/share/tuning.hpp` describes the search.

    @param sets (V, W) of the ranks
    @param limits limits of the groups that follow from the work
    @param progress objects by name, or names (the kinds that this MPI supports are created)

    Raises ConfigError, on all ranks, for invalid values and values that differ between ranks."""
    with collective_errors(comm) as same:
        same("groups", groups := sequence("groups", groups, at_least_one))
        same("ahead", ahead := sequence("ahead", ahead, at_least_zero))
        same("methods", sequence("methods", methods, lambda *given: one_of(*given, comm_core.methods())))
        same("algorithms", sequence("algorithms", algorithms, algorithm_named))
        same("repetitions", at_least_one("repetitions", repetitions))
        if isinstance(progress, Mapping):
            from halcyon.comm import Progress

            same("progress", sequence("progress", list(progress), text))
            for name, each in progress.items():
                instance(f"progress[{name!r}]", each, Progress)
        else:
            same("progress", sequence("progress", progress, lambda *given: one_of(*given, PROGRESS)))
    if comm is None or comm.size == 1:
        return {}
    from halcyon.comm import communicator

    by = progress if isinstance(progress, Mapping) else make_progress(comm, available_progress(progress))
    if not by:
        raise ConfigError(
            "progress is thread alone, which needs MPI_THREAD_MULTIPLE. Give none or poll, too."
        )
    names = list(by)

    def settings_of(values) -> ExchangeSettings:
        return ExchangeSettings(*values[:-1], names[values[-1]])

    def apply(values) -> None:
        found = settings_of(values)
        set_exchange(found, by[found.progress])

    lists = list(methods), list(algorithms), list(groups), list(ahead)
    threads = [each._core for each in by.values()]
    tried = core.fastest(communicator(comm), max(sets), *limits, *lists, threads, repetitions, apply, work)
    return {settings_of(values): seconds for values, seconds in tried}


def at_least_zero(name, given):
    """A whole number from 0 on."""
    if integer(name, given) < 0:
        raise ConfigError(f"{name} is {given}. Give 0 or more.")
    return given


def at_least_one(name, given):
    """A whole number from 1 on."""
    if integer(name, given) < 1:
        raise ConfigError(f"{name} is {given}. Give 1 or more.")
    return given


def algorithm_named(name, given):
    """The canonical name of an all-to-all algorithm."""
    return core.algorithm(text(name, given))


def available_progress(names):
    """The kinds of progress that this MPI supports."""
    from halcyon.comm import thread_level

    return [name for name in names if name != "thread" or thread_level() == "MPI_THREAD_MULTIPLE"]


def make_progress(comm, names, core="auto"):
    """Creates `halcyon.comm.Progress` by name; `core`: processor core of a progress thread."""
    from halcyon.comm import Progress

    return {name: Progress(comm, name, core=core) for name in names}
