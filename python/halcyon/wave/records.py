"""The files that a case names for one purpose, and values at any time between their records."""

import glob
from pathlib import Path

import numpy as np

from halcyon.base import ConfigError


def found_files(files):
    """The files that names and patterns stand for, sorted. Raises ConfigError for one without any."""
    paths = []
    for name in files:
        matched = [name] if Path(name).is_file() else glob.glob(str(name), recursive=True)
        matched = [each for each in matched if Path(each).is_file()]
        if not matched:
            raise ConfigError(
                f"There is no file {name}. Give the name of a netCDF file, or a pattern of some."
            )
        paths += matched
    return [Path(path) for path in sorted(set(map(str, paths)))]


def shown_files(paths):
    """Files in a few words, for errors."""
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


class Between:
    """Values that are linear in time between records.

    times_s: [s] of the records since the start of the run, increasing; load(record): reads the values of one.
    """

    def __init__(self, times_s, load):
        self._times_s, self._load = times_s, load
        self._held = {}

    def missing(self, time_s):
        """The records, by number, that `at` needs for a time [s] and that are not held."""
        return [record for record in self._around(time_s) if record not in self._held]

    def read(self, record, time_s):
        """Reads a record, and forgets those that a time [s] does not need. Gives its values."""
        needed = self._around(time_s)
        self._held = {number: values for number, values in self._held.items() if number in needed}
        self._held[record] = self._load(record)
        return self._held[record]

    def at(self, time_s):
        """The values at a time [s] within the records; what `missing` names must have been read."""
        before, *after = self._around(time_s)
        if not after:
            return self._held[before]
        first, last = self._times_s[before], self._times_s[after[0]]
        weight = (time_s - first) / (last - first)
        return (1 - weight) * self._held[before] + weight * self._held[after[0]]

    def _around(self, time_s):
        """The numbers of the two records around a time, or of the one that is of that time."""
        before = int(np.searchsorted(self._times_s, time_s, "right")) - 1
        return [before] if self._times_s[before] == time_s else [before, before + 1]


def seconds_since(start, times):
    """[s] from start to times (datetime64)."""
    return (times - np.datetime64(start, "ms")) / np.timedelta64(1000, "ms")
