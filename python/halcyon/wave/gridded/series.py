"""A quantity of files at the cells at any time of a run."""

import numpy as np

from halcyon.mesh.cf_file import shown
from halcyon.wave.records import Between, seconds_since


class Series(Between):
    """What a catalogue gives at places, see `Between`; values are NaN where there is none.

    found: a `Catalogue` that covers the run, see `serving`; interpolation: an `Interpolation` of its grid;
    start (datetime64, UTC): time 0 of the run. Reading raises InputError where a file cannot be read.
    """

    def __init__(self, found, interpolation, start):
        times = np.array([record.time for record in found.records])
        super().__init__(seconds_since(start, times), self._values)
        self.found, self._interpolation = found, interpolation

    def place(self, record):
        """`winds.nc: u10 at 2022-09-01 06:00 UTC`, for errors."""
        variable, _ = self.found.records[record].parts[0]
        return f"{variable.path}: {variable.name} at {shown(self.found.records[record].time)} UTC"

    def _values(self, record):
        parts = self.found.records[record].parts
        window = self._interpolation.window
        total = sum(variable.read(i, window) for variable, i in parts)
        return self._interpolation(total / len(parts))
