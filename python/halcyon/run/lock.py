"""One run at a time in a folder of results."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from halcyon.base import RunError

LOCK = ".lock"


@contextmanager
def folder_locked(folder: Path) -> Iterator[None]:
    """Keeps other runs out of a folder while the body runs; the system lets go of it when we die.

    Raises RunError where another run has it. A file system without locks keeps nobody out.
    """
    path = folder / LOCK
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        _take(handle, folder)
        yield
    finally:
        os.close(handle)


def _take(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.pread(handle, 32, 0).decode(errors="replace").strip() or "unknown"
        raise RunError(
            f"another run (pid {pid}) writes to {folder}. Wait for it, or give another folder by --output."
        ) from None
    except OSError:
        return
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
