"""Which exchange is fastest for work that ranks share: one search, C++'s, for all that exchange in groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from halcyon._core import comm as comm_core
from halcyon._core import transform as core
from halcyon.base import ConfigError
from halcyon.options import instance, name_in, sequence, text, whole

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
    "Choice",
    "Cut",
    "able",
    "fastest",
    "made",
    "together",
]

# What `fastest` tries unless it is said, the simplest first: of each part of a `Choice`.
LISTS: dict[str, tuple] = core.choices()
GROUPS, AHEAD, METHODS, ALGORITHMS, PROGRESS = (
    LISTS[name] for name in ("groups", "ahead", "methods", "algorithms", "progress")
)


class Choice(NamedTuple):
    """How ranks exchange: into how many groups fields are cut, how many of them travel while one is worked
    on (0: none, ranks block), and by what; `progress` by its name."""

    groups: int = 1
    ahead: int = 1
    method: str = "isend_irecv"
    algorithm: str = "burst"
    progress: str = "none"

    def __str__(self) -> str:
        """`3 groups, 2 ahead, isend_irecv, burst, poll`, without one ahead."""
        groups = "1 group" if self.groups == 1 else f"{self.groups} groups"
        ahead = [] if self.ahead == 1 else [f"{self.ahead} ahead"]
        return ", ".join([groups, *ahead, self.method, self.algorithm, self.progress])


class Cut(NamedTuple):
    """Into how many groups the fields of some work can be cut, and of how many components each: those of the
    call that has most."""

    groups: int
    components: int = 1


def together(comm):
    """`halcyon.comm.together` of ranks; for one that is alone nothing."""
    if comm is None:
        return nullcontext(lambda name, value: None)
    from halcyon.comm import together

    return together(comm)


def fastest(
    comm: MPI.Comm | None,
    sets: tuple[int, int],
    work: Callable[[], Any],
    communicate: Callable[[Choice, Progress], Any],
    cut: Cut,
    *,
    groups: Sequence[int] = GROUPS,
    ahead: Sequence[int] = AHEAD,
    methods: Sequence[str] = METHODS,
    algorithms: Sequence[str] = ALGORITHMS,
    progress: Sequence[str] | Mapping[str, Progress] = PROGRESS,
    repetitions: int = 5,
) -> dict[Choice, float]:
    """Collective. Leaves what `communicate`(choice, progress) says at that by which `work`() is fastest, and
    returns all that was tried with its seconds: first what was chosen, then the others from the fastest on;
    nothing is tried where one rank exchanges nothing. How it searches is told in
    `cpp/halcyon/transform/share/tuning.hpp`.

    @param sets (V, W) of the ranks; cut of the work
    @param progress by name, or names of which those are made that this MPI can have

    Raises ConfigError, on all ranks, for what cannot be or differs."""
    with together(comm) as same:
        same("groups", groups := sequence("groups", groups, at_least_one))
        same("ahead", ahead := sequence("ahead", ahead, from_none))
        same("methods", sequence("methods", methods, lambda *given: name_in(*given, comm_core.methods())))
        same("algorithms", sequence("algorithms", algorithms, algorithm_named))
        same("repetitions", at_least_one("repetitions", repetitions))
        if isinstance(progress, Mapping):
            from halcyon.comm import Progress

            same("progress", sequence("progress", list(progress), text))
            for name, each in progress.items():
                instance(f"progress[{name!r}]", each, Progress)
        else:
            same("progress", sequence("progress", progress, lambda *given: name_in(*given, PROGRESS)))
    if comm is None or comm.size == 1:
        return {}
    from halcyon.comm import communicator

    by = progress if isinstance(progress, Mapping) else made(comm, able(progress))
    if not by:
        raise ConfigError("progress is thread alone, for which MPI was not started. Give none or poll, too.")
    names = list(by)

    def choice(how) -> Choice:
        return Choice(*how[:-1], names[how[-1]])

    def take(how) -> None:
        found = choice(how)
        communicate(found, by[found.progress])

    lists = list(methods), list(algorithms), list(groups), list(ahead)
    threads = [each._core for each in by.values()]
    tried = core.fastest(communicator(comm), max(sets), *cut, *lists, threads, repetitions, take, work)
    return {choice(how): seconds for how, seconds in tried}


def from_none(name, given):
    """A whole number from 0 on."""
    if whole(name, given) < 0:
        raise ConfigError(f"{name} is {given}. Give 0 or more.")
    return given


def at_least_one(name, given):
    """A whole number from 1 on."""
    if whole(name, given) < 1:
        raise ConfigError(f"{name} is {given}. Give 1 or more.")
    return given


def algorithm_named(name, given):
    """The name of an all-to-all, as it is told."""
    return core.algorithm(text(name, given))


def able(names):
    """Those that this MPI can have."""
    from halcyon.comm import thread_level

    return [name for name in names if name != "thread" or thread_level() == "MPI_THREAD_MULTIPLE"]


def made(comm, names, core="auto"):
    """By name; `core` of a thread."""
    from halcyon.comm import Progress

    return {name: Progress(comm, name, core=core) for name in names}
