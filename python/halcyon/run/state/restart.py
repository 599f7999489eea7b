"""Restart files: the state of a run, from which it goes on to the bit on any ranks."""

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
from halcyon.launch.errors import agreed, from_root
from halcyon.run.folder import update_run_file
from halcyon.run.output.files import BackgroundFiles, restart_files, restart_path, restarts_in, titled
from halcyon.run.output.records import Recorder
from halcyon.run.progress import say
from halcyon.run.state.restart_state import (
    IDENTITY,
    LAYOUT,
    LAYOUT_NUMBER,
    STATE,
    RestartState,
    open_restart,
    require_alike,
    require_same,
)

if TYPE_CHECKING:
    from mpi4py import MPI

_SERIES = ("series_record", "series_station", "series_variable")


class Restarts:
    """The restart files of a run. Collective in all it does.

    A file holds the rows of the table of variables that a restart needs, by item in the mesh's order; the
    series; and as texts (JSON) the rest of the state, and what the run that goes on must have in common with
    this one (`identity`).
    """

    def __init__(
        self, case: RunCase, held: RestartState, recorder: Recorder, comm: MPI.Comm, core_comm: Any
    ) -> None:
        self._case, self._held, self._recorder, self._comm = case, held, recorder, comm
        self._ranks = held.ranks(case, core_comm)
        self._placements = held.placements(self._ranks)
        self._kept: list[Path] = []
        self.background = BackgroundFiles(comm)

    def forget_older(self) -> None:
        """Deletes what another run left in the folder: this one writes over its files."""
        with agreed(self._comm):
            if self._comm.rank == 0:
                self._delete_older()

    def write(self, time: datetime, state: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        """Writes the state at a time of the run (UTC); the file is whole soon, see `check`."""
        path = restart_path(self._case, time)
        state = {**state, "time": time.isoformat(), "records": self._recorder.state()}
        schema, series = self._schema(state, identity), self._recorder.series
        writer = Writer(self._ranks, str(path), schema, 0)
        for name, placement in self._placements.items():
            writer.write(-1, placement, [(v.name, self._held.array(v.name)) for v in self._held.on(name)])
        if series.hours:
            hours, values = np.array(series.hours, float), series.tables()
            writer.write_root(-1, [("series_hours", hours), ("series_values", values)])
        self.background.close(path, writer)

    def check(self) -> None:
        """Raises what went wrong; deletes older files once a new one is whole. Never waits."""
        self._keep(self.background.check())

    def close(self) -> None:
        """Waits until all are whole."""
        self._keep(self.background.wait())
        with agreed(self._comm):
            if self._comm.rank == 0 and self._kept:
                self._delete_older()

    def resume(self, identity: Mapping[str, Any]) -> dict[str, Any]:
        """Sets model and recorder to the newest state that can be gone on from. Gives the rest of the state.

        Those that are damaged, or whose fields files are, are passed over with a warning.
        @throws ConfigError if the newest is of another run; InputError if none is left
        """
        paths = from_root(self._comm, lambda: restart_files(self._case.folder))
        for i, path in enumerate(paths):
            try:
                state = self._restore(path, identity)
            except InputError as error:
                say(self._comm, f"warning: {path.name} cannot be used: {error}")
                continue
            self._kept = paths[i : i + self._case.restart.keep][::-1]
            say(self._comm, f"The run goes on from {path.name}, {state['time'].replace('T', ' ')} UTC.")
            return state
        raise InputError(
            f"None of the {len(paths)} restart files in {self._case.folder} can be used."
            " Start the run again without --resume."
        )

    def start_from(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Sets the model to the sea of another run's restart file.

        Raises ConfigError where its mesh, its bins or its time are others, InputError where it is no whole
        restart file."""
        reader, state, theirs = open_restart(self._ranks, path, self._comm)
        require_alike(self._case, state, identity, theirs, _is_of_the_sea, what="sea")
        self._read_variables(reader)
        reader.close()

    def _restore(self, path: Path, identity: Mapping[str, Any]) -> dict[str, Any]:
        reader, state, theirs = open_restart(self._ranks, path, self._comm)
        require_same(path, identity, theirs)
        self._read_variables(reader)
        series = self._series(reader)
        reader.close()
        self._recorder.resume(state["records"])
        self._recorder.series.restore(*series)
        return state

    def _read_variables(self, reader: Reader) -> None:
        self._held.read(reader, self._placements)

    def _series(self, reader: Reader) -> tuple[np.ndarray, np.ndarray]:
        """Hours (record) and values (record, station, variable) of a file; none where it has none."""
        if "series_hours" not in reader.schema.names:
            return np.empty(0), np.empty((0, *self._recorder.series.shape))
        hours = np.empty(reader.schema.shape("series_hours"))
        values = np.empty(reader.schema.shape("series_values"))
        reader.read_all(-1, [("series_hours", hours), ("series_values", values)])
        return hours, values

    def _schema(self, state: Mapping[str, Any], identity: Mapping[str, Any]) -> Schema:
        schema, series = Schema(), self._recorder.series
        for name, size in self._held.sizes:
            schema.dimension(name, size)
        for variable in self._held.variables:
            kind = Type.float32 if self._held.array(variable.name).itemsize == 4 else Type.float64
            schema.variable(variable.name, kind, list(variable.dimensions))
            for name, text in attributes.variable_attributes(variable).items():
                schema.attribute(variable.name, name, text)
        if series.hours:
            for name, size in zip(_SERIES, (len(series.hours), *series.shape), strict=True):
                schema.dimension(name, size)
            schema.variable("series_hours", Type.float64, [_SERIES[0]])
            schema.variable("series_values", Type.float64, list(_SERIES))
        origin = attributes.file_attributes(titled(self._recorder.origin, self._case, "State"))
        for name, text in [*origin.items(), *self._texts(state, identity)]:
            schema.attribute("", name, text)
        return schema

    def _texts(self, state: Mapping[str, Any], identity: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Rank 0's, on all ranks: a header must be the same on all of them."""
        return self._comm.bcast(
            [(LAYOUT, LAYOUT_NUMBER), (STATE, json.dumps(state)), (IDENTITY, json.dumps(identity))], root=0
        )

    def _keep(self, whole: list[Path]) -> None:
        self._kept += [path for path in whole if path not in self._kept]
        with agreed(self._comm):
            if self._comm.rank == 0 and whole:
                update_run_file(self._case.folder, restart=str(whole[-1]))
                self._delete_older()

    def _delete_older(self) -> None:
        """Deletes all restart files of the folder but the newest of this run and those being written."""
        kept = {*self._kept[-self._case.restart.keep :], *self.background.paths}
        for path in restarts_in(self._case.folder):
            for each in (path, path.with_name(f"{path.name}.part")):
                if path not in kept:
                    each.unlink(missing_ok=True)


def _is_of_the_sea(option: str) -> bool:
    """Whether what a restart file says of an option must be the same where a sea is taken from it."""
    return option == "mesh" or option.startswith("mesh.spectrum.")
