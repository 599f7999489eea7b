"""Names of input files, and linear interpolation in time between records."""

from __future__ import annotations

import glob
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import ConfigError
from halcyon.mesh.cf_file import in_unit
from halcyon.mesh.data_file import is_zarr


def resolve_files(files: Iterable[str | Path]) -> list[Path]:
    """Returns the files and Zarr stores that match `files` (names and patterns), sorted. Raises ConfigError
    for a name or pattern that matches no file."""
    paths = []
    for name in files:
        matches = [name] if Path(name).exists() else glob.glob(str(name), recursive=True)
        matches = [match for match in matches if Path(match).is_file() or is_zarr(match)]
        if not matches:
            raise ConfigError(
                f"There is no file {name}. Give the name of a file, or a pattern that matches files."
            )
        paths += matches
    return [Path(path) for path in sorted(set(map(str, paths)))]


def files_text(paths: Sequence[Path]) -> str:
    """Returns a short description of files for error messages, as `winds_1.nc and 2 more`."""
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


class TimeInterpolation:
    """Linear interpolation in time between records.

    times_s: times of the records [s] since the start of the run, increasing; load(record): reads one record;
    prefetch: whether a thread reads the next record in advance, which allows a `load` that uses neither MPI
    nor a library that is not safe in threads. An error of the thread is raised by `read`."""

    def __init__(
        self, times_s: np.ndarray, load: Callable[[int], np.ndarray], *, prefetch: bool = False
    ) -> None:
        self.times_s, self._load, self._prefetch = times_s, load, prefetch
        self._records: dict[int, np.ndarray] = {}
        self._next: tuple[int | None, Any] = None, None  # the record that is read in advance, and its future

    def records_to_read(self, time_s: float) -> list[int]:
        """Returns the indices of the records that `at(time_s)` needs and that have not been read."""
        return [record for record in self._bracketing_records(time_s) if record not in self._records]

    def read(self, record: int, time_s: float) -> np.ndarray:
        """Reads a record and returns its values; discards the records that `at(time_s)` does not need."""
        needed = self._bracketing_records(time_s)
        self._records = {index: values for index, values in self._records.items() if index in needed}
        (prefetched, future), self._next = self._next, (None, None)
        self._records[record] = future.result() if prefetched == record else self._load(record)
        following = record + 1
        if self._prefetch and record == needed[-1] and following < len(self.times_s):
            self._next = following, _in_background(self._load, following)
        return self._records[record]

    def at(self, time_s: float) -> np.ndarray:
        """Returns the values at a time [s] that the records cover. First `read` the records that
        `records_to_read` returns."""
        before, *after = self._bracketing_records(time_s)
        if not after:
            return self._records[before]
        before_s, after_s = self.times_s[before], self.times_s[after[0]]
        weight = (time_s - before_s) / (after_s - before_s)
        return (1 - weight) * self._records[before] + weight * self._records[after[0]]

    def _bracketing_records(self, time_s: float) -> list[int]:
        """Returns the indices of the two records around a time, or of the record at exactly this time."""
        before = int(np.searchsorted(self.times_s, time_s, "right")) - 1
        return [before] if self.times_s[before] == time_s else [before, before + 1]


def _in_background(load: Callable[[int], np.ndarray], record: int) -> Future[np.ndarray]:
    """Starts to read a record in a thread that does not delay the end of the program. Returns its future."""
    future: Future[np.ndarray] = Future()

    def run() -> None:
        try:
            future.set_result(load(record))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="halcyon-prefetch").start()
    return future


def seconds_since(start: np.datetime64 | datetime, times: np.ndarray) -> np.ndarray:
    """Returns the seconds from start to times (datetime64)."""
    return (times - in_unit(start, "ms")) / np.timedelta64(1000, "ms")
