"""The progress bar of a simulation, in a notebook and on a terminal."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime
from html import escape
from types import TracebackType
from typing import Any, Self

from halcyon.run.progress import duration_text

_EVERY_S = 0.2  # least time between two updates
_AFTER_S = 0.5  # time after which a bar appears
_LAUNCHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_ID")  # whose ranks seem to have terminals


class ProgressBar:
    """The progress from one simulated time to another: a bar of HTML in a notebook, of rich on a terminal;
    none elsewhere, as in a file, under mpirun, and on ranks other than 0."""

    def __init__(self, begin: datetime, end: datetime, *, is_shown: bool) -> None:
        self._begin, self._span_s = begin, max((end - begin).total_seconds(), 1e-9)
        self._started_at, self._shown_at = time.monotonic(), -float("inf")
        self._bar: Any = None
        self._kind = _kind_of_display() if is_shown else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def say(self, text: str) -> None:
        """Shows what is being done before the first step, such as the generation of a mesh."""
        if self._kind is not None:
            self._bar = self._bar or self._kind()
            self._bar.show(0.0, text)

    def update(self, now: datetime) -> None:
        """Shows the simulated time, if some time has passed since the last update."""
        clock = time.monotonic()
        if self._kind is None or clock - self._started_at < _AFTER_S or clock - self._shown_at < _EVERY_S:
            return
        self._shown_at = clock
        if self._bar is None:
            self._bar = self._kind()
        done = (now - self._begin).total_seconds() / self._span_s
        left_s = (clock - self._started_at) * (1 - done) / max(done, 1e-9)
        self._bar.show(done, f"{now:%Y-%m-%d %H:%M}  {duration_text(left_s)} left")


class _NotebookBar:
    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html, self._handle = HTML, display(HTML(""), display_id=True)

    def show(self, done: float, text: str) -> None:
        bar = f'<progress value="{done:.4f}" max="1" aria-label="progress of the run"></progress>'
        self._handle.update(self._html(f"{bar} {100 * done:.0f} % {escape(text)}"))

    def close(self) -> None:
        self._handle.update(self._html(""))


class _TerminalBar:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("", total=1.0)
        self._progress.start()

    def show(self, done: float, text: str) -> None:
        self._progress.update(self._task, completed=done, description=text)

    def close(self) -> None:
        self._progress.stop()


def _kind_of_display() -> type[_NotebookBar] | type[_TerminalBar] | None:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if type(shell).__name__ == "ZMQInteractiveShell":
        return _NotebookBar
    under_launcher = any(name in os.environ for name in _LAUNCHERS)
    return _TerminalBar if sys.stderr.isatty() and not under_launcher else None
