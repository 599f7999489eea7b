"""What a run writes: records of fields in segments, series at stations, spectra."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__
from halcyon.base import InternalError
from halcyon.config.run_case import RunCase
from halcyon.io import FieldsFile, IoOptions, Progress, io_ranks
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import GridFile, OwnedGrid, OwnedMesh
from halcyon.io.vertical_axis import LEVEL, VerticalAxis
from halcyon.launch.errors import agreed, from_root
from halcyon.run.folder import update_run_file
from halcyon.run.output.files import (
    BackgroundFiles,
    FileChecksums,
    reopened,
    segment_path,
    segment_records,
    state_of,
    titled,
)
from halcyon.run.progress import say

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.series.series import Series
    from halcyon.run.series.spectra import SpectraRecords


OURS = Origin("", __version__, "")


@dataclass(frozen=True)
class Contents:
    """What the files of a model's run hold: `part` of the mesh or grid with the field that is `fixed` (its
    row of the table), `variables` of the fields files, `series` in time, `spectra` at points, `title` of the
    fields, the `vertical` axis of variables with levels, and the `origin` of all files but for their titles.
    """

    part: OwnedMesh | OwnedGrid
    fixed: Any
    variables: list[Any]
    series: Series
    spectra: list[SpectraRecords]
    title: str
    vertical: VerticalAxis | None = None
    origin: Origin = OURS

    @property
    def record_bytes(self) -> int:
        """Of the fields of one record, of all ranks."""
        sizes = {LEVEL: self.vertical.size} if self.vertical else {}
        columns = sum(prod(sizes.get(name, 1) for name in row.dimensions) for row in self.variables)
        return 4 * self.part.n_columns * columns


class Recorder:
    """Writes the records of a run. Collective in all it does.

    @param core_comm the communicator that the files are written by
    """

    def __init__(self, case: RunCase, contents: Contents, comm: MPI.Comm, core_comm: Any) -> None:
        self._case, self._comm, self._contents = case, comm, contents
        options = IoOptions(**case.io.model_dump())
        self.ranks = io_ranks(core_comm, options, n_bytes=contents.record_bytes)
        self._fields: FieldsFile | None = None
        self._segment = case.time.start - timedelta(seconds=case.output.segment)
        self.series, self._spectra, self.origin = contents.series, contents.spectra, contents.origin
        self.files: list[Path] = []
        self._checksums = FileChecksums()
        self.background = BackgroundFiles(comm)

    def write(self, time: datetime, values: dict[str, np.ndarray]) -> None:
        """Writes a record at a time of the run: the variables of the fields files by name (owned cell), or
        (owned cell, level), and what the model has now for series and spectra."""
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
        self._add(self.background.check())

    def close(self) -> None:
        """Makes the open files whole."""
        self._close_fields()
        for spectra in self._spectra:
            spectra.close(self.background)
        self._add(self.background.wait())
        self._add(self.series.close())

    def note_files(self) -> None:
        """Puts what is whole into run.json, so that pictures are drawn from this run's files alone."""
        with agreed(self._comm):
            if self._comm.rank == 0:
                update_run_file(self._case.folder, files=[str(path) for path in self.files])

    def state(self) -> dict[str, Any]:
        """Brings the records to the disk. Gives what `resume` needs, for JSON; complete on rank 0."""
        fields, spectra = state_of(self._fields), [each.state() for each in self._spectra]
        self._add(self.background.wait())
        return {
            "files": self._checksums.state(),
            "segment": self._segment.isoformat(),
            "open": fields,
            "spectra": spectra,
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Goes on from a state: with the open segment where it was, or behind it where it is whole by now.

        A whole segment that was moved away is left out, with a warning. Raises InputError where a file is not
        as it was."""
        folder = self._case.folder
        there, gone = from_root(self._comm, lambda: self._checksums.restore(folder, state["files"]))
        files = [folder / name for name in there]
        segment = datetime.fromisoformat(state["segment"])
        path, n_records = segment_path(self._case, segment), segment_records(self._case, segment)
        fields, is_whole = reopened(
            self._comm, path, n_records, state["open"], lambda progress: self._file(path, segment, progress)
        )
        if is_whole:
            files.append(path)
            from_root(self._comm, lambda: self._checksums.add([path]))
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
        from_root(self._comm, lambda: self._checksums.add(whole))

    def _next_segment(self, time: datetime) -> None:
        self._close_fields()
        self._segment = time
        path = segment_path(self._case, time)
        if path in [*self.files, *self.background.paths]:
            raise InternalError(f"{path} was already written by this run.")
        self._fields = self._file(path, time, None)

    def _file(self, path: Path, segment: datetime, progress: Progress | None) -> FieldsFile:
        kind = GridFile if isinstance(self._contents.part, OwnedGrid) else FieldsFile
        return kind(
            self.ranks,
            path,
            self._contents.part,
            self._contents.variables,
            self._contents.fixed,
            start=self._case.time.start,
            origin=titled(self.origin, self._case, self._contents.title),
            n_records=segment_records(self._case, segment),
            progress=progress,
            compression=self._case.output.compression,
            vertical=self._contents.vertical,
        )

    def _close_fields(self) -> None:
        if self._fields is not None:
            self.background.close(Path(self._fields.path), self._fields)
            self._fields = None

    def _add(self, whole: list[Path]) -> None:
        if whole:
            self.files += whole
            with agreed(self._comm):
                if self._comm.rank == 0:
                    self._checksums.add(whole)
            self.note_files()
