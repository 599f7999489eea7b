"""Constants, errors and exit codes, and formats of numbers.

`ConfigError` and `InputError` are mistakes of the user, `RunError` is a failed run, `InternalError` a bug in
Halcyon; `StoppedError` ends a run that was requested to stop. Error texts state what was given, what is
allowed and how to fix it.
"""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path
from typing import Any

from halcyon._core.base import (
    EARTH_RADIUS,
    GRAVITY,
    ConfigError,
    Error,
    InputError,
    InternalError,
    RunError,
)
from halcyon.deprecated import provide

__all__ = [
    "EARTH_RADIUS",
    "EXIT_BUG",
    "EXIT_INTERRUPTED",
    "EXIT_MISTAKE",
    "EXIT_OK",
    "EXIT_RUN_FAILED",
    "EXIT_STOPPED",
    "GRAVITY",
    "KNOT",
    "AbsentError",
    "ChoiceError",
    "ConfigError",
    "Error",
    "InputError",
    "InternalError",
    "RunError",
    "StoppedError",
    "available_memory_bytes",
    "cache_folder",
    "decoded",
    "exit_code",
    "format_bytes",
    "format_seconds",
    "printable",
    "read_bytes",
    "read_text",
    "require_memory",
    "require_regular_file",
]

KNOT = 1852 / 3600  # [m s-1]
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))

_BYTES_PER_CHARACTER = 20  # of a table or document in memory, per character of its file


class AbsentError(InputError):
    """A file does not have the value of a coordinate or key that is selected."""


class ChoiceError(InputError):
    """A file has several of what is needed. options: those that choose one of them, such as `storm`, with a
    value for each that is in the file."""

    def __init__(self, text: str, **options: Any) -> None:
        super().__init__(text)
        self.options = options


# Exit codes of the command `halcyon`.
EXIT_OK = 0
EXIT_BUG = 1
EXIT_MISTAKE = 2
EXIT_RUN_FAILED = 3
EXIT_STOPPED = 75  # EX_TEMPFAIL of sysexits.h: start the run again
EXIT_INTERRUPTED = 130  # by Ctrl-C


class StoppedError(Exception):
    """A run stopped on request after a complete step, and can be continued from its restart file."""


def exit_code(error: BaseException) -> int:
    """Returns the exit code of a program that ends with `error`."""
    if isinstance(error, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    if isinstance(error, (ConfigError, InputError)):
        return EXIT_MISTAKE
    if isinstance(error, (RunError, MemoryError)):
        return EXIT_RUN_FAILED
    if isinstance(error, StoppedError):
        return EXIT_STOPPED
    return EXIT_BUG


def cache_folder() -> Path:
    """Returns the folder of cached meshes, costs and simulation results, and of bug reports: $HALCYON_CACHE,
    or the folder halcyon in $XDG_CACHE_HOME or ~/.cache."""
    folder = os.environ.get("HALCYON_CACHE")
    return (
        Path(folder)
        if folder
        else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "halcyon"
    )


def require_regular_file(path: str | os.PathLike[str], kind: str) -> int:
    """Returns the size of a file in bytes. Raises InputError for a missing file, a folder, a pipe and a
    device; `kind`: what the file should be, for the error text."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read as {kind}: {reason}. Check its name.") from None
    if not stat.S_ISREG(status.st_mode):
        found = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or a device"
        raise InputError(f"{path} cannot be read as {kind}: it is {found}. Give a file.")
    return status.st_size


def read_bytes(path: str | os.PathLike[str], kind: str) -> bytes:
    """Returns the content of a text file. Raises InputError if the file cannot be read, or is too large for
    the memory of this machine; `kind`: what the file should be, for the error text."""
    size = require_regular_file(path, kind)
    require_memory(size * _BYTES_PER_CHARACTER, f"{path}: to read {format_bytes(size)} as {kind}")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read as {kind}: {error.strerror}.") from None


def read_text(path: str | os.PathLike[str], kind: str) -> str:
    """Returns the text of a file. Raises InputError as `read_bytes`, and if the file is not UTF-8."""
    return decoded(path, read_bytes(path, kind), kind)


def decoded(path: str | os.PathLike[str], content: bytes, kind: str) -> str:
    """Returns the text of the content of a file. Raises InputError if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}: byte {error.start} of the file is not UTF-8, so it cannot be read as {kind}. "
            "Save the file as UTF-8."
        ) from None


def available_memory_bytes() -> int:
    """Returns the memory of this machine that is free or can be freed."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def require_memory(needed_bytes: float, purpose: str, error: type[Error] = InputError) -> None:
    """Raises `error` if this machine does not have the memory that is needed for `purpose`."""
    available = available_memory_bytes()
    if needed_bytes > available:
        raise error(
            f"{purpose} takes about {format_bytes(needed_bytes)} of memory, but this machine has "
            f"{format_bytes(available)} free. Give a smaller one, or use a larger machine."
        )


def format_bytes(size_bytes: float) -> str:
    """Formats a number of bytes: `12.3 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} TB"


def format_seconds(value: float) -> str:
    """Formats a time [s] in a suitable unit: `1.53 ms`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g} s"
    unit, name = next(((unit, name) for unit, name in _TIME_UNITS if abs(value) >= unit), _TIME_UNITS[-1])
    return f"{value / unit:.3g} {name}" if abs(value) < 999.5 * unit else f"{value / unit:.0f} {name}"


def printable(text: str) -> str:
    """Returns the text with characters that cannot be printed as escapes such as `\\x1b`: a key of a YAML
    file or the name of a variable must not control a terminal. Ends of lines and tabs stay."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


provide(__name__)
