"""Seals of whole files: whether a file is the one that this run wrote, without reading all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from halcyon.base import InputError

_END_BYTES = 65536
_GONE = "gone"


class Seals:
    """The seals of files, by name, on the rank that keeps them."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def add(self, paths: Sequence[Path]) -> None:
        """Seals files that have just become whole."""
        self._of |= {path.name: seal(path) for path in paths}

    def state(self) -> dict[str, str]:
        """All seals, in the order of the files."""
        return dict(self._of)

    def restore(self, folder: Path, state: Mapping[str, str]) -> tuple[list[str], list[str]]:
        """Takes the seals of a state. Gives the names of the files that are there, and of those moved away.

        Raises InputError where a file has another seal."""
        found = {name: seal(folder / name) for name in state}
        for name, each in found.items():
            if each not in (state[name], _GONE):
                raise InputError(
                    f"{folder / name} is not the file that the run had written by then:"
                    " another run wrote over it, or it was changed."
                )
        self._of = {name: each for name, each in found.items() if each != _GONE}
        return list(self._of), [name for name in found if name not in self._of]


def seal(path: Path) -> str:
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
