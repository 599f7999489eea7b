"""The series at the stations of a run: gathered on rank 0, which writes them."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.config.case import Case
from halcyon.io import StationsFile
from halcyon.launch.errors import agreed
from halcyon.run.assemble import Parts
from halcyon.run.origin import origin_of
from halcyon.run.values import values_of

if TYPE_CHECKING:
    from mpi4py import MPI


class StationSeries:
    """Collective in all it does. `shape`: stations and variables; `hours`: of the records, on all ranks."""

    def __init__(
        self, case: Case, parts: Parts, model: wave.Model, comm: MPI.Comm, variables: list[Any]
    ) -> None:
        self._case, self._parts, self._comm, self._variables = case, parts, comm, variables
        self._model = model
        local = {int(cell): i for i, cell in enumerate(model.owned_cells)}
        self._rows = [row for row, s in enumerate(parts.stations) if s.cell in local]
        self._cells = np.array([local[parts.stations[row].cell] for row in self._rows], np.int32)
        self.shape = len(parts.stations), len(variables)
        self.hours: list[float] = []
        self._tables: list[np.ndarray] = []
        self._file: StationsFile | None = None

    def write(self, time: datetime, hours: float) -> None:
        """Adds a time of the run: what the model has now in the cells of the stations."""
        if not self.shape[0]:
            return
        values = values_of(self._model, [variable.name for variable in self._variables], self._cells)
        table = np.array([values[v.name] for v in self._variables], float).T
        gathered = self._comm.gather(list(zip(self._rows, table, strict=True)), root=0)
        self.hours.append(hours)
        with agreed(self._comm):
            if self._comm.rank == 0:
                table = np.empty(self.shape)
                for row, numbers in (entry for part in gathered for entry in part):
                    table[row] = numbers
                self._add(time, hours, table)

    def tables(self) -> np.ndarray:
        """All that was written, (record, station, variable); empty on other ranks than 0."""
        return np.array(self._tables, float).reshape(-1, *self.shape)

    def restore(self, hours: np.ndarray, tables: np.ndarray) -> None:
        """Writes the series anew as they were: hours (record), values (record, station, variable)."""
        self.hours = hours.tolist()
        with agreed(self._comm):
            if self._comm.rank == 0:
                for hour, table in zip(self.hours, tables, strict=True):
                    self._add(self._case.time.start + timedelta(hours=hour), hour, table)

    def close(self) -> list[Path]:
        """Makes the files whole. Gives their names."""
        with agreed(self._comm):
            if self._file is not None:
                self._file.close()
        files = [] if self._file is None else [self._file.csv_path, self._file.netcdf_path]
        return self._comm.bcast(files, root=0)

    def _new_file(self) -> StationsFile:
        places = np.array([(place.longitude, place.latitude) for place in self._parts.stations])
        return StationsFile(
            self._case.folder,
            self._case.output.stations,
            places,
            self._variables,
            start=self._case.time.start,
            origin=origin_of(self._case, "Waves at stations"),
        )

    def _add(self, time: datetime, hours: float, table: np.ndarray) -> None:
        self._tables.append(table)
        self._file = self._file or self._new_file()
        self._file.write(time, hours, table)
