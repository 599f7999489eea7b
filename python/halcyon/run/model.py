"""What a model tells the run loop, and what both measure."""

from __future__ import annotations

import math
import time as clock
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halcyon.config.run_case import RunCase
from halcyon.io.attributes import Origin

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.output.records import Contents
    from halcyon.run.state.restart import Restarts
    from halcyon.run.state.restart_state import RestartState
    from halcyon.run.steps import Steps


class StepFailure(NamedTuple):
    """What went wrong on a rank: after which step (halves: between two) and at which place (global id)."""

    where: tuple[float, int]
    error: Exception | None


NO_FAILURE = StepFailure((math.inf, 0), None)


class Record(NamedTuple):
    """A record of a model: the variables of the fields files by name, (owned cell) or (owned cell, level);
    what is watched of its state, in words; and a warning, or nothing."""

    values: dict[str, np.ndarray]
    watched: str
    warning: str = ""


class PartTimes:
    """Wall times of the parts of a run [s]; a part within another counts for itself alone."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = defaultdict(float)
        self._parts, self._since = ["other"], clock.perf_counter()

    def __getitem__(self, part: str) -> float:
        return self._spent[part]

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Counts what its body takes for a part."""
        self._turn()
        self._parts.append(part)
        try:
            yield
        finally:
            self._turn()
            self._parts.pop()

    def _turn(self) -> None:
        now = clock.perf_counter()
        self._spent[self._parts[-1]] += now - self._since
        self._since = now


class RunModel(ABC):
    """A model on one rank, set up for a case, between its steps. Collective in all it does.

    @param mesh_file that the ranks read; None for a model without
    @param times to which it adds what it does beside its own parts

    A model sets: steps; contents, what its files hold; restart_state, what its restart files hold; identity,
    what a run that goes on must have in common with it; check_steps: after so many all ranks learn of a
    failure on one of them, also where records are rare; core_comm, by which files are written.
    """

    steps: Steps
    contents: Contents
    restart_state: RestartState
    identity: Mapping[str, Any]
    check_steps: int
    core_comm: Any

    def __init__(self, case: RunCase, mesh_file: Path | None, comm: MPI.Comm, times: PartTimes) -> None:
        self.case, self.comm, self.times = case, comm, times

    @abstractmethod
    def origin(self) -> Origin:
        """Of its files, but for their titles: after whom the model is, and which it is."""

    @abstractmethod
    def plan_rows(self) -> list[tuple[str, str]]:
        """What will run, as names and texts."""

    @abstractmethod
    def start(self, restarts: Restarts) -> None:
        """Sets the state at the start."""

    @abstractmethod
    def step(self, number: int) -> None:
        """Takes the model from step number - 1 to number."""

    @abstractmethod
    def record(self, number: int, check: Callable[[], None]) -> Record:
        """What is written after a step. `check` stops the run where any rank failed until now."""

    @abstractmethod
    def failure(self) -> StepFailure:
        """The first failure of this rank, or NO_FAILURE. Not collective."""

    @abstractmethod
    def part_times(self) -> dict[str, float]:
        """The times of the model's parts [s], `exchange` among them."""

    def state(self) -> dict[str, Any]:
        """What a restart file holds beside `restart_state`, for JSON."""
        return {}

    @abstractmethod
    def go_on(self, number: int, state: Mapping[str, Any]) -> None:
        """Goes on after a step, from what `restart_state` has, with what `state` gave."""

    def figures(self) -> dict[str, Any]:
        """What it has to say of its run: fields of `report.Outcome`."""
        return {}
