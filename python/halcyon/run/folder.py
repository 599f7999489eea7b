"""The output folder of a run: its lock, and `run.json` with case, status and the command to resume."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import platform
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Protocol

from halcyon.base import RunError
from halcyon.io.writing import flush_to_disk, writing
from halcyon.mesh.atomic_file import open_new

LOCK, LOG, RUN_FILE = ".lock", "log.txt", "run.json"
LOG_PART = f"{LOG}.part"  # log of a run that replaces another one, until its first record is written
# Entries of run.json that are still written if the disk has no room for all entries.
_ESSENTIAL = ("status", "cause", "resume", "case", "updated")
_PACKAGES = ("mpi4py", "numpy", "netCDF4")


class HasFolder(Protocol):
    """A case, or the plan of an ensemble."""

    @property
    def folder(self) -> Path: ...


def prepare_folder(case: HasFolder) -> Path:
    """Creates the output folder. Raises RunError if it is not writable."""
    folder = case.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise RunError(
            f"The output folder {folder} cannot be written: {error.strerror}."
            " Give another folder by --output."
        ) from None
    return folder


@contextmanager
def folder_locked(folder: Path) -> Iterator[None]:
    """Locks a folder against other runs; the system releases the lock when this process ends.

    Raises RunError if another run holds the lock. On a file system without locks the folder is not protected.
    """
    path = folder / LOCK
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        advice = "Remove this symbolic link" if path.is_symlink() else "Check its permissions"
        raise RunError(
            f"{path} cannot be written: {error.strerror}. {advice}, or give another folder by --output."
        ) from None
    try:
        _acquire(handle, folder)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, folder: Path) -> None:
    """Takes the lock, and writes the id of this process into the lock file."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.pread(handle, 32, 0).decode(errors="replace").strip() or "unknown"
        raise RunError(
            f"another run (pid {pid}) is writing to {folder}. Wait for it to end, or give another"
            " folder by --output."
        ) from None
    except OSError:
        return
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)


def start_run_file(
    folder: Path,
    *,
    case: Path,
    overrides: Sequence[str],
    ranks: int,
    has_records: bool = False,
    resumed: bool = False,
) -> Path:
    """Writes a new `run.json`, without the entries of an earlier run; of a resumed run the lists of files and
    restart files are kept.

    The entry `files` is None until the first record is written; `resume`, the command that continues the run,
    is None until there is a restart file."""
    entries = {
        "status": "running",
        "cause": None,
        "case": case,
        "overrides": list(overrides),
        "ranks": ranks,
        "resume": None,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "files": [] if has_records else None,
    }
    if resumed:
        kept = ("files", "restart", "figures")
        entries |= {name: value for name, value in read_run_file(folder).items() if name in kept}
        entries["resume"] = _resume_command(entries)
    return _write(folder / RUN_FILE, entries)


def update_run_file(folder: Path, **entries: Any) -> Path:
    """Updates entries (`status`, `cause`, `figures`, ...) of `run.json`, replacing the file atomically.

    On a full disk the file is overwritten in place. Raises RunError if the overwriting fails as well.
    The entry `status` is one of running, finished, failed, interrupted.
    """
    return _write(path := folder / RUN_FILE, _read(path) | entries)


def add_restart(folder: Path, restart: Path) -> Path:
    """Names the newest restart file in run.json, and with it the command that continues the run."""
    command = _resume_command(read_run_file(folder)) or resume_command(folder)
    return update_run_file(folder, restart=str(restart), resume=command)


def resume_command(folder: Path) -> str:
    """The command in run.json that continues the run; empty if run.json has none."""
    return read_run_file(folder).get("resume") or ""


def read_run_file(folder: Path) -> dict[str, Any]:
    """The entries of the run.json in a folder; empty if the file is missing or invalid."""
    return _read(folder / RUN_FILE)


def _resume_command(entries: Mapping[str, Any]) -> str | None:
    """The command that continues the run of a run.json; None if it does not name the case."""
    if not {"case", "ranks", "overrides"} <= entries.keys():
        return None
    set_arguments = [word for override in entries["overrides"] for word in ("--set", override)]
    case, ranks = str(Path(entries["case"]).absolute()), str(entries["ranks"])
    return shlex.join(["halcyon", "run", case, "--resume", "-n", ranks, *set_arguments])


def identity_of_finished(folder: Path) -> dict[str, Any] | None:
    """The options and checksums that determine the results of the last run in a folder (its identity); None
    if that run is not finished."""
    entries = read_run_file(folder)
    return entries.get("identity", {}) if entries.get("status") == "finished" else None


def versions() -> dict[str, str]:
    """Versions of the software, and MPI's thread level and asynchronous progress setting."""
    from halcyon.comm import library, mpi_own_progress, thread_level

    packages = {"halcyon": metadata.version("halcyon"), "python": platform.python_version()}
    packages |= {name: metadata.version(name) for name in _PACKAGES}
    return packages | {
        "mpi": library(),
        "mpi_thread_level": thread_level(),
        "mpi_own_progress": mpi_own_progress(),
    }


def _read(path: Path) -> dict[str, Any]:
    """The entries of a run.json; empty if the file is missing or invalid."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _write(path: Path, entries: Mapping[str, Any]) -> Path:
    """Replaces run.json, or overwrites it in place if the disk is full. Raises RunError if both fail."""
    entries = {**entries, "updated": datetime.now(UTC).isoformat(timespec="seconds")}
    with writing(path):
        try:
            _replace(path, entries)
        except OSError:
            if not path.exists():
                raise
            _overwrite(path, entries)
    return path


def _replace(path: Path, entries: Mapping[str, Any]) -> None:
    """Replaces the file atomically."""
    temporary = path.with_suffix(".json.part")
    try:
        with open_new(temporary) as file:
            file.write(_json(entries))
        flush_to_disk(temporary)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _overwrite(path: Path, entries: Mapping[str, Any]) -> None:
    """Overwrites the allocated blocks of the file; writes only the essential entries if all do not fit."""
    essential = {name: entries[name] for name in _ESSENTIAL if name in entries}
    try:
        _write_in_place(path, _json(entries))
    except OSError:
        _write_in_place(path, _json(essential))


def _write_in_place(path: Path, text: str) -> None:
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    with os.fdopen(handle, "r+b", buffering=0) as file:
        if file.write(data := text.encode()) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        file.truncate()


def _json(entries: Mapping[str, Any]) -> str:
    return json.dumps(entries, indent=2, default=str) + "\n"
