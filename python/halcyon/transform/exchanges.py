"""Settings and tuning of the exchanges between ranks that share transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError
from halcyon.options import integer, one_of, pair, text
from halcyon.transform.hiding import Hiding, RoundTrip, measure_hiding
from halcyon.transform.tuning import (
    PROGRESS,
    ExchangeSettings,
    GroupLimits,
    algorithm_named,
    collective_errors,
    fastest,
)

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress

__all__ = ["Exchanges", "checked_sets", "core_arguments", "core_property"]


def core_property(name: str, meaning: str) -> property:
    """Returns a property that reads an attribute, such as `times.fourier_s`, of the C++ object `core`."""
    return property(attrgetter(f"core.{name}"), doc=meaning)


def checked_sets(comm: MPI.Comm | None, sets: Sequence[int] | None) -> tuple[int, int]:
    """Returns V x W sets, by default (1, ranks). Raises ConfigError if they are invalid."""
    if comm is None and sets not in (None, (1, 1)):
        raise ConfigError(f"sets = {sets} were given without a communicator. Give comm, too.")
    return (1, 1 if comm is None else comm.size) if sets is None else pair("sets", sets, "(V, W)")


def core_arguments(comm: MPI.Comm | None, sets: tuple[int, int]) -> tuple[Any, ...]:
    """Collective at the first call for `comm`. Returns the leading arguments of the C++ constructors:
    communicator and sets, or nothing for a single rank."""
    if comm is None:
        return ()
    from halcyon.comm import communicator

    return communicator(comm), sets


class Exchanges:
    """Base class of objects that the ranks of a communicator share in V x W `sets`, or that belong to a
    single rank. `core` is the C++ object. Exchange settings do not affect the bits of results."""

    core: Any
    sets: tuple[int, int]

    def _set_ranks(self, comm: Any, sets: tuple[int, int], core: Any) -> None:
        """Sets the communicator, the sets and the C++ object."""
        self._comm, self.sets, self.core = comm, sets, core
        self._settings = ExchangeSettings()
        self._progress: str | Progress = "none"
        self._tried: dict[ExchangeSettings, float] = {}
        self._must_tune = False  # whether the first call runs `tune`

    def set_exchange(
        self,
        *,
        groups: int = 1,
        ahead: int = 1,
        method: str = "isend_irecv",
        algorithm: str = "burst",
        progress: str | Progress = "none",
    ) -> None:
        """Collective. Sets the exchange of subsequent calls; `halcyon.transform.Transform` describes
        the options. A single rank only checks them.

        Raises ConfigError, on all ranks, for invalid values and values that differ between ranks."""
        self._set_exchange(groups=groups, ahead=ahead, method=method, algorithm=algorithm, progress=progress)
        self._must_tune = False

    def _set_exchange(
        self, *, groups: int, ahead: int, method: str, algorithm: str, progress: str | Progress
    ) -> None:
        with collective_errors(self._comm) as require_same:
            require_same("algorithm", text("algorithm", algorithm))
            require_same("method", text("method", method))
            require_same("groups", integer("groups", groups))
            require_same("ahead", integer("ahead", ahead))
            # A halcyon.comm.Progress has a _core; importing its class needs MPI.
            progress_name = (
                progress.by
                if not isinstance(progress, str) and hasattr(progress, "_core")
                else one_of("progress", progress, PROGRESS)
            )
            require_same("progress", progress_name)
        progress_object = self._make_progress(progress)
        self.core.set_exchange(
            algorithm, method, None if progress_object is None else progress_object._core, groups, ahead
        )
        self._settings = ExchangeSettings(
            groups, ahead, method, algorithm_named("algorithm", algorithm), progress_name
        )
        self._progress = progress if progress_object is None else progress_object

    def _make_progress(self, progress: str | Progress) -> Progress | None:
        """Collective. Returns `progress` or, for a name, a new `halcyon.comm.Progress`; None for a single
        rank."""
        if self._comm is None:
            return None
        from halcyon.comm import Progress

        return Progress(self._comm, progress) if isinstance(progress, str) else progress

    def _apply_settings(self, settings: ExchangeSettings, progress: str | Progress) -> None:
        self._set_exchange(**settings._asdict() | {"progress": progress})
        self._settings = settings

    @property
    def exchange_settings(self) -> ExchangeSettings:
        """The current exchange settings, as set or selected by `tune`: a
        `halcyon.transform.ExchangeSettings`."""
        return self._settings

    @property
    def tried(self) -> dict[ExchangeSettings, float]:
        """Times [s] of the exchange settings that the last `tune` tried, by settings; {} before the first
        `tune`. `groups="auto"` also runs `tune`."""
        return self._tried

    def _tune(self, work: Callable[[], Any], lists: dict[str, Any]) -> dict[ExchangeSettings, float]:
        """Collective. Applies the exchange settings with which `work` is fastest. First runs `work` once, to
        record the calls of transforms in it. `lists`: candidates, see `fastest`."""
        limits = GroupLimits(1)  # of a single rank, which tries nothing
        if self.sets != (1, 1):
            self._apply_settings(self._settings, self._progress)
            work()
            _directions, n_components, _n_fields, max_groups = zip(*self.core.calls, strict=True)
            limits = GroupLimits(max(max_groups), max(n_components))
        self._tried = fastest(self._comm, self.sets, work, self._apply_settings, limits, **lists)
        return self._tried

    def _hiding(self, round_trip: RoundTrip) -> Hiding:
        """Collective. Measures how much of the exchange of a round trip is hidden with the current
        settings."""
        if self.sets == (1, 1):
            raise ConfigError("One rank exchanges nothing that could be hidden. Give more ranks.")
        current, current_progress = self._settings, self._progress

        def apply(settings: ExchangeSettings) -> None:
            # a Progress that the caller gave is used again; other settings create one by name
            self._apply_settings(settings, current_progress if settings == current else settings.progress)

        return measure_hiding(self._comm, self.sets, current, apply, round_trip, self.core)
