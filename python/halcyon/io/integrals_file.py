"""Time series of integrals over the globe: a CSV that grows with the run, and a CF netCDF file at its end."""

import csv
from pathlib import Path

from halcyon.io import attributes
from halcyon.io.series import close_series
from halcyon.io.writing import writing

_UNSTAMPED = "0" * 16


class IntegralsFile:
    """Series of integrals, written by one rank as integrals.csv and, on `close`, integrals.nc.

    The CSV has a row a time, flushed at each, with all digits, so that a run that fails leaves it.

    @param variables rows of a table of variables
    @param origin `attributes.Origin` of the run

    Every method raises RunError, with the system's text, where a file cannot be written.
    """

    def __init__(self, folder, variables, *, start, origin):
        self.csv_path, self.netcdf_path = Path(folder) / "integrals.csv", Path(folder) / "integrals.nc"
        self._variables, self._start, self._origin = variables, start, origin
        self._hours, self._records = [], []
        with writing(self.csv_path):
            self._csv = self.csv_path.open("w", newline="", encoding="utf-8")
            self._rows = csv.writer(self._csv)
            self._rows.writerow(["time [UTC]", *(f"{row.name} [{row.units}]" for row in variables)])
            self._csv.flush()

    def write(self, time, hours, values):
        """Adds a time: values in the order of the variables."""
        self._hours.append(hours)
        self._records.append(list(values))
        with writing(self.csv_path):
            self._rows.writerow([time.strftime("%Y-%m-%dT%H:%M:%SZ"), *(repr(float(v)) for v in values)])
            self._csv.flush()

    def close(self):
        """Ends the CSV and writes the netCDF file, whole or not at all."""
        close_series(self._csv, self.csv_path, self.netcdf_path, self._write_netcdf)

    def _write_netcdf(self, path):
        from netCDF4 import Dataset

        with Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
            for name, text in attributes.of_file(self._origin):
                file.setncattr(name, text)
            file.createDimension("time", len(self._hours))
            time = file.createVariable("time", "f8", ("time",))
            time.setncatts(dict(attributes.of_time(self._start)))
            time[:] = self._hours
            for column, row in enumerate(self._variables):
                variable = file.createVariable(row.name, "f8", ("time",))
                variable.setncatts(dict(attributes.of_variable(row)))
                if row.cell_methods:
                    variable.cell_methods = row.cell_methods
                variable[:] = [record[column] for record in self._records]
            for each in file.variables.values():
                each.checksum = _UNSTAMPED
            file.header_checksum = _UNSTAMPED
