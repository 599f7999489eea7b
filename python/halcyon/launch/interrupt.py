"""SIGINT (Ctrl-C): who answers it, and when.

Python raises KeyboardInterrupt wherever the main thread is: that says nothing, and locks of netCDF do not
survive it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_CURSOR = b"\r\x1b[2K\x1b[?25h"  # clears the line of a bar and shows the cursor that it hid

Handler = Callable[[int, Any], Any]


def telling() -> Any:
    """Within it SIGINT is told once, and raises KeyboardInterrupt."""

    def tell(number: int, frame: Any) -> NoReturn:
        _say("error: interrupted.")
        raise KeyboardInterrupt

    return _answered_by(tell)


def ending(text: str) -> Any:
    """Within it SIGINT ends the process at once, with `text`: nothing is unwound, no thread waited for."""
    from halcyon.base import EXIT_INTERRUPTED  # loads the library, which `halcyon --help` does without

    def end(number: int, frame: Any) -> NoReturn:
        if sys.stdout.isatty():
            os.write(sys.stdout.fileno(), _CURSOR)
        _say(f"error: interrupted. {text}")
        os._exit(EXIT_INTERRUPTED)

    return _answered_by(end)


@contextmanager
def held_back() -> Iterator[None]:
    """SIGINT that comes within it is answered at its end."""
    came: list[int] = []
    try:
        with _answered_by(lambda number, frame: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _answered_by(handler: Handler) -> Iterator[None]:
    """Only the main thread has handlers; who ignores SIGINT, or has a handler of no Python, keeps it so."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _say(text: str) -> None:
    os.write(2, f"{text}\n".encode())
