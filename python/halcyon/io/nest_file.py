"""Spectra at points as WAVEWATCH III lays them out: what nested models and the package wavespectra read."""

import numpy as np

from halcyon.base import InputError
from halcyon.io.writing import writing

_TIME_UNITS = "seconds since 1970-01-01 00:00:00"
_DENSITY = {
    "standard_name": "sea_surface_wave_directional_variance_spectral_density",
    "long_name": "directional variance spectral density of waves",
    "units": "m2 s rad-1",
}
_AXES = {
    "frequency": ("sea_surface_wave_frequency", "frequency of waves", "s-1"),
    "direction": (
        "sea_surface_wave_to_direction",
        "direction to which waves go, clockwise from north",
        "degree",
    ),
}
_PLACES = {"longitude": "degrees_east", "latitude": "degrees_north"}


class NestFile:
    """A file of spectra at points, of which one process writes record after record.

    It has the name `path`.part until `close`. Directions are towards, clockwise from north.
    """

    def __init__(self, path, *, n_records=0):
        """n_records: that are kept of a file that was begun; 0 begins a new one."""
        self._path, self._part = path, path.with_name(f"{path.name}.part")
        self._n, self._file = n_records, None

    def begin(self, *, frequency, direction, longitude, latitude, title):
        """Begins a file: frequency [Hz], direction [rad], longitude, latitude [degrees] (point). Raises
        RunError where the folder or the disk refuses."""
        from netCDF4 import Dataset

        with writing(self._part):
            self._file = Dataset(self._part, "w", format="NETCDF3_64BIT_OFFSET")
            self._define(frequency, np.degrees(direction), longitude, latitude, title)

    def go_on(self):
        """Opens a file that was begun, and goes on behind the records that are kept. Raises InputError where
        it is gone, or has fewer."""
        from netCDF4 import Dataset

        path = self._part if self._part.exists() else self._path
        if not path.exists():
            raise InputError(f"{self._path} is gone: its first {self._n} records cannot be gone on from.")
        if path == self._path:
            path.rename(self._part)
        with writing(self._part):
            self._file = Dataset(self._part, "a")
        if len(self._file.dimensions["time"]) < self._n:
            raise InputError(
                f"{self._part} has {len(self._file.dimensions['time'])} records, but {self._n} were written."
            )

    def write(self, time, density):
        """Adds a record: time (datetime, UTC), density [m2 s rad-1] (point, frequency, direction)."""
        with writing(self._part):
            self._file["time"][self._n] = (np.datetime64(time, "s") - np.datetime64(0, "s")).astype(float)
            self._file["efth"][self._n] = density
        self._n += 1

    def sync(self):
        """Brings the records to the disk."""
        with writing(self._part):
            self._file.sync()

    def close(self):
        """Gives the file its name."""
        with writing(self._part):
            self._file.close()
            self._part.rename(self._path)

    def _define(self, frequency, direction, longitude, latitude, title):
        file = self._file
        file.setncatts({"Conventions": "CF-1.11", "title": title})
        sizes = {"time": None, "station": len(longitude)}
        for name, size in {**sizes, "frequency": len(frequency), "direction": len(direction)}.items():
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.setncatts({"standard_name": "time", "units": _TIME_UNITS, "calendar": "standard"})
        file.createVariable("station", "i4", ("station",))[:] = np.arange(1, len(longitude) + 1)
        file["station"].setncatts({"long_name": "number of the point", "cf_role": "timeseries_id"})
        for name, values in (("longitude", longitude), ("latitude", latitude)):
            file.createVariable(name, "f8", ("station",))[:] = values
            file[name].setncatts({"standard_name": name, "long_name": name, "units": _PLACES[name]})
        for name, values in (("frequency", frequency), ("direction", direction)):
            standard_name, long_name, units = _AXES[name]
            file.createVariable(name, "f8", (name,))[:] = values
            file[name].setncatts({"standard_name": standard_name, "long_name": long_name, "units": units})
        density = file.createVariable("efth", "f4", ("time", "station", "frequency", "direction"))
        density.setncatts({**_DENSITY, "coordinates": "longitude latitude"})
