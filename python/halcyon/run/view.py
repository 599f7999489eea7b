"""What the launcher shows of a run: a live line on a terminal, plain lines now and then in a log."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Self, TextIO

from halcyon.run.progress import Milestones, Record


def run_view(stream: TextIO) -> PlainView:
    """The view that suits `stream`: a live one only on a terminal that can draw a line again."""
    can_redraw = os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    return LiveView(stream) if stream.isatty() and can_redraw else PlainView(stream)


class PlainView:
    """Lines without any control code."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._milestones = Milestones()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left on the screen."""

    def message(self, text: str) -> None:
        """A line that stays."""
        print(text, file=self._stream, flush=True)

    def alert(self, text: str) -> None:
        """A line on stderr."""
        print(text, file=sys.stderr, flush=True)

    def step(self, text: str) -> None:
        """A line about set-up."""
        self.message(text)

    def progress(self, record: Record) -> None:
        """How far the run is."""
        if self._milestones.due(record.fraction):
            self.message(record.line())


class LiveView(PlainView):
    """A line at the foot of the terminal that is drawn again and again."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        from rich.console import Console
        from rich.status import Status

        self._console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)
        self._status = Status("", console=self._console)
        self._shown = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def message(self, text: str) -> None:
        self._console.print(text)

    def alert(self, text: str) -> None:
        self._status.stop()
        self._shown = False
        super().alert(text)

    def step(self, text: str) -> None:
        self._draw(text)

    def progress(self, record: Record) -> None:
        self._draw(record.line())

    def _draw(self, text: str) -> None:
        from rich.text import Text

        self._status.update(Text(text))
        if not self._shown:
            self._status.start()
            self._shown = True
