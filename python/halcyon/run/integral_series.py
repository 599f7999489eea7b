"""The series of integrals over the globe of a run of a core."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.config.run_case import RunCase
from halcyon.io.integrals_file import IntegralsFile
from halcyon.launch.errors import agreed
from halcyon.run.origin import origin_of

if TYPE_CHECKING:
    from mpi4py import MPI


class IntegralSeries:
    """Collective in all it does. `shape`: one place, the globe, and integrals; `hours`: of records."""

    def __init__(self, case: RunCase, core: Any, comm: MPI.Comm) -> None:
        self._case, self._core, self._comm = case, core, comm
        self._variables = core.integral_variables
        self.shape = 1, len(self._variables)
        self.hours: list[float] = []
        self._records: list[np.ndarray] = []
        self._file: IntegralsFile | None = None

    def write(self, time: datetime, hours: float) -> None:
        """Adds the integrals of the present state, at a time of the run."""
        self._add(time, hours, self._core.integrals())

    def tables(self) -> np.ndarray:
        """All that was written, (record, 1, integral)."""
        return np.array(self._records, float).reshape(-1, *self.shape)

    def restore(self, hours: np.ndarray, tables: np.ndarray) -> None:
        """Writes the series anew as it was: hours (record), values (record, 1, integral)."""
        for hour, table in zip(hours.tolist(), tables, strict=True):
            self._add(self._case.time.start + timedelta(hours=hour), hour, table[0])

    def close(self) -> list[Path]:
        """Makes the files whole. Gives their names."""
        with agreed(self._comm):
            if self._file is not None:
                self._file.close()
        files = [] if self._file is None else [self._file.csv_path, self._file.netcdf_path]
        return self._comm.bcast(files, root=0)

    def _add(self, time: datetime, hours: float, values: np.ndarray) -> None:
        self.hours.append(hours)
        self._records.append(values)
        with agreed(self._comm):
            if self._comm.rank == 0:
                self._file = self._file or IntegralsFile(
                    self._case.folder,
                    self._variables,
                    start=self._case.time.start,
                    origin=origin_of(self._case, "Integrals over the globe"),
                )
                self._file.write(time, hours, values)
