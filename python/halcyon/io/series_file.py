"""Time series in a CSV that grows with a run, and at its end in CF netCDF: at stations, of integrals."""

import csv
import math
import os
from pathlib import Path

import numpy as np

from halcyon._core.io import stamp
from halcyon.io.attributes import AXES, FILL, methods_of, of_file, of_time, of_variable
from halcyon.io.writing import on_disk, writing

_UNSTAMPED = "0" * 16


class SeriesFile:
    """Series of variables at places, written by one rank.

    The CSV has a row a time and place, flushed at each time, so that a run that fails leaves it. `close`
    writes the same values as netCDF.

    @param folder that gets NAME.csv and NAME.nc
    @param head of the columns before those of the variables  @param variables rows of a table of variables
    @param origin `attributes.Origin` of the run

    Every method raises RunError, with the system's text, where a file cannot be written.
    """

    def __init__(self, folder, name, head, variables, *, start, origin):
        self.csv_path, self.netcdf_path = (Path(folder) / f"{name}{suffix}" for suffix in (".csv", ".nc"))
        self._variables, self._start, self._origin = variables, start, origin
        self._hours, self._records = [], []
        with writing(self.csv_path):
            self._csv = self.csv_path.open("w", newline="", encoding="utf-8")
            self._rows = csv.writer(self._csv)
            self._rows.writerow(["time [UTC]", *head, *(f"{row.name} [{row.units}]" for row in variables)])
            self._csv.flush()

    def write(self, time, hours, values):
        """Adds a time: values (place, variable) in the order of both."""
        self._hours.append(hours)
        self._records.append(np.asarray(values, float))
        said = time.strftime("%Y-%m-%dT%H:%M:%SZ")
        with writing(self.csv_path):
            self._rows.writerows([said, *row] for row in self._table(values))
            self._csv.flush()

    def close(self):
        """Ends the CSV and writes the netCDF file, whole or not at all."""
        with writing(self.csv_path):
            os.fsync(self._csv.fileno())
            self._csv.close()
        part = self.netcdf_path.with_suffix(".nc.part")
        with writing(self.netcdf_path, f"{self.csv_path} holds the series."):
            self._write_netcdf(part)
            stamp(str(part))
            on_disk(part)
            os.replace(part, self.netcdf_path)

    def _write_netcdf(self, path):
        from netCDF4 import Dataset

        with Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
            file.setncatts(of_file(self._origin))
            self._define_places(file)
            time = file.createVariable("time", "f8", ("time",))
            time.setncatts(of_time(self._start))
            time[:] = self._hours
            for column, row in enumerate(self._variables):
                self._write_variable(file, row, np.array([record[:, column] for record in self._records]))
            for each in file.variables.values():
                each.checksum = _UNSTAMPED
            file.header_checksum = _UNSTAMPED


class StationsFile(SeriesFile):
    """stations.csv and stations.nc (CF discrete sampling geometry, featureType timeSeries).

    @param stations each with name, longitude, latitude [degrees] as asked for
    @param places (station, 2) longitude and latitude [degrees] of the cells that stand for them
    """

    def __init__(self, folder, stations, places, variables, *, start, origin):
        self._stations, self._places = stations, np.asarray(places)
        head = ["station", "longitude [degrees_east]", "latitude [degrees_north]"]
        super().__init__(folder, "stations", head, variables, start=start, origin=origin)

    def _table(self, values):
        for station, row in zip(self._stations, values, strict=True):
            numbers = ["" if math.isnan(value) else f"{value:.6g}" for value in row]
            yield [station.name, station.longitude, station.latitude, *numbers]

    def _define_places(self, file):
        file.featureType = "timeSeries"
        length = max(len(s.name.encode()) for s in self._stations)
        file.createDimension("time", len(self._hours))
        file.createDimension("station", len(self._stations))
        file.createDimension("name_length", length)
        names = file.createVariable("station_name", "S1", ("station", "name_length"))
        names.setncatts({"cf_role": "timeseries_id", "long_name": "name of the station"})
        encoded = np.array([s.name.encode() for s in self._stations], dtype=f"S{length}")
        names[:] = encoded.view("S1").reshape(len(self._stations), length)
        asked = np.array([(s.longitude, s.latitude) for s in self._stations], float)
        for prefix, points, what in (("", asked, "station"), ("cell_", self._places, "cell of the station")):
            for column, name in enumerate(("lon", "lat")):
                standard_name, units, _ = AXES[name]
                variable = file.createVariable(prefix + name, "f8", ("station",))
                variable.setncatts({"standard_name": standard_name, "units": units})
                variable.long_name = f"{standard_name} of the {what}"
                variable[:] = points[:, column]

    def _write_variable(self, file, row, values):
        variable = file.createVariable(row.name, "f4", ("station", "time"), fill_value=FILL)
        located = {"coordinates": "lon lat station_name"}
        variable.setncatts(of_variable(row) | located | methods_of(row))
        variable[:] = np.ma.masked_invalid(values).T


class IntegralsFile(SeriesFile):
    """integrals.csv, with all digits, and integrals.nc: of one place, the globe."""

    def __init__(self, folder, variables, *, start, origin):
        super().__init__(folder, "integrals", [], variables, start=start, origin=origin)

    def _table(self, values):
        return [[repr(float(value)) for value in row] for row in values]

    def _define_places(self, file):
        file.createDimension("time", len(self._hours))

    def _write_variable(self, file, row, values):
        variable = file.createVariable(row.name, "f8", ("time",))
        variable.setncatts(of_variable(row) | methods_of(row))
        variable[:] = values[:, 0]
