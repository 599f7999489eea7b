"""The spectra at those stations of a run whose case asks for them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__, wave
from halcyon.config.case import Case
from halcyon.io import IoOptions, Progress, io_ranks
from halcyon.io.spectra_file import SpectraFile
from halcyon.run.assemble import Parts
from halcyon.run.behind import Behind
from halcyon.run.errors import from_root, input_agreed
from halcyon.run.open_file import became_whole, progress_of, state_of

if TYPE_CHECKING:
    from mpi4py import MPI


class StationSpectra:
    """Writes `spectra.nc`, a record an output interval. Collective in all it does; nothing where no station
    is asked for.

    @param core_comm the communicator that the file is written by
    """

    def __init__(self, case: Case, parts: Parts, model: wave.Model, comm: MPI.Comm, core_comm: Any) -> None:
        self._case, self._model, self._comm, self._grid = case, model, comm, parts.grid
        self.path = case.folder / "spectra.nc"
        asked = [i for i, s in enumerate(case.output.stations) if s.spectrum or case.output.spectra]
        self._names = [case.output.stations[i].name for i in asked]
        local = {int(cell): i for i, cell in enumerate(model.owned_cells)}
        chosen = [parts.stations[i] for i in asked]
        self._mine = np.array([i for i, s in enumerate(chosen) if s.cell in local], np.int64)
        self._cells = np.array([local[chosen[i].cell] for i in self._mine], np.int32)
        self._places = [(chosen[i].longitude, chosen[i].latitude) for i in self._mine]
        self._ranks = io_ranks(core_comm, IoOptions(**case.io.model_dump()), n_bytes=self._record_bytes)
        self._file: SpectraFile | None = None
        self._is_over = not asked

    @property
    def _record_bytes(self) -> int:
        return 4 * len(self._names) * self._grid.n_frequencies * self._grid.n_directions

    def write(self, hours: float) -> None:
        """Adds the spectra of now, hours since the start of the run."""
        if self._is_over:
            return
        if self._file is None:
            self._file = self._new_file(None)
        self._file.write(hours, self._values())

    def check(self) -> None:
        """Raises RunError if something that is written in the background failed so far; does not wait."""
        if self._file is not None:
            self._file.check()

    def close(self, behind: Behind) -> None:
        """Makes the file whole, behind the run."""
        if self._file is not None:
            behind.close(self.path, self._file)
            self._file = None

    def state(self) -> list[Any] | None:
        """How far the file is, for JSON."""
        return state_of(self._file)

    def resume(self, state: list[Any] | None) -> list[Path]:
        """Goes on from a state. Gives the file where it is whole by now, with all records of the run.

        Raises InputError where it is not as it was."""
        progress = progress_of(state)
        if progress is None:
            return []
        if from_root(self._comm, lambda: became_whole(self.path, self._n_records, progress)):
            self._is_over = True
            return [self.path]
        with input_agreed(self._comm):
            self._file = self._new_file(progress)
        return []

    @property
    def _n_records(self) -> int:
        return math.ceil(self._case.duration_s / self._case.output.interval) + 1

    def _new_file(self, progress: Progress | None) -> SpectraFile:
        return SpectraFile(
            self._ranks,
            self.path,
            self._mine,
            self._names,
            self._places,
            self._grid,
            start=self._case.time.start,
            title=f"Wave spectra at stations: {self._case.heading}",
            version=__version__,
            n_records=self._n_records,
            progress=progress,
        )

    def _values(self) -> dict[str, np.ndarray]:
        model, cells = self._model, self._cells
        sigma = np.asarray(self._grid.sigma)[:, np.newaxis]
        east, north = (np.asarray(wind, float)[cells] for wind in (model.eastward_wind, model.northward_wind))
        return {
            "efth": model.action[cells] * sigma,
            "dpt": np.asarray(model.depth)[cells],
            "wnd": np.hypot(east, north),
            "wnddir": np.degrees(np.arctan2(-east, -north)) % 360,
        }
