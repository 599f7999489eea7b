"""Handlers of SIGINT (Ctrl-C).

Python's default handler raises KeyboardInterrupt anywhere in the main thread: without a message, and
possibly while the netCDF library holds a lock."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_RESTORE_LINE = b"\r\x1b[2K\x1b[?25h"  # clears the line of a progress bar and shows the cursor

Handler = Callable[[int, Any], Any]


def report_interrupt() -> Any:
    """Context manager in which SIGINT prints a message and raises KeyboardInterrupt."""

    def handle(number: int, frame: Any) -> NoReturn:
        _write_error("error: interrupted.")
        raise KeyboardInterrupt

    return _sigint_handler(handle)


def exit_on_interrupt(text: str) -> Any:
    """Context manager in which SIGINT prints `text` and ends the process immediately, without unwinding the
    stack or waiting for threads."""
    from halcyon.base import EXIT_INTERRUPTED  # loads the C++ library, which `halcyon --help` does not need

    def handle(number: int, frame: Any) -> NoReturn:
        if sys.stdout.isatty():
            os.write(sys.stdout.fileno(), _RESTORE_LINE)
        _write_error(f"error: interrupted. {text}")
        os._exit(EXIT_INTERRUPTED)

    return _sigint_handler(handle)


@contextmanager
def defer_interrupt() -> Iterator[None]:
    """Context manager that defers SIGINT until it ends."""
    received: list[int] = []
    try:
        with _sigint_handler(lambda number, frame: received.append(number)):
            yield
    finally:
        if received:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _sigint_handler(handler: Handler) -> Iterator[None]:
    """Installs a handler of SIGINT. Does nothing outside the main thread, or if SIGINT is ignored or handled
    outside of Python."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _write_error(text: str) -> None:
    os.write(2, f"{text}\n".encode())
