"""Shows what a command is doing when it takes long."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SILENT_S, SILENT_IN_FILES_S = 2.0, 30.0  # a shorter work is not shown on a terminal; elsewhere


@contextmanager
def working(text: str) -> Iterator[None]:
    """Shows `text` on stderr once the work in the block has taken `SILENT_S` seconds: on a terminal, with the
    elapsed time until the work ends; elsewhere as one line, once it has taken `SILENT_IN_FILES_S`."""
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(text, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _show(text: str, ended: threading.Event) -> None:
    from halcyon.base import printable

    can_redraw = sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    if ended.wait(SILENT_S if can_redraw else SILENT_IN_FILES_S):
        return
    if not can_redraw:
        print(f"{printable(text)} ...", file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(printable(text), total=None)
        ended.wait()
