"""What the system says when a file cannot be written, as the error of a run; files brought to the disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from halcyon.base import RunError


@contextmanager
def writing(path: Path, advice: str = "") -> Iterator[None]:
    """Turns an OSError of its body into a RunError that names `path` and the system's text, then `advice`."""
    try:
        yield
    except OSError as error:
        text = f"{path} cannot be written: {str(error.strerror or error).rstrip('.')}."
        raise RunError(f"{text} {advice}".rstrip()) from None


def on_disk(path: Path) -> None:
    """Returns when a file is on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
