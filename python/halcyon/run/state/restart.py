"""Restart files: the state of a run, from which it resumes bit for bit on any number of ranks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.config.run_case import RunCase
from halcyon.io import Reader, Schema, Type, Writer, attributes
from halcyon.launch.errors import all_ranks_raise, from_root
from halcyon.run.folder import add_restart
from halcyon.run.input.forcing import sea_depends_on_end
from halcyon.run.output.files import (
    BackgroundFiles,
    require_restart_files,
    restart_path,
    restarts_in,
    with_title,
)
from halcyon.run.output.records import Recorder
from halcyon.run.progress import print_on_root
from halcyon.run.state.restart_state import (
    IDENTITY,
    LAYOUT,
    LAYOUT_NUMBER,
    NO_RECORD,
    STATE,
    RestartState,
    open_restart,
    require_compatible,
    require_later_end,
    require_same_run,
    require_variables,
)

if TYPE_CHECKING:
    from mpi4py import MPI

_SERIES_DIMENSIONS = ("series_record", "series_station", "series_variable")


class Restarts:
    """The restart files of a run. All methods are collective.

    A file holds the variables of the model's state in the order of the mesh, the time series, and, as JSON
    texts, the rest of the state and the identity of the run.
    """

    def __init__(
        self, case: RunCase, restart_state: RestartState, recorder: Recorder, comm: MPI.Comm, core_comm: Any
    ) -> None:
        self._case, self._restart_state, self._recorder, self._comm = case, restart_state, recorder, comm
        self._ranks = restart_state.ranks(case, core_comm)
        self._placements = restart_state.placements(self._ranks)
        self._complete: list[Path] = []  # complete files of this run, the newest last
        self.background = BackgroundFiles(comm)

    def write(self, time: datetime, state: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        """Writes the state at `time` (UTC); the file is completed in the background, see `check`."""
        path = restart_path(self._case, time)
        state = {**state, "time": time.isoformat(), "records": self._recorder.state()}
        schema, series = self._schema(state, identity), self._recorder.series
        writer = Writer(self._ranks, str(path), schema, n_records=0)
        for name, placement in self._placements.items():
            writer.write(
                NO_RECORD,
                placement,
                [
                    (v.name, self._restart_state.array_of(v.name))
                    for v in self._restart_state.variables_on(name)
                ],
            )
        if series.hours:
            hours, values = np.array(series.hours, float), series.tables()
            writer.write_root(NO_RECORD, [("series_hours", hours), ("series_values", values)])
        self.background.close(path, writer)

    def check(self) -> None:
        """Raises errors of background writes; deletes older files once a new file is complete. Does not
        wait."""
        self._add_complete(self.background.check())

    def close(self) -> None:
        """Waits until all files are complete, and deletes older files."""
        self._add_complete(self.background.wait())
        with all_ranks_raise(self._comm):
            if self._comm.rank == 0 and self._complete:
                self._delete_all_but_newest()

    def resume(self, identity: Mapping[str, Any]) -> dict[str, Any]:
        """Sets the model and the recorder to the newest usable state. Returns the state that the file holds
        as JSON.

        Skips, with a warning, restart files that are damaged or whose fields files are damaged.
        @throws ConfigError if the newest file belongs to another run; InputError if no file is usable
        """
        paths = from_root(self._comm, lambda: require_restart_files(self._case.folder))
        for i, path in enumerate(paths):
            try:
                state = self._restore(path, identity)
            except InputError as error:
                print_on_root(self._comm, f"warning: {path.name} cannot be used: {error}")
                continue
            self._complete = paths[i : i + self._case.restart.keep][::-1]  # `paths` begins with the newest
            print_on_root(self._comm, f"Resuming from {path.name}, {state['time'].replace('T', ' ')} UTC.")
            return state
        raise InputError(
            f"None of the {len(paths)} restart files in {self._case.folder} can be used."
            " Start the run again with --overwrite instead of --resume."
        )

    def initialize_from(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Sets the model to the wave state of another run's restart file.

        Raises ConfigError if the file is for another mesh, spectral grid or time, InputError if it is not a
        complete restart file."""
        reader, state, file_identity = open_restart(self._ranks, path, self._comm)
        require_compatible(self._case, state, identity, file_identity, _defines_wave_state)
        missing = self._restart_state.missing_in(reader)
        for name in missing:
            print_on_root(self._comm, f"note: {path} has no {name}, which starts from its initial value.")
        self._restart_state.read(reader, self._placements, skipped=missing)
        reader.close()

    def _restore(self, path: Path, identity: Mapping[str, Any]) -> dict[str, Any]:
        """Sets the model and the recorder to the state of a file."""
        reader, state, file_identity = open_restart(self._ranks, path, self._comm)
        require_same_run(path, identity, file_identity)
        require_later_end(self._case, path, state)
        self._require_same_sea(state, file_identity)
        require_variables(path, reader, self._restart_state.missing_in(reader))
        self._restart_state.read(reader, self._placements)
        series = self._series(reader)
        reader.close()
        self._recorder.resume(state["records"])
        self._recorder.series.restore(*series)
        return state

    def _require_same_sea(self, state: Mapping[str, Any], file_identity: Mapping[str, Any]) -> None:
        """Raises InputError if ice, currents or water level before the state were those of another end."""
        time, start = datetime.fromisoformat(state["time"]), self._case.time.start
        end = datetime.fromisoformat(file_identity["time.end"])
        if sea_depends_on_end(self._case, (time - start).total_seconds(), (end - start).total_seconds()):
            raise InputError(
                "its last steps have the ice, currents or water level of another time.end,"
                f" {end.isoformat()}."
            )

    def _series(self, reader: Reader) -> tuple[np.ndarray, np.ndarray]:
        """Hours (record) and values (record, station, variable) of a file; empty if it has no series."""
        if "series_hours" not in reader.schema.names:
            return np.empty(0), np.empty((0, *self._recorder.series.shape))
        hours = np.empty(reader.schema.shape("series_hours"))
        values = np.empty(reader.schema.shape("series_values"))
        reader.read_all(NO_RECORD, [("series_hours", hours), ("series_values", values)])
        return hours, values

    def _schema(self, state: Mapping[str, Any], identity: Mapping[str, Any]) -> Schema:
        """The header of a restart file."""
        schema, series = Schema(), self._recorder.series
        for name, size in self._restart_state.sizes:
            schema.dimension(name, size)
        for variable in self._restart_state.variables:
            kind = Type.float32 if self._restart_state.array_of(variable.name).itemsize == 4 else Type.float64
            schema.variable(variable.name, kind, list(variable.dimensions))
            for name, text in attributes.variable_attributes(variable).items():
                schema.attribute(variable.name, name, text)
        if series.hours:
            for name, size in zip(_SERIES_DIMENSIONS, (len(series.hours), *series.shape), strict=True):
                schema.dimension(name, size)
            schema.variable("series_hours", Type.float64, [_SERIES_DIMENSIONS[0]])
            schema.variable("series_values", Type.float64, list(_SERIES_DIMENSIONS))
        origin = attributes.file_attributes(with_title(self._recorder.origin, self._case, "State"))
        for name, text in [*origin.items(), *self._texts(state, identity)]:
            schema.attribute("", name, text)
        return schema

    def _texts(self, state: Mapping[str, Any], identity: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The attributes with JSON texts, from rank 0, since all ranks must define the same header."""
        return self._comm.bcast(
            [(LAYOUT, LAYOUT_NUMBER), (STATE, json.dumps(state)), (IDENTITY, json.dumps(identity))], root=0
        )

    def _add_complete(self, completed: list[Path]) -> None:
        """Names the newest of the files just completed in run.json, and deletes older files."""
        self._complete += [path for path in completed if path not in self._complete]
        with all_ranks_raise(self._comm):
            if self._comm.rank == 0 and completed:
                add_restart(self._case.folder, completed[-1])
                self._delete_all_but_newest()

    def _delete_all_but_newest(self) -> None:
        """Deletes all restart files of the folder except the newest of this run and files being written. The
        file of the start of the run is not kept in addition to a newer one."""
        newest = self._complete[-self._case.restart.keep :]
        if len(self._complete) > 1 and newest[0] == restart_path(self._case, self._case.time.start):
            newest = newest[1:]
        kept = {*newest, *self.background.paths}
        for path in restarts_in(self._case.folder):
            for complete_or_partial in (path, path.with_name(f"{path.name}.part")):
                if path not in kept:
                    complete_or_partial.unlink(missing_ok=True)


def _defines_wave_state(option: str) -> bool:
    """Whether an option must be equal in a run that starts from the wave state of a restart file."""
    return option == "mesh" or option.startswith("mesh.spectrum.")
