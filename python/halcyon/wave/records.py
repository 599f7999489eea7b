"""Names of input files, and linear interpolation in time between records."""

import glob
from pathlib import Path

import numpy as np

from halcyon.base import ConfigError


def resolve_files(files):
    """Returns the files that match names and patterns, sorted. Raises ConfigError for a name or
    pattern that matches no file."""
    paths = []
    for name in files:
        matched = [name] if Path(name).is_file() else glob.glob(str(name), recursive=True)
        matched = [each for each in matched if Path(each).is_file()]
        if not matched:
            raise ConfigError(
                f"There is no file {name}. Give the name of a netCDF file, or a pattern that matches files."
            )
        paths += matched
    return [Path(path) for path in sorted(set(map(str, paths)))]


def files_text(paths):
    """Returns a short description of files, for errors."""
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


class TimeInterpolation:
    """Linear interpolation in time between records.

    times_s: times of the records [s] since the start of the run, increasing; load(record): reads one record.
    """

    def __init__(self, times_s, load):
        self._times_s, self._load = times_s, load
        self._records = {}

    def missing(self, time_s):
        """Returns the indices of the records that `at` needs for a time [s] and that have not been read."""
        return [record for record in self._bracketing_records(time_s) if record not in self._records]

    def read(self, record, time_s):
        """Reads a record, and discards the records that a time [s] does not need. Returns its values."""
        needed = self._bracketing_records(time_s)
        self._records = {number: values for number, values in self._records.items() if number in needed}
        self._records[record] = self._load(record)
        return self._records[record]

    def at(self, time_s):
        """Returns the values at a time [s] within the records. The records of `missing` must have been
        read."""
        before, *after = self._bracketing_records(time_s)
        if not after:
            return self._records[before]
        first, last = self._times_s[before], self._times_s[after[0]]
        weight = (time_s - first) / (last - first)
        return (1 - weight) * self._records[before] + weight * self._records[after[0]]

    def _bracketing_records(self, time_s):
        """Returns the indices of the two records around a time, or of the one at exactly that time."""
        before = int(np.searchsorted(self._times_s, time_s, "right")) - 1
        return [before] if self._times_s[before] == time_s else [before, before + 1]


def seconds_since(start, times):
    """Returns the seconds from start to times (datetime64)."""
    return (times - np.datetime64(start, "ms")) / np.timedelta64(1000, "ms")
