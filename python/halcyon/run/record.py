"""What a run writes: records of fields in segments, series at stations, spectra."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.base import InternalError
from halcyon.config.case import Case
from halcyon.io import FieldsFile, IoOptions, Progress, io_ranks
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.assemble import Parts
from halcyon.run.behind import Behind
from halcyon.run.errors import agreed, from_root, input_agreed
from halcyon.run.open_file import became_whole, progress_of, state_of
from halcyon.run.origin import origin_of
from halcyon.run.progress import say
from halcyon.run.run_file import update_run_file
from halcyon.run.seals import Seals
from halcyon.run.segments import segment_path, segment_records
from halcyon.run.spectra_records import SpectraRecords, spectra_places
from halcyon.run.station_series import StationSeries

if TYPE_CHECKING:
    from mpi4py import MPI

DEPTH = "depth"
# Of the medium, by the group of forcing that they come from.
MEDIUM = {
    "water_level": "water_level",
    "eastward_current": "current",
    "northward_current": "current",
    "ice_fraction": "ice",
}


class Recorder:
    """Writes the records of a run. Collective in all it does.

    @param core_comm the communicator that the files are written by
    """

    def __init__(self, case: Case, parts: Parts, model: wave.Model, comm: MPI.Comm, core_comm: Any) -> None:
        self._case, self._comm = case, comm
        table = {variable.name: variable for variable in wave.wave_variables()}
        self._variables = [table[name] for name in case.output.variables if name != DEPTH]
        self._depth = table[DEPTH]
        self._part = OwnedMesh.of(parts.mesh)
        n_bytes = 4 * len(self._variables) * self._part.n_cells
        self.ranks = io_ranks(core_comm, IoOptions(**case.io.model_dump()), n_bytes=n_bytes)
        self._fields: FieldsFile | None = None
        self._segment = case.time.start - timedelta(seconds=case.output.segment)
        known = [v for v in table.values() if v.output and v.name != DEPTH]
        at_stations = [v for v in known if v.name in case.output.variables or _has(case, v)]
        self.series = StationSeries(case, parts, model, comm, at_stations)
        self._spectra = [
            SpectraRecords(case, each, parts, model, comm, core_comm)
            for each in spectra_places(case, parts, comm)
        ]
        self.files: list[Path] = []
        self._seals = Seals()
        self.behind = Behind(comm)

    @property
    def names(self) -> list[str]:
        """Of the variables that `write` takes."""
        return [variable.name for variable in self._variables]

    def write(self, time: datetime, values: dict[str, np.ndarray]) -> None:
        """Writes a record at a time of the run: the variables of the fields files by name (owned cell), and
        what the model has at the stations."""
        if time >= self._segment_end and time < self._case.time.end:
            self._next_segment(time)
        hours = (time - self._case.time.start).total_seconds() / 3600
        if self._fields is not None:
            self._fields.write(hours, values)
        self.series.write(time, hours)
        for spectra in self._spectra:
            spectra.write(hours)

    def check(self) -> None:
        """Raises what went wrong behind the run; notes the files that have become whole since."""
        if self._fields is not None:
            self._fields.check()
        for spectra in self._spectra:
            spectra.check()
        self._add(self.behind.check())

    def close(self) -> None:
        """Makes the open files whole."""
        self._close_fields()
        for spectra in self._spectra:
            spectra.close(self.behind)
        self._add(self.behind.wait())
        self._add(self.series.close())

    def note_files(self) -> None:
        """Puts what is whole into run.json, so that pictures are drawn from this run's files alone."""
        with agreed(self._comm):
            if self._comm.rank == 0:
                update_run_file(self._case.folder, files=[str(path) for path in self.files])

    def state(self) -> dict[str, Any]:
        """Brings the records to the disk. Gives what `resume` needs, for JSON; complete on rank 0."""
        fields, spectra = state_of(self._fields), [each.state() for each in self._spectra]
        self._add(self.behind.wait())
        return {
            "files": self._seals.state(),
            "segment": self._segment.isoformat(),
            "open": fields,
            "spectra": spectra,
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Goes on from a state: with the open segment where it was, or behind it where it is whole by now.

        A whole segment that was moved away is left out, with a warning. Raises InputError where a file is not
        as it was."""
        folder = self._case.folder
        there, gone = from_root(self._comm, lambda: self._seals.restore(folder, state["files"]))
        files = [folder / name for name in there]
        segment, fields = datetime.fromisoformat(state["segment"]), None
        path = segment_path(self._case, segment)
        progress = progress_of(state["open"])
        if progress is not None:
            n_records = segment_records(self._case, segment)
            if from_root(self._comm, lambda: became_whole(path, n_records, progress)):
                files.append(path)
                from_root(self._comm, lambda: self._seals.add([path]))
            else:
                with input_agreed(self._comm):
                    fields = self._file(path, segment, progress)
        self.files, self._segment, self._fields = files, segment, fields
        self._resume_spectra(state["spectra"])
        if gone:
            say(
                self._comm, f"warning: {', '.join(gone)} is not in {folder} any more; run.json leaves it out."
            )

    @property
    def _segment_end(self) -> datetime:
        return self._segment + timedelta(seconds=self._case.output.segment)

    def _resume_spectra(self, states: list[Any]) -> None:
        pairs = zip(self._spectra, states, strict=True)
        whole = [path for spectra, state in pairs for path in spectra.resume(state)]
        self.files += [path for path in whole if path not in self.files]
        from_root(self._comm, lambda: self._seals.add(whole))

    def _next_segment(self, time: datetime) -> None:
        self._close_fields()
        self._segment = time
        path = segment_path(self._case, time)
        if path in [*self.files, *self.behind.paths]:
            raise InternalError(f"{path} was already written by this run.")
        self._fields = self._file(path, time, None)

    def _file(self, path: Path, segment: datetime, progress: Progress | None) -> FieldsFile:
        return FieldsFile(
            self.ranks,
            path,
            self._part,
            self._variables,
            self._depth,
            start=self._case.time.start,
            origin=origin_of(self._case, "Waves"),
            n_records=segment_records(self._case, segment),
            progress=progress,
            compression=self._case.output.compression,
        )

    def _close_fields(self) -> None:
        if self._fields is not None:
            self.behind.close(Path(self._fields.path), self._fields)
            self._fields = None

    def _add(self, whole: list[Path]) -> None:
        if whole:
            self.files += whole
            with agreed(self._comm):
                if self._comm.rank == 0:
                    self._seals.add(whole)
            self.note_files()


def _has(case: Case, variable: Any) -> bool:
    """Whether a run has a variable at any rate: not what is gathered for files that ask for it, nor what no
    forcing gives."""
    group = MEDIUM.get(variable.name)
    return not variable.restart and (group is None or getattr(case.forcing, group) is not None)
