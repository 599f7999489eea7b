"""The files of a run: their names, where they come from, what is known of open and of whole ones."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import InputError
from halcyon.config.run_case import RunCase
from halcyon.io import Progress, has_records, verify
from halcyon.io.attributes import Origin
from halcyon.launch.errors import from_root, input_agreed

if TYPE_CHECKING:
    from mpi4py import MPI

_RESTART = re.compile(r"restart_(\d+)T(\d+)(?:\.(\d+))?\.nc")
_END_BYTES = 65536
_GONE = "gone"


def segment_path(case: RunCase, time: datetime) -> Path:
    """The file of the segment that begins at `time` (UTC): `fields_20220901T0000.nc`."""
    return case.folder / f"fields_{_text(case, time, case.output.interval, case.output.segment)}.nc"


def restart_path(case: RunCase, time: datetime) -> Path:
    """The file from which a run goes on at `time` (UTC): `restart_20220901T0300.nc`."""
    return case.folder / f"restart_{_text(case, time, case.restart_step_s)}.nc"


def segment_records(case: RunCase, time: datetime) -> int:
    """Records in the segment that begins at `time` (UTC). The run's last belongs to the segment before it."""
    end = time + timedelta(seconds=case.output.segment)
    span_s = (min(end, case.time.end) - time).total_seconds()
    return math.ceil(span_s / case.output.interval) + (end >= case.time.end)


def restarts_in(folder: Path) -> list[Path]:
    """The restart files in a folder, the newest first, and the names of those that are half written. What a
    user named otherwise is none of ours."""
    names = {path.name.removesuffix(".part") for path in folder.glob("restart_*")}
    found = [match for name in names if (match := _RESTART.fullmatch(name))]
    return [folder / match[0] for match in sorted(found, key=_when, reverse=True)]


def restart_files(folder: Path) -> list[Path]:
    """The restart files in a folder, the newest first. Raises InputError if there is none."""
    found = [path for path in restarts_in(folder) if path.exists()]
    if not found:
        raise InputError(
            f"{folder} has no restart file, so there is nothing to go on from."
            " Start the run again without --resume."
        )
    return found


def _when(match: re.Match[str]) -> tuple[int, str, str]:
    """Orders the times of names with and without seconds."""
    day, clock, fraction = match.groups(default="")
    return int(day), clock.ljust(6, "0"), fraction


def _text(case: RunCase, time: datetime, *steps_s: float) -> str:
    """A time in a name, with seconds, and parts of them, where steps from the case's start may need them."""
    times_s = (case.time.start.second + 1e-6 * case.time.start.microsecond, *steps_s)
    if all(each % 60 == 0 for each in times_s):
        return f"{time:%Y%m%dT%H%M}"
    if all(each % 1 == 0 for each in times_s):
        return f"{time:%Y%m%dT%H%M%S}"
    return f"{time:%Y%m%dT%H%M%S.%f}"


def titled(origin: Origin, case: RunCase, what: str) -> Origin:
    """The origin of a file of a run of the case; what: it holds."""
    return replace(origin, title=f"{what}: {case.heading}")


def state_of(file: Any) -> list[Any] | None:
    """How far an open file is, for JSON, once its records are on the disk; None for no file. Collective."""
    if file is None:
        return None
    progress = file.sync()
    return [progress.n_records, [f"{sum:016x}" for sum in progress.checksums]]


def reopened(
    comm: MPI.Comm, path: Path, n_records: int, state: list[Any] | None, make: Callable[[Progress], Any]
) -> tuple[Any, bool]:
    """Collective. The file of which `state_of` told, continued by `make`, or None; and whether it was closed
    later, with all its records: it is then what this run would write. Raises InputError where it is not as it
    was."""
    if state is None:
        return None, False
    progress = Progress(state[0], [int(sum, 16) for sum in state[1]])
    if from_root(comm, lambda: _became_whole(path, n_records, progress)):
        return None, True
    with input_agreed(comm):
        return make(progress), False


def _became_whole(path: Path, n_records: int, progress: Progress) -> bool:
    if path.with_name(f"{path.name}.part").exists() or not path.exists():
        return False
    return verify(str(path)).n_records == n_records and has_records(str(path), progress)


class BackgroundFiles:
    """Files that are closed and not yet waited for, in order. Collective but for `paths` and the times.

    `worked_s`: what the background of this rank took for those that are whole; `waited_s`: how long the run
    waited for it.
    """

    def __init__(self, comm: MPI.Comm) -> None:
        self._comm = comm
        self._files: list[tuple[Path, Any]] = []
        self.worked_s, self.waited_s = 0.0, 0.0

    @property
    def paths(self) -> list[Path]:
        return [path for path, _ in self._files]

    def close(self, path: Path, file: Any) -> None:
        """Takes a file (FieldsFile or Writer) whose last record is written."""
        file.close()
        self._files.append((path, file))

    def check(self) -> list[Path]:
        """Raises the RunError of a file that failed. Gives those that are whole since; never waits."""
        for _, file in self._files:
            file.check()
        if not self._files:
            return []
        return self._leave(self._comm.bcast(sum(file.is_complete for _, file in self._files), root=0))

    def wait(self) -> list[Path]:
        """Waits for all. Raises the RunError of a file that failed."""
        for _, file in self._files:
            file.wait()
        return self._leave(len(self._files))

    def _leave(self, count: int) -> list[Path]:
        """The first `count` are whole: files become so in the order in which they were closed."""
        whole, self._files = self._files[:count], self._files[count:]
        self.worked_s += sum(file.worked_s for _, file in whole)
        self.waited_s += sum(file.waited_s for _, file in whole)
        return [path for path, _ in whole]


class FileChecksums:
    """The checksums of files, by name, on the rank that keeps them."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def add(self, paths: Sequence[Path]) -> None:
        """Takes those of files that have just become whole."""
        self._of |= {path.name: file_checksum(path) for path in paths}

    def state(self) -> dict[str, str]:
        """All of them, in the order of the files."""
        return dict(self._of)

    def restore(self, folder: Path, state: Mapping[str, str]) -> tuple[list[str], list[str]]:
        """Takes those of a state. Gives the names of the files that are there, and of those moved away.

        Raises InputError where a file has another one."""
        found = {name: file_checksum(folder / name) for name in state}
        for name, each in found.items():
            if each not in (state[name], _GONE):
                raise InputError(
                    f"{folder / name} is not the file that the run had written by then:"
                    " another run wrote over it, or it was changed."
                )
        self._of = {name: each for name, each in found.items() if each != _GONE}
        return list(self._of), [name for name in found if name not in self._of]


def file_checksum(path: Path) -> str:
    """A checksum of size, begin and end. They hold the checksums of all values: classic files have them in
    the header, netCDF-4 files at the end."""
    try:
        with path.open("rb") as file:
            begin, size = file.read(_END_BYTES), path.stat().st_size
            file.seek(max(0, size - _END_BYTES))
            return hashlib.sha256(b"%d " % size + begin + file.read()).hexdigest()[:16]
    except FileNotFoundError:
        return _GONE
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
