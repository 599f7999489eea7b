"""The interface between a model and the time loop, and the timer that both use."""

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

    from halcyon.run.output.records import OutputContents
    from halcyon.run.state.restart import Restarts
    from halcyon.run.state.restart_state import RestartState
    from halcyon.run.steps import Steps


class StepFailure(NamedTuple):
    """A failure on a rank: its step (fractional within a step) and the global id of its cell or point; its
    error."""

    where: tuple[float, int]
    error: Exception | None


NO_FAILURE = StepFailure((math.inf, 0), None)


class Record(NamedTuple):
    """A record of a model: the variables of the fields files by name, (owned cell) or (owned cell, level);
    a summary of the state for the progress line; a warning, or an empty text."""

    values: dict[str, np.ndarray]
    summary: str
    warning: str = ""


class PartTimes:
    """Wall times of the parts of a run [s]; the time of a nested part does not count for the outer one."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = defaultdict(float)
        self._active, self._since = ["other"], clock.perf_counter()

    def __getitem__(self, part: str) -> float:
        return self._spent[part]

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        """Adds the time of its body to a part."""
        self._add_elapsed()
        self._active.append(part)
        try:
            yield
        finally:
            self._add_elapsed()
            self._active.pop()

    def _add_elapsed(self) -> None:
        now = clock.perf_counter()
        self._spent[self._active[-1]] += now - self._since
        self._since = now


class RunModel(ABC):
    """A model on one rank, set up for a case. All methods but `failure` are collective.

    @param mesh_file mesh file; None for a model without one
    @param times timer for work outside the model's own parts

    Attributes that a model sets: steps; contents of the output files; restart_state, the state that restart
    files hold; identity, the options and checksums that a resumed run must have in common with this one;
    check_steps, the number of steps between collective checks for failures, also between two records;
    core_comm, the communicator of the output files.
    """

    steps: Steps
    contents: OutputContents
    restart_state: RestartState
    identity: Mapping[str, Any]
    check_steps: int
    core_comm: Any

    def __init__(self, case: RunCase, mesh_file: Path | None, comm: MPI.Comm, times: PartTimes) -> None:
        self.case, self.comm, self.times = case, comm, times

    @abstractmethod
    def origin(self) -> Origin:
        """The provenance attributes of the model's files, without title: references and model name."""

    @abstractmethod
    def plan_rows(self) -> list[tuple[str, str]]:
        """Rows (name, text) of the plan that is printed before the run."""

    @abstractmethod
    def start(self, restarts: Restarts) -> None:
        """Sets the initial state."""

    @abstractmethod
    def step(self, number: int) -> None:
        """Advances the model from step number - 1 to number."""

    @abstractmethod
    def record(self, number: int, check: Callable[[], None]) -> Record:
        """The record after a step. `check` raises if any rank has failed so far."""

    @abstractmethod
    def failure(self) -> StepFailure:
        """The first failure of this rank, or NO_FAILURE. Not collective."""

    @abstractmethod
    def part_times(self) -> dict[str, float]:
        """The times of the model's parts [s], `exchange` among them."""

    def state(self) -> dict[str, Any]:
        """The state that restart files hold as JSON, in addition to `restart_state`."""
        return {}

    @abstractmethod
    def resume(self, number: int, state: Mapping[str, Any]) -> None:
        """Resumes after a step. `restart_state` has been read; state: as returned by `state`."""

    def summary_fields(self) -> dict[str, Any]:
        """Model-specific fields of `report.RunSummary`."""
        return {}
