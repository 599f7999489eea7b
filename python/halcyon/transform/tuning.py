"""Search for the fastest exchange settings of collective work; the search is implemented in C++."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
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

# Default candidates of `fastest` by argument name (one per member of `ExchangeSettings`), the simplest first.
LISTS: dict[str, tuple[Any, ...]] = core.default_candidates()
GROUPS, AHEAD, METHODS, ALGORITHMS, PROGRESS = (
    LISTS[name] for name in ("groups", "ahead", "methods", "algorithms", "progress")
)


class ExchangeSettings(NamedTuple):
    """How ranks exchange data: number of groups that fields are divided into, number of groups in flight
    while one group is computed (0: exchanges block), exchange method, all-to-all algorithm, and name of the
    progress."""

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
    """Maximum number of groups per component and maximum number of components, over all calls of the work."""

    groups: int
    components: int = 1


def collective_errors(comm: MPI.Comm | None) -> AbstractContextManager[Callable[[str, Any], None]]:
    """Returns `halcyon.comm.collective_errors` of the communicator; for None, a context that does nothing."""
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
    first the selected settings, then the other settings, fastest first; empty for a single rank.
    `cpp/halcyon/transform/share/tuning.hpp` describes the search.

    @param sets (V, W) of the ranks
    @param progress objects by name, or names of kinds of progress; objects are created for the kinds that
        this MPI supports

    Raises ConfigError, on all ranks, for invalid values and values that differ between ranks."""
    with collective_errors(comm) as require_same:
        require_same("groups", groups := sequence("groups", groups, at_least_one))
        require_same("ahead", ahead := sequence("ahead", ahead, at_least_zero))
        require_same(
            "methods",
            sequence("methods", methods, lambda name, value: one_of(name, value, comm_core.methods())),
        )
        require_same("algorithms", sequence("algorithms", algorithms, algorithm_named))
        require_same("repetitions", at_least_one("repetitions", repetitions))
        if isinstance(progress, Mapping):
            from halcyon.comm import Progress

            require_same("progress", sequence("progress", list(progress), text))
            for name, value in progress.items():
                instance(f"progress[{name!r}]", value, Progress)
        else:
            require_same(
                "progress", sequence("progress", progress, lambda name, value: one_of(name, value, PROGRESS))
            )
    if comm is None or comm.size == 1:
        return {}
    from halcyon.comm import communicator

    progress_by_name = (
        progress if isinstance(progress, Mapping) else make_progress(comm, available_progress(progress))
    )
    if not progress_by_name:
        raise ConfigError("progress is only thread, which needs MPI_THREAD_MULTIPLE. Give none or poll, too.")
    names = list(progress_by_name)

    def settings_of(values: tuple[Any, ...]) -> ExchangeSettings:
        groups, ahead, method, algorithm, progress_index = values  # the tuple of C++
        return ExchangeSettings(groups, ahead, method, algorithm, names[progress_index])

    def apply(values: tuple[Any, ...]) -> None:
        settings = settings_of(values)
        set_exchange(settings, progress_by_name[settings.progress])

    progress_objects = [value._core for value in progress_by_name.values()]
    tried = core.fastest(
        communicator(comm),
        max(sets),
        *limits,
        list(methods),
        list(algorithms),
        list(groups),
        list(ahead),
        progress_objects,
        repetitions,
        apply,
        work,
    )
    return {settings_of(values): seconds for values, seconds in tried}


def at_least_zero(name: str, value: int) -> int:
    """Returns a whole number of 0 or more. Raises ConfigError for other values."""
    if integer(name, value) < 0:
        raise ConfigError(f"{name} is {value}. Give 0 or more.")
    return value


def at_least_one(name: str, value: int) -> int:
    """Returns a whole number of 1 or more. Raises ConfigError for other values."""
    if integer(name, value) < 1:
        raise ConfigError(f"{name} is {value}. Give 1 or more.")
    return value


def algorithm_named(name: str, value: str) -> str:
    """Returns the canonical name of an all-to-all algorithm, such as ring-1 for ring."""
    return core.algorithm(text(name, value))


def available_progress(names: Iterable[str]) -> list[str]:
    """Returns the names of the kinds of progress that this MPI supports."""
    from halcyon.comm import thread_level

    return [name for name in names if name != "thread" or thread_level() == "MPI_THREAD_MULTIPLE"]


def make_progress(comm: MPI.Comm, names: Iterable[str], core: int | str = "auto") -> dict[str, Progress]:
    """Returns new `halcyon.comm.Progress` by name; `core`: processor core of a progress thread."""
    from halcyon.comm import Progress

    return {name: Progress(comm, name, core=core) for name in names}
