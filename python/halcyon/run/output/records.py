"""Output of a run: records of fields in segment files, time series at stations, spectra."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__
from halcyon.base import InternalError, RunError
from halcyon.config.run_case import RunCase
from halcyon.io import FieldsFile, IoOptions, Progress, io_ranks
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import GridFile, OwnedGrid, OwnedMesh
from halcyon.io.vertical_axis import LEVEL, VerticalAxis
from halcyon.launch.errors import all_ranks_raise, from_root
from halcyon.run.folder import read_run_file, update_run_file
from halcyon.run.output.files import (
    BackgroundFiles,
    FileChecksums,
    file_state,
    last_hours,
    reopen,
    segment_path,
    segment_records,
    with_title,
)
from halcyon.run.progress import print_on_root

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.series.series import TimeSeries
    from halcyon.run.series.spectra import SpectraRecords


DEFAULT_ORIGIN = Origin("", __version__, "")


@dataclass(frozen=True)
class OutputContents:
    """The contents of the output files of a model."""

    part: OwnedMesh | OwnedGrid  # this rank's part of the mesh or grid
    fixed: Any  # row of the variable table: the time-independent field of the fields files
    variables: list[Any]  # rows of the variable table: the variables of the fields files
    series: TimeSeries
    spectra: list[SpectraRecords]  # files of spectra at points
    title: str  # title of the fields files
    vertical: VerticalAxis | None = None  # axis of variables with levels
    origin: Origin = DEFAULT_ORIGIN  # provenance of all files, without title

    @property
    def record_bytes(self) -> int:
        """Size of the fields of one record, over all ranks."""
        sizes = {LEVEL: self.vertical.size} if self.vertical else {}
        values_per_column = sum(prod(sizes.get(name, 1) for name in row.dimensions) for row in self.variables)
        return 4 * self.part.n_columns * values_per_column  # 4 bytes per value


class Recorder:
    """Writes the records of a run. All methods are collective.

    @param core_comm communicator of the output files
    """

    def __init__(self, case: RunCase, contents: OutputContents, comm: MPI.Comm, core_comm: Any) -> None:
        self._case, self._comm, self._contents = case, comm, contents
        options = IoOptions(**case.io.model_dump())
        self.ranks = io_ranks(core_comm, options, n_bytes=contents.record_bytes)
        self._fields: FieldsFile | None = None
        # Start of the present segment; initially of the segment before the run, so that the first record
        # starts a segment.
        self._segment = case.time.start - timedelta(seconds=case.output.segment_s)
        self.series, self._spectra, self.origin = contents.series, contents.spectra, contents.origin
        self.files: list[Path] = []
        self._kept_files: list[Path] = []  # files of the run before it was resumed, until they are rewritten
        self._checksums = FileChecksums()
        self.background = BackgroundFiles(comm)

    def write(self, time: datetime, values: dict[str, np.ndarray]) -> None:
        """Writes a record at `time`: the variables of the fields files by name, (owned cell) or (owned cell,
        level), and the present series values and spectra of the model."""
        if time >= self._segment_end and time < self._case.time.end:
            self._start_segment(time)
        hours = (time - self._case.time.start).total_seconds() / 3600
        if self._fields is not None:
            self._fields.write(hours, values)
        self.series.write(time, hours)
        for spectra in self._spectra:
            spectra.write(hours)

    def flush(self) -> None:
        """Waits until all records are on the disk, or have failed. Raises RunError if one could not be
        written."""
        failures = []
        files: list[Any] = [file for file in (self._fields, *self._spectra) if file]
        for file in files:
            try:
                file.flush()
            except RunError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def check(self) -> None:
        """Raises errors of background writes; lists files that have been completed since the last check."""
        if self._fields is not None:
            self._fields.check()
        for spectra in self._spectra:
            spectra.check()
        self._add_completed(self.background.check())

    def close(self) -> None:
        """Completes the open files, and waits until all files are complete."""
        self._close_fields()
        for spectra in self._spectra:
            spectra.close(self.background)
        self._add_completed(self.background.wait())
        self._kept_files = []
        self._add_completed(self.series.close())

    def update_file_list(self) -> None:
        """Writes the list of complete files into run.json. Pictures are drawn only from listed files."""
        with all_ranks_raise(self._comm):
            if self._comm.rank == 0:
                files = dict.fromkeys([*self.files, *self._kept_files])
                update_run_file(self._case.folder, files=[str(path) for path in files])

    def state(self) -> dict[str, Any]:
        """Flushes the records to disk. Returns the state that `resume` needs, for JSON; valid on rank 0."""
        fields_state, spectra_states = (
            file_state(self._fields),
            [spectra.state() for spectra in self._spectra],
        )
        self._add_completed(self.background.wait())
        return {
            "files": self._checksums.state(),
            "segment": self._segment.isoformat(),
            "open": fields_state,
            "spectra": spectra_states,
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Resumes from a state: continues the segment that was open, or starts with the next segment if the
        open one was completed after the state was saved.

        A completed file that is missing is omitted from the file list, with a warning. Raises InputError if a
        file does not match the state."""
        folder = self._case.folder
        present, missing = from_root(self._comm, lambda: self._checksums.restore(folder, state["files"]))
        files = [folder / name for name in present]
        segment = datetime.fromisoformat(state["segment"])
        path, n_records = segment_path(self._case, segment), segment_records(self._case, segment)
        fields, is_complete = reopen(
            self._comm,
            path,
            n_records,
            last_hours(self._case, segment, n_records),
            state["open"],
            lambda progress: self._open_file(path, segment, progress),
        )
        if is_complete:
            files.append(path)
            from_root(self._comm, lambda: self._checksums.add([path]))
        self.files, self._segment, self._fields = files, segment, fields
        self._kept_files = from_root(self._comm, lambda: _listed_files(folder))
        self._resume_spectra(state["spectra"])
        if missing:
            print_on_root(
                self._comm,
                f"warning: {', '.join(missing)} is missing in {folder} and is omitted from run.json.",
            )

    @property
    def _segment_end(self) -> datetime:
        return self._segment + timedelta(seconds=self._case.output.segment_s)

    def _resume_spectra(self, states: list[Any]) -> None:
        pairs = zip(self._spectra, states, strict=True)
        completed = [path for spectra, state in pairs for path in spectra.resume(state)]
        self.files += [path for path in completed if path not in self.files]
        from_root(self._comm, lambda: self._checksums.add(completed))

    def _start_segment(self, time: datetime) -> None:
        self._close_fields()
        self._segment = time
        path = segment_path(self._case, time)
        if path in [*self.files, *self.background.paths]:
            raise InternalError(f"{path} was already written by this run.")
        self._fields = self._open_file(path, time, progress=None)

    def _open_file(self, path: Path, segment: datetime, progress: Progress | None) -> FieldsFile:
        file_class = GridFile if isinstance(self._contents.part, OwnedGrid) else FieldsFile
        return file_class(
            self.ranks,
            path,
            self._contents.part,
            self._contents.variables,
            self._contents.fixed,
            start=self._case.time.start,
            origin=with_title(self.origin, self._case, self._contents.title),
            n_records=segment_records(self._case, segment),
            progress=progress,
            compression=self._case.output.compression,
            vertical=self._contents.vertical,
        )

    def _close_fields(self) -> None:
        if self._fields is not None:
            self.background.close(Path(self._fields.path), self._fields)
            self._fields = None

    def _add_completed(self, completed: list[Path]) -> None:
        if completed:
            self.files += completed
            with all_ranks_raise(self._comm):
                if self._comm.rank == 0:
                    self._checksums.add(completed)
            self.update_file_list()


def _listed_files(folder: Path) -> list[Path]:
    """The files that run.json lists and that exist."""
    listed = (folder / Path(file).name for file in read_run_file(folder).get("files") or ())
    return [path for path in listed if path.is_file()]
