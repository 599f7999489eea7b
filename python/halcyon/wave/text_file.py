"""Text files of tracks and spectra, which may be compressed by gzip."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from halcyon.base import InputError, format_bytes, read_bytes, require_memory, require_regular_file

_GZIP = b"\x1f\x8b"  # first bytes of a compressed file
_LARGEST = 1 << 30  # bytes of a decompressed file
_MEMORY_PER_BYTE = 20  # of its lines and numbers


def beginning(path: Path, n_bytes: int = 80) -> bytes:
    """Returns the first bytes of a file after decompression. Raises InputError if it cannot be read."""
    require_regular_file(path, "text")
    with _errors(path), open(path, "rb") as file:
        is_compressed = file.read(2) == _GZIP
        file.seek(0)
        return (gzip.GzipFile(fileobj=file) if is_compressed else file).read(n_bytes)


def read_content(path: Path, kind: str) -> bytes:
    """Returns the content of a text file (bytes), decompressed. kind: what the file should be, for errors.
    Raises InputError if it cannot be read or is too large."""
    content = read_bytes(path, kind)
    if content.startswith(_GZIP):
        with _errors(path):
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise InputError(f"{path} holds more than {format_bytes(_LARGEST)} of text. Split it.")
        require_memory(
            _MEMORY_PER_BYTE * len(content), f"{path}: to read {format_bytes(len(content))} as {kind}"
        )
    return content


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Converts the errors of reading and decompressing into InputError."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise InputError(f"{path} cannot be read: {reason}. Replace the file.") from None
