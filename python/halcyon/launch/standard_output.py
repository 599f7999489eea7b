"""Standard output of long-running commands: a full disk or a closed pipe does not end their work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO


@contextmanager
def tolerate_output_errors(advice: str = "") -> Iterator[None]:
    """Context manager in which text for a standard output that cannot be written is discarded. The first
    failure prints one warning on stderr, which ends with `advice`."""
    stream = sys.stdout
    sys.stdout = tolerant = _TolerantStream(stream, advice)
    try:
        yield
    finally:
        tolerant.flush()
        sys.stdout = stream


class _TolerantStream:
    """A text stream whose failures to write are reported once."""

    def __init__(self, stream: TextIO, advice: str) -> None:
        self._stream, self._advice = stream, advice

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._discard(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._discard(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _discard(self, error: OSError) -> None:
        """Warns, and connects the descriptor with the null device, where the stream can flush its buffer."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)
        text = f"warning: standard output cannot be written: {error.strerror}. {self._advice}".rstrip()
        with suppress(OSError):
            os.write(2, f"{text}\n".encode())
