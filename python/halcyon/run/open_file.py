"""Files that a run has open: how far they are, for the state that a restart file keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halcyon.io import Progress, holds, verify


def state_of(file: Any) -> list[Any] | None:
    """How far an open file is, for JSON, once its records are on the disk; None for no file. Collective."""
    if file is None:
        return None
    progress = file.sync()
    return [progress.n_records, [f"{sum:016x}" for sum in progress.checksums]]


def progress_of(state: list[Any] | None) -> Progress | None:
    """What `state_of` said."""
    return None if state is None else Progress(state[0], [int(sum, 16) for sum in state[1]])


def became_whole(path: Path, n_records: int, progress: Progress) -> bool:
    """Whether a file that was open was closed later, with all its records; it is then what this run would
    write."""
    if path.with_name(f"{path.name}.part").exists() or not path.exists():
        return False
    return verify(str(path)).n_records == n_records and holds(str(path), progress)
