"""Time series at stations: a CSV that grows with the run, and a CF netCDF file at its end."""

import csv
import math
from pathlib import Path

import numpy as np

from halcyon.io import attributes
from halcyon.io.series import close_series
from halcyon.io.writing import writing

_UNSTAMPED = "0" * 16


class StationsFile:
    """Series of variables at stations, written by one rank.

    The CSV has a row a time and station, flushed at each time, so that a run that fails leaves it. `close`
    writes the same values as `stations.nc` (CF discrete sampling geometry, featureType timeSeries).

    @param folder that gets stations.csv and stations.nc
    @param stations each with name, longitude, latitude [degrees] as asked for
    @param places (station, 2) longitude and latitude [degrees] of the cells that stand for them
    @param variables rows of the table of variables
    @param origin `attributes.Origin` of the run

    Every method raises RunError, with the system's text, where a file cannot be written.
    """

    def __init__(self, folder, stations, places, variables, *, start, origin):
        self.csv_path, self.netcdf_path = Path(folder) / "stations.csv", Path(folder) / "stations.nc"
        self._stations, self._places, self._variables = stations, np.asarray(places), variables
        self._start, self._origin = start, origin
        self._hours, self._records = [], []
        names = [f"{variable.name} [{variable.units}]" for variable in variables]
        with writing(self.csv_path):
            self._csv = self.csv_path.open("w", newline="", encoding="utf-8")
            self._rows = csv.writer(self._csv)
            self._rows.writerow(
                ["time [UTC]", "station", "longitude [degrees_east]", "latitude [degrees_north]", *names]
            )
            self._csv.flush()

    def write(self, time, hours, values):
        """Adds a time: values (station, variable) in the order of both."""
        self._hours.append(hours)
        self._records.append(np.asarray(values, float))
        with writing(self.csv_path):
            self._rows.writerows(self._row(time, *each) for each in zip(self._stations, values, strict=True))
            self._csv.flush()

    def _row(self, time, station, values):
        numbers = ["" if math.isnan(value) else f"{value:.6g}" for value in values]
        said = time.strftime("%Y-%m-%dT%H:%M:%SZ")
        return [said, station.name, station.longitude, station.latitude, *numbers]

    def close(self):
        """Ends the CSV and writes the netCDF file, whole or not at all."""
        close_series(self._csv, self.csv_path, self.netcdf_path, self._write_netcdf)

    def _write_netcdf(self, path):
        from netCDF4 import Dataset

        with Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
            for name, text in attributes.of_file(self._origin):
                file.setncattr(name, text)
            file.featureType = "timeSeries"
            file.createDimension("time", len(self._hours))
            file.createDimension("station", len(self._stations))
            file.createDimension("name_length", max(len(s.name.encode()) for s in self._stations))
            self._write_stations(file)
            self._write_series(file)
            for each in file.variables.values():
                each.checksum = _UNSTAMPED
            file.header_checksum = _UNSTAMPED

    def _write_stations(self, file):
        names = file.createVariable("station_name", "S1", ("station", "name_length"))
        names.setncatts({"cf_role": "timeseries_id", "long_name": "name of the station"})
        length = len(file.dimensions["name_length"])
        encoded = np.array([s.name.encode() for s in self._stations], dtype=f"S{length}")
        names[:] = encoded.view("S1").reshape(len(self._stations), length)
        asked = np.array([(s.longitude, s.latitude) for s in self._stations], float)
        for prefix, points, what in (("", asked, "station"), ("cell_", self._places, "cell of the station")):
            for column, (name, standard_name, units) in enumerate(
                (("lon", "longitude", "degrees_east"), ("lat", "latitude", "degrees_north"))
            ):
                variable = file.createVariable(prefix + name, "f8", ("station",))
                variable.setncatts({"standard_name": standard_name, "units": units})
                variable.long_name = f"{standard_name} of the {what}"
                variable[:] = points[:, column]

    def _write_series(self, file):
        time = file.createVariable("time", "f8", ("time",))
        units = attributes.time_units(self._start)
        time.setncatts({"standard_name": "time", "long_name": "time", "units": units, "calendar": "standard"})
        time.units_metadata = "leap_seconds: none"
        time[:] = self._hours
        for column, row in enumerate(self._variables):
            variable = file.createVariable(row.name, "f4", ("station", "time"), fill_value=attributes.FILL)
            variable.setncatts(dict(attributes.of_variable(row)))
            variable.coordinates = "lon lat station_name"
            if row.cell_methods:
                variable.cell_methods = row.cell_methods
            values = np.array([record[:, column] for record in self._records])
            variable[:] = np.ma.masked_invalid(values).T
