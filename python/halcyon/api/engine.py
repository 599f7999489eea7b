"""A run in the hands of a program: the time loop, step by step, with its files in a folder of its own."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import shutil
import signal
import tempfile
import threading
import time as clock
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from halcyon.base import InputError
from halcyon.config.mesh_file import prepare_mesh
from halcyon.config.run_case import RunCase
from halcyon.io.writing import writing
from halcyon.launch.errors import from_root
from halcyon.run import earlier
from halcyon.run.folder import RUN_FILE, add_restart, folder_locked, start_run_file, update_run_file
from halcyon.run.loop import RunLoop
from halcyon.run.model import PartTimes
from halcyon.run.prepare import check_forcing, check_partition

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.io.vertical_axis import VerticalAxis

_INSIDE = (str(Path(__file__).parents[1]), str(Path(contextlib.__file__)))  # files that are not the user's
CASE_FILE = "case.yaml"  # of a saved run


class _NeverStop:
    """In place of a `StopRequest`: a program is not stopped by signals on which its ranks agree."""

    def received(self, comm: MPI.Comm) -> bool:
        return False

    def add_step(self, comm: MPI.Comm, wall_s: float) -> None:
        """There is no deadline."""

    def suspend(self, comm: MPI.Comm) -> None:
        """There is no deadline."""

    def suspended(self, comm: MPI.Comm) -> AbstractContextManager[None]:
        return nullcontext()


class _NoProgress:
    """In place of a `ProgressReporter`: a simulation has a bar of its own."""

    def report(self, simulated_time: datetime, summary: str) -> None:
        """Shows nothing."""

    def resume_from(self, simulated_time: datetime) -> None:
        """Shows nothing."""


class Engine(RunLoop):
    """The time loop of a simulation. Its records go to a temporary folder, from which `save` takes them. All
    methods are collective, but no properties."""

    def __init__(
        self, case: RunCase, comm: MPI.Comm, resumed: Path | None, status: Callable[[str], None]
    ) -> None:
        """Sets up the model of a case, and its initial state or the state of the newest restart file in a
        folder.

        @param resumed folder of a run that is continued; None: a new run
        @param status called on rank 0 with texts on the progress of the set-up
        """
        folder = Path(from_root(comm, lambda: tempfile.mkdtemp(prefix="halcyon-")))
        if comm.rank == 0:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

        def prepare() -> Path | None:
            check_forcing(case)
            mesh = prepare_mesh(case, status)
            check_partition(case, comm.size, mesh)
            if resumed is not None:
                _link_files([*earlier.files_of_run(resumed), resumed / RUN_FILE], folder)
            return mesh

        mesh = from_root(comm, prepare)
        output = case.output.model_copy(update={"folder": folder})
        restart = case.restart.model_copy(update={"interval": "none"})
        own_case = case.model_copy(update={"output": output, "restart": restart})
        model_class = import_module(f"halcyon.run.models.{case.model}").Model
        with _warnings_instead_of_prints():
            model = model_class(own_case, mesh, comm, PartTimes())
            never: Any = _NeverStop()
            super().__init__(model, never, clock.perf_counter())
            progress: Any = _NoProgress()
            self._progress = progress
            self.given_case, self.plan = case, model.plan_rows(0)
            self._keeps_end = True  # a finished run can be extended
            self._closed_at: dict[str, Any] | None = (
                None  # state of the recorder when its files were completed
            )
            (self.start if resumed is None else self.resume)(lambda: None)
        self.number = self._start_number

    @property
    def time(self) -> datetime:
        """The time of the state [UTC]."""
        return self.steps.time(self.number)

    @property
    def is_at_end(self) -> bool:
        """Whether the state is that of the end of the case."""
        return self.number >= self.steps.n_steps

    def advance(self) -> None:
        """Computes a step, and its record if that is due."""
        with _interrupts_deferred():
            self._reopen()
            self.number = self._take_step(self.number + 1)

    def field(self, name: str) -> tuple[np.ndarray, VerticalAxis | None]:
        """A variable of the state on the whole mesh or grid, on every rank, in the order of the files:
        (cell), or (cell, level) with its vertical axis."""
        self._raise_failures()
        if name == self.model.contents.fixed.name:
            values, axis = np.asarray(self.model.contents.part.fixed), None
        else:
            values, axis = self.model.values(self.number, name)
        return self.whole(values), axis

    def whole(self, values: np.ndarray, items: str = "columns") -> np.ndarray:
        """Values of the owned items of all ranks (item, ...), on every rank. items: columns, which are cells
        or points, or vertices."""
        part: Any = self.model.contents.part
        if items == "vertices":
            ids, n_items = part.vertices, part.n_vertices
        else:
            ids, n_items = getattr(part, "cells", getattr(part, "points", None)), part.n_columns
        gathered = self.comm.allgather((ids, np.asarray(values)))
        whole = np.empty((n_items, *values.shape[1:]), values.dtype)
        for its_ids, its_values in gathered:
            whole[its_ids] = its_values
        return whole

    def save(self, folder: Path, *, overwrite: bool) -> None:
        """Writes the run so far into a folder, as that of a run which has stopped here: complete files of
        fields and series, a restart file and the case. Raises ConfigError if the folder holds another run and
        is not to be overwritten."""
        self._on_root(lambda: _check_target(folder, overwrite))
        if self._closed_at is None:
            if not self.is_at_end:  # there the file of the end is on the disk
                self._write_restart(self.number)
            state = self.recorder.state()
            hours = np.array(self.recorder.series.hours, float)
            series = (hours, self.recorder.series.tables()) if len(hours) else None
            self._restarts.close()
            self.recorder.close()
            self._closed_at = {"recorder": self.comm.bcast(state, root=0), "series": series}
        self._on_root(lambda: self._copy_to(folder))

    def _reopen(self) -> None:
        """Continues the files that `save` has completed."""
        if self._closed_at is not None:
            self.recorder.resume(self._closed_at["recorder"])
            if self._closed_at["series"] is not None:
                self.recorder.series.restore(*self._closed_at["series"])
            self._closed_at = None

    def _copy_to(self, folder: Path) -> None:
        """On rank 0. Replaces the run in a folder by this one."""
        scratch = self.case.folder
        with writing(folder), folder_locked(folder):
            earlier.delete(earlier.files_of_run(folder))
            files = earlier.files_of_run(scratch)
            _link_files(files, folder)
            given = self.given_case.model_dump(mode="json", by_alias=True, exclude_unset=True)
            given["output"] = given.get("output", {}) | {"folder": "."}
            path = folder / CASE_FILE
            path.write_text(yaml.safe_dump(given, sort_keys=False, allow_unicode=True), encoding="utf-8")
            start_run_file(folder, case=path.absolute(), overrides=[], ranks=self.comm.size, has_records=True)
            restarts = [folder / file.name for file in files if file.name.startswith("restart_")]
            listed = [str(folder / file.name) for file in files if folder / file.name not in restarts]
            if restarts:
                add_restart(folder, restarts[-1])
            text = f"saved at {self.time:%Y-%m-%d %H:%M:%S} UTC"
            is_finished = self.is_at_end
            update_run_file(
                folder,
                files=listed,
                status="finished" if is_finished else "interrupted",
                cause=None if is_finished else text,
                **({"identity": self.model.identity} if is_finished else {}),
            )


@contextmanager
def _warnings_instead_of_prints() -> Iterator[None]:
    """Turns the warnings that the set-up of a run prints into those of Python, and drops other lines."""
    text = io.StringIO()
    with redirect_stdout(text):
        yield
    for line in text.getvalue().splitlines():
        if line.startswith("warning: "):
            files = [frame.filename for frame in inspect.stack(context=0)]
            level = next((i for i, file in enumerate(files, 1) if not file.startswith(_INSIDE)), 1)
            warnings.warn(line.removeprefix("warning: "), stacklevel=level)


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Raises the KeyboardInterrupt of Ctrl-C at the end of the body, so that a step is complete."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if received:
        raise KeyboardInterrupt


def _check_target(folder: Path, overwrite: bool) -> None:
    """Creates the folder of a saved run. Raises ConfigError if it holds another run."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not overwrite and earlier.has_results(folder):
        raise InputError(
            f"{folder} holds the results of a run. Give another folder, or"
            f" save({str(folder)!r}, overwrite=True)."
        )


def _link_files(files: list[Path], folder: Path) -> None:
    """Puts files into a folder: as links to the same data where the file system allows it, as they are only
    ever replaced; run.json, which may be changed in place, as a copy. Raises InputError if one is missing."""
    for file in files:
        if not file.is_file():
            raise InputError(f"{file} is missing, so {file.parent} is not the folder of a run.")
        try:
            if file.name == RUN_FILE:
                raise OSError
            os.link(file, folder / file.name)
        except OSError:
            shutil.copyfile(file, folder / file.name)
