"""What a run writes: records of fields in segments, series at stations."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__, wave
from halcyon.base import InternalError
from halcyon.config.case import Case
from halcyon.io import FieldsFile, StationsFile, io_ranks
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.assemble import Parts
from halcyon.run.errors import agreed
from halcyon.run.report import update_run_file
from halcyon.run.segments import segment_path, segment_records

if TYPE_CHECKING:
    from mpi4py import MPI

DEPTH = "depth"


class Recorder:
    """Writes the records of a run. Collective in all it does.

    @param core_comm the communicator that the files are written by
    """

    def __init__(self, case: Case, parts: Parts, model: wave.Model, comm: MPI.Comm, core_comm: Any) -> None:
        self._case, self._model, self._comm = case, model, comm
        table = {variable.name: variable for variable in wave.wave_variables()}
        self._variables = [table[name] for name in case.output.variables if name != DEPTH]
        self._depth = table[DEPTH]
        self._part = OwnedMesh.of(parts.mesh, model.owned_cells, model.owned_vertices)
        self._ranks = io_ranks(core_comm, n_bytes=4 * len(self._variables) * self._part.n_cells)
        self._fields: FieldsFile | None = None
        self._segment_end = case.time.start
        written = [v for v in table.values() if v.output and v.name != DEPTH]
        with agreed(comm):
            self._stations = _Stations(case, parts, model, comm, written)
        self.files: list[Path] = []

    def write(self, time: datetime, values: dict[str, np.ndarray]) -> None:
        """Writes a record of the products and winds (owned cell) at a time of the run."""
        if time >= self._segment_end and time < self._case.time.end:
            self._next_segment(time)
        hours = (time - self._case.time.start).total_seconds() / 3600
        self._fields.write(hours, values)
        self._stations.write(time, hours, values)

    def close(self) -> None:
        """Makes the open files whole."""
        self._close_fields()
        self.files += self._stations.close()
        self._note_files()

    def _next_segment(self, time: datetime) -> None:
        self._close_fields()
        self._segment_end = time + timedelta(seconds=self._case.output.segment)
        path = segment_path(self._case, time)
        if path in self.files:
            raise InternalError(f"{path} was already written by this run.")
        self._fields = FieldsFile(
            self._ranks,
            path,
            self._part,
            self._variables,
            self._depth,
            start=self._case.time.start,
            title=f"Waves: {self._case.heading}",
            version=__version__,
            n_records=segment_records(self._case, time),
        )

    def _note_files(self) -> None:
        """Puts what is whole into run.json, so that pictures are drawn from this run's files alone."""
        with agreed(self._comm):
            if self._comm.rank == 0:
                update_run_file(self._case.folder, files=[str(path) for path in self.files])

    def _close_fields(self) -> None:
        if self._fields is not None:
            self._fields.close()
            self._fields.wait()
            self.files.append(Path(self._fields.path))
            self._fields = None
            self._note_files()


class _Stations:
    """Gathers the values of the station cells on rank 0, which writes them."""

    def __init__(
        self, case: Case, parts: Parts, model: wave.Model, comm: MPI.Comm, variables: list[Any]
    ) -> None:
        self._comm, self._variables = comm, variables
        local = {int(cell): i for i, cell in enumerate(model.owned_cells)}
        self._mine = [(row, local[int(c)]) for row, c in enumerate(parts.station_cells) if int(c) in local]
        self._n = len(parts.station_cells)
        self._file = None
        if comm.rank == 0 and self._n:
            mesh, cells = parts.mesh, parts.station_cells
            places = np.degrees(np.stack([mesh.cell_longitude[cells], mesh.cell_latitude[cells]], axis=1))
            title = f"Waves at stations: {case.heading}"
            self._file = StationsFile(
                case.folder,
                case.output.stations,
                places,
                variables,
                start=case.time.start,
                title=title,
                version=__version__,
            )

    def write(self, time: datetime, hours: float, values: dict[str, np.ndarray]) -> None:
        if not self._n:
            return
        mine = [(row, [float(values[v.name][cell]) for v in self._variables]) for row, cell in self._mine]
        gathered = self._comm.gather(mine, root=0)
        with agreed(self._comm):
            if self._file is not None:
                table = np.empty((self._n, len(self._variables)))
                for row, numbers in (entry for part in gathered for entry in part):
                    table[row] = numbers
                self._file.write(time, hours, table)

    def close(self) -> list[Path]:
        with agreed(self._comm):
            if self._file is not None:
                self._file.close()
        return [] if self._file is None else [self._file.csv_path, self._file.netcdf_path]
