"""Writing of files in Python: complete or not at all, with checksums, and never through a symbolic link."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from halcyon._core.mesh import write_atomically, write_checksums
from halcyon.base import RunError

if TYPE_CHECKING:
    import netCDF4


_BLANK_CHECKSUM = "0" * 16  # `write_checksums` replaces the zeros


def write_file(path: str | os.PathLike[str], write: Callable[[str], object]) -> None:
    """Calls write(temporary path), and renames the file to `path` when it is complete. The temporary file has
    a random name and exists. A symbolic link `path` is replaced.

    Raises RunError, with the system's text, if the file cannot be written."""
    try:
        write_atomically(str(path), write)
    except (OSError, RuntimeError) as error:
        if isinstance(error, RunError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise RunError(
            f"Cannot write {path}: {reason}. Check the folder, its permissions and free space."
        ) from None


def write_netcdf(
    path: str | os.PathLike[str], fill: Callable[[netCDF4.Dataset], object], format: str = "NETCDF4"
) -> None:
    """Writes a netCDF file with checksums by `write_file`. fill: defines and writes the contents of an open
    `netCDF4.Dataset`; format: as `netCDF4.Dataset` calls it."""
    from netCDF4 import Dataset

    def write(temporary_path: str) -> None:
        options: Any = {"format": format}
        with Dataset(temporary_path, "w", **options) as file:
            fill(file)
            if format != "NETCDF4":
                for variable in file.variables.values():
                    variable.checksum = _BLANK_CHECKSUM
                file.header_checksum = _BLANK_CHECKSUM
        write_checksums(temporary_path)

    write_file(path, write)


def descriptor_of_new(path: str | os.PathLike[str], *, append: bool = False) -> int:
    """Opens a file for writing in place at its end, such as a log, and returns the descriptor. An existing
    file or symbolic link is removed first; with `append` an existing file is continued, and a symbolic link
    is an error.

    Raises OSError if the file cannot be opened."""
    if not append:
        Path(path).unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | (0 if append else os.O_EXCL)
    return os.open(path, flags, 0o666)


def open_new(path: str | os.PathLike[str], *, append: bool = False) -> TextIO:
    """Returns the text file of `descriptor_of_new`."""
    return os.fdopen(descriptor_of_new(path, append=append), "w", newline="", encoding="utf-8")
