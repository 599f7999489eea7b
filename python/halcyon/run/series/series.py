"""The time series of a run: waves at stations, and global integrals of a dynamical core."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.config.case import Case
from halcyon.config.run_case import RunCase
from halcyon.io import StationsFile
from halcyon.io.attributes import Origin
from halcyon.io.series_file import IntegralsFile
from halcyon.launch.errors import all_ranks_raise
from halcyon.mesh.sphere import wrapped
from halcyon.run.input.cells import Station
from halcyon.run.output.files import with_title

if TYPE_CHECKING:
    from mpi4py import MPI

# Variables of the air at the sea surface, which the model computes together.
SURFACE = ("friction_velocity", "roughness_length", "eastward_stress", "northward_stress")


class TimeSeries(ABC):
    """Time series that rank 0 writes. All methods are collective. `shape`: (number of stations, number of
    variables) of a record; `hours`: times of the records since the start of the run [hours], on all ranks."""

    def __init__(
        self, case: RunCase, comm: MPI.Comm, variables: list[Any], n_stations: int, origin: Origin
    ) -> None:
        self._case, self._comm, self._variables, self._origin = case, comm, variables, origin
        self.shape = n_stations, len(variables)
        self.hours: list[float] = []
        self._tables: list[np.ndarray] = []
        self._file: StationsFile | IntegralsFile | None = None

    @abstractmethod
    def _table(self) -> np.ndarray:
        """The present values (station, variable), valid on rank 0."""

    @abstractmethod
    def _new_file(self) -> StationsFile | IntegralsFile: ...

    def write(self, time: datetime, hours: float) -> None:
        """Adds the present values of the model as the record of `time`."""
        if not self.shape[0]:
            return
        table = self._table()
        self.hours.append(hours)
        with all_ranks_raise(self._comm):
            if self._comm.rank == 0:
                self._add(time, hours, table)

    def tables(self) -> np.ndarray:
        """All written records (record, station, variable); empty on ranks other than 0."""
        return np.array(self._tables, float).reshape(-1, *self.shape)

    def restore(self, hours: np.ndarray, tables: np.ndarray) -> None:
        """Rewrites the series from restored hours (record) and values (record, station, variable)."""
        self.hours, self._tables, self._file = hours.tolist(), [], None
        with all_ranks_raise(self._comm):
            if self._comm.rank == 0:
                for hour, table in zip(self.hours, tables, strict=True):
                    self._add(self._case.time.start + timedelta(hours=hour), hour, table)

    def close(self) -> list[Path]:
        """Completes the files and returns their paths."""
        with all_ranks_raise(self._comm):
            if self._file is not None:
                self._file.close()
        files = [] if self._file is None else [self._file.csv_path, self._file.netcdf_path]
        return self._comm.bcast(files, root=0)

    def _add(self, time: datetime, hours: float, table: np.ndarray) -> None:
        self._tables.append(table)
        self._file = self._file or self._new_file()
        self._file.write(time, hours, table)


class StationSeries(TimeSeries):
    """Wave variables at the stations of a run, with longitudes around `middle`."""

    def __init__(
        self,
        case: Case,
        stations: list[Station],
        model: wave.Model,
        comm: MPI.Comm,
        variables: list[Any],
        origin: Origin,
        middle: float,
    ) -> None:
        super().__init__(case, comm, variables, len(stations), origin)
        self._model, self._stations, self._middle = model, stations, middle
        local_index = {int(cell): i for i, cell in enumerate(model.owned_cells)}
        self._owned_stations = [i for i, station in enumerate(stations) if station.cell in local_index]
        self._cells = np.array([local_index[stations[i].cell] for i in self._owned_stations], np.int32)

    def _table(self) -> np.ndarray:
        values = values_of(self._model, [variable.name for variable in self._variables], self._cells)
        rows = np.array([values[v.name] for v in self._variables], float).T
        gathered = self._comm.gather(list(zip(self._owned_stations, rows, strict=True)), root=0)
        table = np.empty(self.shape)
        for station, row in (pair for pairs in gathered or () for pair in pairs):
            table[station] = row
        return table

    def _new_file(self) -> StationsFile:
        output: Any = self._case.output  # of a wave case
        points = [
            point.model_copy(update={"longitude": float(wrapped(point.longitude, self._middle))})
            for point in output.stations
        ]
        return StationsFile(
            self._case.folder,
            points,
            np.array([(station.longitude, station.latitude) for station in self._stations]),
            self._variables,
            start=self._case.time.start,
            origin=with_title(self._origin, self._case, "Waves at stations"),
        )


class IntegralSeries(TimeSeries):
    """Global integrals of a core's state, as the series of a single station."""

    def __init__(self, case: RunCase, core: Any, comm: MPI.Comm, origin: Origin) -> None:
        super().__init__(case, comm, core.integral_variables, 1, origin)
        self._core = core

    def _table(self) -> np.ndarray:
        return np.array(self._core.integrals(), float)[np.newaxis]

    def _new_file(self) -> IntegralsFile:
        return IntegralsFile(
            self._case.folder,
            self._variables,
            start=self._case.time.start,
            origin=with_title(self._origin, self._case, "Integrals over the globe"),
        )


def field_of(model: wave.Model, name: str) -> np.ndarray:
    """A field of the model, (owned cell, ...): an attribute, or a field of one of its added source terms."""
    is_of_scheme = name in {variable.name for variable in model.scheme_variables}
    return model.scheme_field(name) if is_of_scheme else getattr(model, name)


def values_of(
    model: wave.Model, names: Sequence[str], cells: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Values of variables by name, float32 (owned cell); only at `cells` (int32 local indices) if given.
    Calls the model once for all products and once for all surface variables; the other variables are
    attributes of the model."""
    products = set(wave.product_names())
    values = model.products([name for name in names if name in products], cells)
    surface = model.surface(cells) if set(SURFACE) & {*names} else {}
    for name in names:
        if name in surface:
            values[name] = surface[name]
        elif name not in values:
            field = np.asarray(field_of(model, name))
            values[name] = field if cells is None else field[cells]
    return values
