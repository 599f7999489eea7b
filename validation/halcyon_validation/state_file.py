"""Files of the states from which an interrupted long case continues."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from halcyon import _core
from halcyon.mesh.atomic_file import write_file


def saved_state(path: Path) -> dict[str, np.ndarray] | None:
    """The arrays of a file of `save_state`; None without a file, or if it is older than the compiled library,
    so that no state of other numerics is taken."""
    if not path.exists() or path.stat().st_mtime <= Path(_core.__file__).stat().st_mtime:
        return None
    with np.load(path) as file:
        return dict(file)


def save_state(path: Path, state: Mapping[str, np.ndarray]) -> None:
    """Writes arrays by name, in a folder that is created if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, lambda part: _save(part, state))


def _save(path: str, state: Mapping[str, np.ndarray]) -> None:
    with open(path, "wb") as file:
        np.savez(file, **state)
