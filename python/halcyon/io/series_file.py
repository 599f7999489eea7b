"""Time series of stations and of global integrals: a CSV during the run, and CF netCDF at its end."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import RunError
from halcyon.io.attributes import (
    AXES,
    FILL,
    OutputVariable,
    cell_methods_of,
    file_attributes,
    time_attributes,
    variable_attributes,
)
from halcyon.io.writing import writing
from halcyon.mesh.atomic_file import open_new, write_netcdf

if TYPE_CHECKING:
    import netCDF4

    from halcyon.io.attributes import Origin


class Station(Protocol):
    """What a file of stations states of each."""

    name: str
    longitude: float
    latitude: float


class SeriesFile:
    """Time series of variables at locations, written by one rank.

    The CSV has one row per time and location and is flushed at each time, so that it survives a failure of
    the run. `close` writes the same values as netCDF. Subclasses define the columns of the CSV (`_table`) and
    the coordinates and variables of the netCDF file.

    @param folder, name the files are FOLDER/NAME.csv and FOLDER/NAME.nc
    @param header names of the CSV columns between the time and the variables
    @param variables entries of the model's table of variables (name, units, ...)
    @param start start of the run (datetime, UTC)
    @param origin `attributes.Origin` of the run

    Every method raises RunError, with the system's text, if a file cannot be written.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        name: str,
        header: list[str],
        variables: Sequence[OutputVariable],
        *,
        start: datetime,
        origin: Origin,
    ) -> None:
        self.csv_path, self.netcdf_path = (Path(folder) / f"{name}{suffix}" for suffix in (".csv", ".nc"))
        self._variables, self._start, self._origin = variables, start, origin
        self._hours: list[float] = []
        self._records: list[np.ndarray] = []
        with writing(self.csv_path):
            self._csv_file = open_new(self.csv_path)
            self._csv_writer = csv.writer(self._csv_file)
            columns = [f"{variable.name} [{variable.units}]" for variable in variables]
            self._csv_writer.writerow(["time [UTC]", *header, *columns])
            self._csv_file.flush()

    def write(self, time: datetime, hours: float, values: np.ndarray) -> None:
        """Appends a time (datetime, UTC; hours since the start of the run), with values (location,
        variable)."""
        self._hours.append(hours)
        self._records.append(np.asarray(values, float))
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ")
        with writing(self.csv_path):
            self._csv_writer.writerows([stamp, *row] for row in self._table(values))
            self._csv_file.flush()

    def close(self) -> None:
        """Closes the CSV and writes the netCDF file atomically."""
        with writing(self.csv_path):
            os.fsync(self._csv_file.fileno())
            self._csv_file.close()
        try:
            write_netcdf(self.netcdf_path, self._fill, "NETCDF3_64BIT_OFFSET")
        except RunError as error:
            raise RunError(f"{error} {self.csv_path} holds the series.") from None

    def _fill(self, file: netCDF4.Dataset) -> None:
        file.setncatts(file_attributes(self._origin))
        self._define_coordinates(file)
        time = file.createVariable("time", "f8", ("time",))
        time.setncatts(time_attributes(self._start))
        time[:] = self._hours
        for column, variable in enumerate(self._variables):
            series = np.array([record[:, column] for record in self._records])
            self._write_variable(file, variable, series)

    def _table(self, values: np.ndarray) -> Iterable[list[str | float]]:
        """The rows of the CSV, after the time."""
        raise NotImplementedError

    def _define_coordinates(self, file: netCDF4.Dataset) -> None:
        raise NotImplementedError

    def _write_variable(self, file: netCDF4.Dataset, variable: OutputVariable, values: np.ndarray) -> None:
        raise NotImplementedError


class StationsFile(SeriesFile):
    """stations.csv and stations.nc (CF discrete sampling geometry, featureType timeSeries).

    @param stations each with name, longitude and latitude [degrees], as the user gave them
    @param cell_positions (station, 2) longitude and latitude [degrees] of the cell of each station
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        stations: Sequence[Station],
        cell_positions: ArrayLike,
        variables: Sequence[OutputVariable],
        *,
        start: datetime,
        origin: Origin,
    ) -> None:
        self._stations, self._cell_positions = stations, np.asarray(cell_positions)
        header = ["station", "longitude [degrees_east]", "latitude [degrees_north]"]
        super().__init__(folder, "stations", header, variables, start=start, origin=origin)

    def _table(self, values: np.ndarray) -> Iterator[list[str | float]]:
        for station, row in zip(self._stations, values, strict=True):
            numbers = ["" if math.isnan(value) else f"{value:.6g}" for value in row]
            yield [station.name, station.longitude, station.latitude, *numbers]

    def _define_coordinates(self, file: netCDF4.Dataset) -> None:
        file.featureType = "timeSeries"
        length = max(len(s.name.encode()) for s in self._stations)
        file.createDimension("time", len(self._hours))
        file.createDimension("station", len(self._stations))
        file.createDimension("name_length", length)
        names = file.createVariable("station_name", "S1", ("station", "name_length"))
        names.setncatts({"cf_role": "timeseries_id", "long_name": "name of the station"})
        encoded = np.array([s.name.encode() for s in self._stations], dtype=f"S{length}")
        names[:] = encoded.view("S1").reshape(len(self._stations), length)
        station_positions = np.array([(s.longitude, s.latitude) for s in self._stations], float)
        for prefix, positions, owner in (
            ("", station_positions, "station"),
            ("cell_", self._cell_positions, "cell of the station"),
        ):
            for column, name in enumerate(("lon", "lat")):
                standard_name, units, _ = AXES[name]
                variable = file.createVariable(prefix + name, "f8", ("station",))
                variable.setncatts({"standard_name": standard_name, "units": units})
                variable.long_name = f"{standard_name} of the {owner}"
                variable[:] = positions[:, column]

    def _write_variable(self, file: netCDF4.Dataset, variable: OutputVariable, values: np.ndarray) -> None:
        file_variable = file.createVariable(variable.name, "f4", ("station", "time"), fill_value=FILL)
        coordinates = {"coordinates": "lon lat station_name"}
        file_variable.setncatts(variable_attributes(variable) | coordinates | cell_methods_of(variable))
        file_variable[:] = np.ma.masked_invalid(values).T


class IntegralsFile(SeriesFile):
    """integrals.csv, with all digits, and integrals.nc: time series of integrals over the globe."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        variables: Sequence[OutputVariable],
        *,
        start: datetime,
        origin: Origin,
    ) -> None:
        super().__init__(folder, "integrals", [], variables, start=start, origin=origin)

    def _table(self, values: np.ndarray) -> Iterable[list[str | float]]:
        rows: list[list[str | float]] = [[repr(float(value)) for value in row] for row in values]
        return rows

    def _define_coordinates(self, file: netCDF4.Dataset) -> None:
        file.createDimension("time", len(self._hours))

    def _write_variable(self, file: netCDF4.Dataset, variable: OutputVariable, values: np.ndarray) -> None:
        file_variable = file.createVariable(variable.name, "f8", ("time",))
        file_variable.setncatts(variable_attributes(variable) | cell_methods_of(variable))
        file_variable[:] = values[:, 0]
