"""How ranks that share transforms exchange."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError
from halcyon.options import name_in, pair, text, whole
from halcyon.transform.hiding import Hiding, Rehearsal, weighed
from halcyon.transform.tuning import PROGRESS, Choice, Cut, algorithm_named, fastest, together

if TYPE_CHECKING:
    from halcyon.comm import Progress

__all__ = ["Exchanges", "of_core", "ranks_of", "sets_of"]


def of_core(name, meaning):
    """A property that is the core's."""
    return property(attrgetter(f"core.{name}"), doc=meaning)


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


class Exchanges:
    """Of what the ranks of a communicator share in V x W `sets`, or one rank has alone; its `core` does the
    work. No bit depends on how they exchange."""

    core: Any
    sets: tuple[int, int]

    def _share(self, comm: Any, sets: tuple[int, int], core: Any) -> None:
        self._comm, self.sets, self.core = comm, sets, core
        self._how, self._progress = Choice(), "none"
        self._tried: dict[Choice, float] = {}
        self._untuned = False

    def communicate(
        self,
        *,
        groups: int = 1,
        ahead: int = 1,
        method: str = "isend_irecv",
        algorithm: str = "burst",
        progress: str | Progress = "none",
    ) -> None:
        """Collective. From now on ranks exchange so; the options are those of `halcyon.transform.Transform`.
        One that is alone only checks them.

        Raises ConfigError, on all ranks, for what cannot be or differs between them."""
        given = {"groups": groups, "ahead": ahead, "method": method, "algorithm": algorithm}
        self._communicate(**given, progress=progress)
        self._untuned = False

    def _communicate(self, *, groups, ahead, method, algorithm, progress):
        how = {"algorithm": algorithm, "method": method, "groups": groups, "ahead": ahead}
        with together(self._comm) as same:
            for name, value in how.items():
                same(name, (text if name in ("algorithm", "method") else whole)(name, value))
            by = progress.by if hasattr(progress, "_core") else name_in("progress", progress, PROGRESS)
            same("progress", by)
        made = self._made(progress)
        self.core.communicate(algorithm, method, None if made is None else made._core, groups, ahead)
        self._how = Choice(groups, ahead, method, algorithm_named("algorithm", algorithm), by)
        self._progress = progress if made is None else made

    def _made(self, progress):
        """Collective. A `halcyon.comm.Progress`, of which the name may be given; None for a rank that is
        alone."""
        if self._comm is None:
            return None
        from halcyon.comm import Progress

        return Progress(self._comm, progress) if isinstance(progress, str) else progress

    def _take(self, choice: Choice, progress: str | Progress) -> None:
        self._communicate(**choice._asdict() | {"progress": progress})
        self._how = choice

    @property
    def how(self) -> Choice:
        """How ranks exchange now, as it was given or `tune` chose: groups, ahead, method, algorithm and
        progress, a `halcyon.transform.Choice`."""
        return self._how

    @property
    def tried(self) -> dict[Choice, float]:
        """What the last `tune` returned, also that of `groups="auto"`; {} before."""
        return self._tried

    def _tune(self, work: Callable[[], Any], lists: dict[str, Any]) -> dict[Choice, float]:
        """Collective. From now on ranks exchange as is fastest for some work, which first tells its calls."""
        cut = Cut(1)
        if self.sets != (1, 1):
            self._take(self._how, self._progress)
            work()
            _, components, _, groups = zip(*self.core.calls, strict=True)
            cut = Cut(max(groups), max(components))
        self._tried = fastest(self._comm, self.sets, work, self._take, cut, **lists)
        return self._tried

    def _hiding(self, rehearse: Rehearsal) -> Hiding:
        """Collective. How much hides of what a rehearsal exchanges, as ranks exchange now."""
        if self.sets == (1, 1):
            raise ConfigError("One rank exchanges nothing that could hide. Give more.")
        now, progress = self._how, self._progress

        def take(choice: Choice) -> None:
            self._take(choice, progress if choice == now else choice.progress)

        return weighed(self._comm, self.sets, now, take, rehearse, self.core)
