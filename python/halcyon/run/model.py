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

    from halcyon.io.vertical_axis import VerticalAxis
    from halcyon.run.output.records import OutputContents
    from halcyon.run.state.restart import Restarts
    from halcyon.run.state.restart_state import RestartState
    from halcyon.run.steps import Steps


class StepFailure(NamedTuple):
    """The first failure on a rank, or `NO_FAILURE`."""

    sort_key: tuple[float, int]  # step number (fractional within a step), global id of the cell or point
    error: Exception | None  # None: no failure


NO_FAILURE = StepFailure(sort_key=(math.inf, 0), error=None)


class Record(NamedTuple):
    """What a model outputs after a step."""

    values: dict[str, np.ndarray]  # by variable of the fields files: (owned cell) or (owned cell, level)
    summary: str  # text on the state, for the progress line
    warning: str = ""  # text of a warning; empty: none


class PartTimes:
    """Wall times of the parts of a run [s]. Parts may be nested: the time of the inner part does not count
    for the outer part."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = defaultdict(float)
        self._active = ["other"]  # the parts that are being measured, the innermost last
        self._added_at = clock.perf_counter()  # end of the time that has been added to a part

    def __getitem__(self, part: str) -> float:
        """The time spent in a part so far [s]."""
        return self._spent[part]

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        """Adds the time of the body to a part."""
        self._add_elapsed()
        self._active.append(part)
        try:
            yield
        finally:
            self._add_elapsed()
            self._active.pop()

    def _add_elapsed(self) -> None:
        now = clock.perf_counter()
        self._spent[self._active[-1]] += now - self._added_at
        self._added_at = now


class RunModel(ABC):
    """A model on one rank, set up for a case. All methods but `failure` are collective.

    @param mesh_file mesh file; None for a model without one
    @param times timer for the parts of the run that `part_times` does not include
    """

    # Attributes that a model sets; `case` is that of the model.
    case: RunCase
    steps: Steps
    variables: Mapping[str, Any]  # rows of the table of variables by name, also of fields of schemes
    contents: OutputContents  # contents of the output files
    restart_state: RestartState  # state that restart files hold
    identity: Mapping[str, Any]  # options and checksums that a resumed run must have in common with this one
    check_steps: int  # number of steps between collective checks for failures; every record checks, too
    core_comm: Any  # `comm` as a communicator of the C++ library, for the output files

    def __init__(self, case: RunCase, mesh_file: Path | None, comm: MPI.Comm, times: PartTimes) -> None:
        self.case, self.comm, self.times = case, comm, times

    @abstractmethod
    def origin(self) -> Origin:
        """The provenance attributes of the model's files, except the title: references and model name."""

    @abstractmethod
    def plan_rows(self, n_done: int = 0) -> list[tuple[str, str]]:
        """Rows (name, text) of the plan that is printed before the run. n_done: number of completed steps."""

    @abstractmethod
    def start(self, restarts: Restarts) -> None:
        """Sets the initial state."""

    @abstractmethod
    def step(self, number: int) -> None:
        """Computes step `number`."""

    @abstractmethod
    def record(self, number: int, check: Callable[[], None]) -> Record:
        """The record after step `number`. `check` raises if any rank has failed so far; the model calls it
        before the record is complete."""

    @abstractmethod
    def values(self, number: int, name: str) -> tuple[np.ndarray, VerticalAxis | None]:
        """An output variable after step `number`, as in a record: (owned cell), or (owned cell, level) with
        the vertical axis of the output."""

    @property
    @abstractmethod
    def memory_bytes(self) -> int:
        """Memory of the model on this rank. Not collective."""

    def adapt_steps(self, number: int) -> int:
        """Called after the record of step `number`: may replace `steps` by steps of another length, and
        returns the number of this step among them."""
        return number

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
        """Resumes after step `number`. `restart_state` has been read; state: as returned by `state`."""

    def summary_fields(self) -> dict[str, Any]:
        """Model-specific fields of `report.RunSummary`."""
        return {}
