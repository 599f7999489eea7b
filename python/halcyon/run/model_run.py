"""A run of any model on one rank: its steps, records and restart files, and how it stops and goes on."""

from __future__ import annotations

import sys
import time as clock
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halcyon.base import StoppedError
from halcyon.config.run_case import RunCase
from halcyon.launch.errors import agreed
from halcyon.run import report
from halcyon.run.extremes import greatest
from halcyon.run.progress import Progress
from halcyon.run.record import Recorder
from halcyon.run.restart import Restarts
from halcyon.run.run_file import resume_command
from halcyon.run.run_steps import RunSteps
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI


class FirstTrouble(Protocol):
    """What went wrong on some rank."""

    def stop(self) -> None: ...


class ModelRun(ABC):
    """The state of a run between its steps. Collective in all it does.

    `check_steps`: after so many all ranks learn of trouble on one of them, also where records are rare.
    """

    check_steps: int
    trouble: FirstTrouble

    def __init__(
        self,
        case: RunCase,
        steps: RunSteps,
        recorder: Recorder,
        restarts: Restarts,
        identity: Mapping[str, Any],
        comm: MPI.Comm,
        stop: Stop,
    ) -> None:
        self.case, self.steps, self.recorder, self.restarts = case, steps, recorder, restarts
        self.identity, self.comm, self.stop, self.first = identity, comm, stop, 0
        self.progress = Progress(case.time.start, case.time.end, rank=comm.rank, stream=sys.stdout)
        self.set_up_s, self.forcing_s, self.output_s, self.pictures_s = 0.0, 0.0, 0.0, 0.0

    @abstractmethod
    def step(self, number: int) -> None:
        """Takes the model from step number - 1 to number."""

    @abstractmethod
    def record(self, number: int) -> None:
        """Writes a record after a step, with `timed("output_s")`."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """What the loop holds beside the model, for JSON."""

    @abstractmethod
    def take(self, state: Mapping[str, Any]) -> None:
        """Takes what `state` gave."""

    @abstractmethod
    def model_s(self) -> dict[str, float]:
        """The times of the model's parts [s], `exchange` among them."""

    def figures(self) -> dict[str, Any]:
        """Collective. What a model has to say of its run: fields of `report.Outcome`."""
        return {}

    @abstractmethod
    def begin(self) -> None:
        """Sets the state at the start."""

    def resume(self, resumed: Callable[[], None]) -> None:
        """Sets the state of the newest restart file that will do, then calls `resumed`."""
        state = self.restarts.resume(self.identity)
        self.first = state["number"]
        self.take(state)
        self.progress.go_on(self.steps.time(self.first))
        with agreed(self.comm):
            resumed()
        self.recorder.note_files()

    def all(self) -> None:
        """From the start, or the restart, to the last record."""
        if self.first == 0:
            self.restarts.forget_older()
            self.record(0)
        for number in range(self.first + 1, self.steps.n_steps + 1):
            self.step(number)
            if self.steps.record_is_due(number):
                self.record(number)
            elif number % self.check_steps == 0:
                self.check()
            self._restart_or_stop(number)
        with self.timed("output_s"):
            self.recorder.close()
            self.restarts.close()

    def check(self) -> None:
        """Stops for the first trouble of all ranks, or a file that could not be written."""
        self.trouble.stop()
        with self.timed("output_s"):
            self.recorder.check()
            self.restarts.check()

    def _restart_or_stop(self, number: int) -> None:
        """Writes a restart file where one is due or the run was asked to stop; then stops it."""
        if number == self.steps.n_steps:
            return
        asked = self.stop.asked(self.comm)
        if asked or self.steps.restart_is_due(number, self.case.restart.interval):
            self.check()
            with self.timed("output_s"):
                state = {"number": number, **self.state()}
                self.restarts.write(self.steps.time(number), state, self.identity)
        if asked:
            self.restarts.close()
            self.check()
            raise StoppedError(
                f"the run was asked to stop, and did at {self.steps.time(number):%Y-%m-%d %H:%M:%S} UTC."
                f" Go on by: {resume_command(self.case.folder)}"
            )

    def outcome(self, wall_s: float) -> report.Outcome:
        """What the run took: parts as means over ranks, those of the model after the set-up."""
        own = {"output": self.output_s, "pictures": self.pictures_s}
        mine = {"set-up": self.set_up_s, **self.model_s(), **own}
        sums = self.comm.allreduce(np.array(list(mine.values())))
        behind = self.recorder.behind, self.restarts.behind
        worked_s = greatest(self.comm, sum(each.worked_s for each in behind))
        waited_s = greatest(self.comm, sum(each.waited_s for each in behind))
        parts_s = dict(zip(mine, (sums / self.comm.size).tolist(), strict=True))
        return report.Outcome(
            wall_s=wall_s,
            parts_s=parts_s,
            communication_s=parts_s["exchange"],
            simulated_s=(self.case.time.end - self.steps.time(self.first)).total_seconds(),
            behind_s=worked_s if self.case.io.background else None,
            waited_s=waited_s,
            max_height=None,
            files=self.recorder.files,
        )

    @contextmanager
    def timed(self, part: str):
        """Adds the time that its body takes to the attribute `part` [s]."""
        begin = clock.perf_counter()
        yield
        setattr(self, part, getattr(self, part) + clock.perf_counter() - begin)
