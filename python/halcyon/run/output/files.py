"""The files of a run: names, provenance, progress of open files and checksums of complete ones."""

from __future__ import annotations

import hashlib
import math
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import InputError
from halcyon.config.run_case import RunCase
from halcyon.io import Progress, has_records, verify
from halcyon.io.attributes import Origin
from halcyon.io.writing import flush_to_disk, writing
from halcyon.launch.errors import from_root, input_error_on_all_ranks

if TYPE_CHECKING:
    from mpi4py import MPI

_RESTART = re.compile(r"restart_(\d+)T(\d+)(?:\.(\d+))?\.nc")
_END_BYTES = 65536  # bytes at the beginning and at the end of a file that its checksum covers
_SAME_TIME_HOURS = 1e-7  # rounding error of a record's time
_MISSING = "gone"  # stands for the checksum of a missing file


def segment_path(case: RunCase, time: datetime) -> Path:
    """The fields file of the segment that begins at `time` (UTC): `fields_20220901T0000.nc`."""
    return case.folder / f"fields_{_time_text(case, time, case.output.interval, case.output.segment_s)}.nc"


def restart_path(case: RunCase, time: datetime) -> Path:
    """The restart file for `time` (UTC): `restart_20220901T0300.nc`."""
    return case.folder / f"restart_{_time_text(case, time, case.restart_name_precision_s)}.nc"


def segment_records(case: RunCase, time: datetime) -> int:
    """Number of records in the segment that begins at `time` (UTC). The last segment includes the end of the
    run."""
    end = time + timedelta(seconds=case.output.segment_s)
    span_s = (min(end, case.time.end) - time).total_seconds()
    return math.ceil(span_s / case.output.interval) + (end >= case.time.end)


def last_hours(case: RunCase, begin: datetime, n_records: int) -> float:
    """Time of the last of `n_records` records from `begin` (UTC) on, since the start of the run [hours]."""
    time = begin + timedelta(seconds=(n_records - 1) * case.output.interval)
    return (min(time, case.time.end) - case.time.start).total_seconds() / 3600


def restarts_in(folder: Path) -> list[Path]:
    """The restart files in a folder, newest first, with the final names of incomplete ones. Ignores files
    that do not match the name pattern."""
    names = {path.name.removesuffix(".part") for path in folder.glob("restart_*")}
    matches = [match for name in names if (match := _RESTART.fullmatch(name))]
    return [folder / match[0] for match in sorted(matches, key=_sort_key, reverse=True)]


def require_restart_files(folder: Path) -> list[Path]:
    """The complete restart files in a folder, newest first. Raises InputError if there are none."""
    complete = [path for path in restarts_in(folder) if path.exists()]
    if not folder.exists():
        raise InputError(
            f"The output folder {folder} does not exist, so there is no run to resume. Correct --output or"
            " output.folder, or start a run without --resume."
        )
    if not complete:
        raise InputError(
            f"{folder} has no restart file, so the run cannot be resumed. Start the run again with"
            " --overwrite instead of --resume."
        )
    return complete


def _sort_key(match: re.Match[str]) -> tuple[int, str, str]:
    """The time of a restart file as a sort key, for names with and without seconds."""
    day, clock, fraction = match.groups(default="")
    return int(day), clock.ljust(6, "0"), fraction


def _time_text(case: RunCase, time: datetime, *intervals_s: float) -> str:
    """A time for a file name, with seconds and fractions of a second if the start of the run or an interval
    between such files has them."""
    times_s = (case.time.start.second + 1e-6 * case.time.start.microsecond, *intervals_s)
    if all(time_s % 60 == 0 for time_s in times_s):
        return f"{time:%Y%m%dT%H%M}"
    if all(time_s % 1 == 0 for time_s in times_s):
        return f"{time:%Y%m%dT%H%M%S}"
    return f"{time:%Y%m%dT%H%M%S.%f}"


def with_title(origin: Origin, case: RunCase, contents: str) -> Origin:
    """The provenance of a file of the run; contents: what the file contains, for its title."""
    return replace(origin, title=f"{contents}: {case.heading}")


def file_state(file: Any) -> list[Any] | None:
    """Collective. Flushes an open file to disk and returns its progress for JSON; None without a file."""
    if file is None:
        return None
    progress = file.sync()
    return [progress.n_records, [f"{checksum:016x}" for checksum in progress.checksums]]


def reopen(
    comm: MPI.Comm,
    path: Path,
    n_records: int,
    end_hours: float,
    state: list[Any] | None,
    open_file: Callable[[Progress], Any],
) -> tuple[Any, bool]:
    """Collective. Reopens a file at the progress in `state`, as returned by `file_state`, by calling
    `open_file`. Returns the file, and whether the file was completed after `state` was saved: such a file is
    not reopened, as its records are identical to the records of this run. Without a `state` there is no file.
    A file that was completed by a run to another `time.end` is copied, and the copy is reopened.

    n_records: number of records of the complete file; end_hours: time of the last one [hours]

    Raises InputError if the file does not match `state`."""
    if state is None:
        return None, False
    progress = Progress(state[0], [int(checksum, 16) for checksum in state[1]])
    if from_root(comm, lambda: _was_completed(path, n_records, end_hours, progress)):
        return None, True
    with input_error_on_all_ranks(comm):
        return open_file(progress), False


def _was_completed(path: Path, n_records: int, end_hours: float, progress: Progress) -> bool:
    """Whether a file is complete, with `n_records` records up to `end_hours`, and begins with the records of
    `progress`. If only its records after these differ, it is copied, to be continued."""
    part = path.with_name(f"{path.name}.part")
    if part.exists() or not path.exists():
        return False
    n_in_file = verify(str(path)).n_records
    if not has_records(str(path), progress):
        return False
    if n_in_file == n_records and abs(_last_time(path) - end_hours) < _SAME_TIME_HOURS:
        return True
    with writing(part):
        copy = part.with_suffix(".copy")
        _copy_classic(path, copy)
        flush_to_disk(copy)
        copy.replace(part)
    return False


def _last_time(path: Path) -> float:
    """The time of the last record of a file [hours]."""
    from netCDF4 import Dataset

    with Dataset(path) as file:
        return float(file["time"][-1])


def _copy_classic(path: Path, copy: Path) -> None:
    """Copies a file of records; a compressed file becomes a classic one, which can be continued."""
    from netCDF4 import Dataset

    with Dataset(path) as source:
        if source.data_model != "NETCDF4":
            shutil.copyfile(path, copy)
            return
        source.set_auto_maskandscale(False)
        with Dataset(copy, "w", format="NETCDF3_64BIT_DATA") as target:
            target.setncatts(source.__dict__)
            for name, dimension in source.dimensions.items():
                target.createDimension(name, None if dimension.isunlimited() else dimension.size)
            for name, variable in source.variables.items():
                attributes = dict(variable.__dict__)
                fill_value = attributes.pop("_FillValue", None)
                copied = target.createVariable(
                    name, variable.dtype, variable.dimensions, fill_value=fill_value
                )
                copied.setncatts(attributes)
                copied.set_auto_maskandscale(False)
                for index in range(len(variable)) if "time" in variable.dimensions else [...]:
                    copied[index] = variable[index]


class BackgroundFiles:
    """Files that are being completed in the background, in the order in which they were closed. All methods
    are collective.

    `worked_s`: time that this rank's background threads spent on completed files; `waited_s`: time that the
    run waited for them.
    """

    def __init__(self, comm: MPI.Comm) -> None:
        self._comm = comm
        self._files: list[tuple[Path, Any]] = []
        self.worked_s, self.waited_s = 0.0, 0.0

    @property
    def paths(self) -> list[Path]:
        """The files that are not known to be complete."""
        return [path for path, _ in self._files]

    def close(self, path: Path, file: Any) -> None:
        """Closes a file (FieldsFile or Writer) after its last record; it is completed in the background."""
        file.close()
        self._files.append((path, file))

    def check(self) -> list[Path]:
        """Returns the files completed since the last call, without waiting. Raises the RunError of a failed
        file."""
        for _, file in self._files:
            file.check()
        if not self._files:
            return []
        return self._take_completed(
            self._comm.bcast(sum(file.is_complete for _, file in self._files), root=0)
        )

    def wait(self) -> list[Path]:
        """Waits for all files. Raises the RunError of a failed file."""
        for _, file in self._files:
            file.wait()
        return self._take_completed(len(self._files))

    def _take_completed(self, count: int) -> list[Path]:
        """Removes the first `count` files: files are completed in the order in which they were closed."""
        completed, self._files = self._files[:count], self._files[count:]
        self.worked_s += sum(file.worked_s for _, file in completed)
        self.waited_s += sum(file.waited_s for _, file in completed)
        return [path for path, _ in completed]


class FileChecksums:
    """Checksums of complete files by name; kept on rank 0."""

    def __init__(self) -> None:
        self._checksums: dict[str, str] = {}

    def add(self, paths: Sequence[Path]) -> None:
        """Adds the checksums of files that have just been completed."""
        self._checksums |= {path.name: file_checksum(path) for path in paths}

    def state(self) -> dict[str, str]:
        """Checksums by file name, in the order of the files."""
        return dict(self._checksums)

    def restore(self, folder: Path, state: Mapping[str, str]) -> tuple[list[str], list[str]]:
        """Restores the checksums of `state`. Returns the names of the files that are present and of those
        that are missing.

        Raises InputError if a file has another checksum."""
        present = {name: file_checksum(folder / name) for name in state}
        for name, checksum in present.items():
            if checksum not in (state[name], _MISSING):
                raise InputError(
                    f"{folder / name} is not the file that the run wrote before this restart file:"
                    " another run has overwritten it, or it was modified."
                )
        self._checksums = {name: checksum for name, checksum in present.items() if checksum != _MISSING}
        return list(self._checksums), [name for name in present if name not in self._checksums]


def file_checksum(path: Path) -> str:
    """A checksum of a file's size, beginning and end. Beginning or end include the stored checksums of all
    values: classic files store the checksums in the header, netCDF-4 files at the end."""
    try:
        with path.open("rb") as file:
            head, size = file.read(_END_BYTES), path.stat().st_size
            file.seek(max(0, size - _END_BYTES))
            return hashlib.sha256(b"%d " % size + head + file.read()).hexdigest()[:16]
    except FileNotFoundError:
        return _MISSING
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
