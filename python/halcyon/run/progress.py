"""Progress of a run: rank 0 reports it, the launcher or the rank itself shows it.

The launcher shows a live line on a terminal, plain lines now and then in a log."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from halcyon.launch.mpirun import UNDER_LAUNCHER

if TYPE_CHECKING:
    from mpi4py import MPI

MARK = "@halcyon-progress "
MESH_OF_LAUNCHER = "HALCYON_LAUNCHER_MESH"  # the file that it has checked, so that no rank reads it whole

_REPORT_EVERY_S = 0.5
_PLAIN_EVERY_S = 30.0
_PLAIN_EVERY_FRACTION = 0.1


@dataclass(frozen=True)
class Record:
    """How far a run is.

    @param simulated_time UTC, as ISO text
    @param fraction of the simulated span that is done
    @param speed simulated seconds a second of wall time
    @param eta wall time left [s]
    @param watched what tells of the model's state now: `max Hs 7.3 m`
    """

    simulated_time: str
    fraction: float
    speed: float
    eta: float
    watched: str

    def line(self) -> str:
        """`2022-09-02 03:00  22 %  3100 x real time  1:12 left  max Hs 7.3 m`"""
        speed = f"{self.speed:,.0f} x real time"
        left = duration(self.eta)
        return f"{self.simulated_time}  {100 * self.fraction:3.0f} %  {speed}  {left} left  {self.watched}"

    def marked(self) -> str:
        """The line by which a rank tells the launcher."""
        return MARK + json.dumps(asdict(self))

    @classmethod
    def unmarked(cls, line: str) -> Self | None:
        """The record in a line of a rank, or None when the line is no record."""
        if not line.startswith(MARK):
            return None
        try:
            return cls(**json.loads(line[len(MARK) :]))
        except (ValueError, TypeError):
            return None


class Milestones:
    """Says when a plain line is due: at the start, every tenth of the run, every half minute, at the end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said_at = -float("inf")
        self._said = -1.0

    def due(self, fraction: float) -> bool:
        now = self._clock()
        passed = int(fraction / _PLAIN_EVERY_FRACTION) > int(self._said / _PLAIN_EVERY_FRACTION)
        if not (passed or self._said < 0 or now - self._said_at >= _PLAIN_EVERY_S):
            return False
        self._said_at, self._said = now, fraction
        return True


class Progress:
    """Rank 0 of a run tells how far it is. On other ranks `report` does nothing.

    Under the launcher the records are marked lines; on their own under mpirun or srun, plain ones, and fewer.
    """

    def __init__(
        self,
        start: datetime,
        end: datetime,
        *,
        rank: int,
        stream: TextIO,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._start, self._span_s = start, (end - start).total_seconds()
        self._stream, self._clock = (stream if rank == 0 else None), clock
        self._marked = os.environ.get(UNDER_LAUNCHER) == "1"
        self._milestones = Milestones(clock)
        self._began, self._before_s = clock(), 0.0
        self._reported_at = -float("inf")

    def go_on(self, simulated_time: datetime) -> None:
        """What was simulated until this time (UTC) was done by an earlier run."""
        self._before_s = (simulated_time - self._start).total_seconds()

    def due(self) -> bool:
        """Whether a report now would be passed on; false on all ranks but 0."""
        return self._stream is not None and self._clock() - self._reported_at >= _REPORT_EVERY_S

    def report(self, simulated_time: datetime, watched: str) -> None:
        """Reports unless the last report was a moment ago. The end of the run is always reported.

        @param simulated_time UTC
        @param watched what tells of the model's state
        """
        done_s = (simulated_time - self._start).total_seconds()
        if self._stream is None or not (self.due() or done_s >= self._span_s):
            return
        self._reported_at = self._clock()
        record = self._record(simulated_time, done_s, watched)
        if self._marked:
            print(record.marked(), file=self._stream, flush=True)
        elif self._milestones.due(record.fraction):
            print(record.line(), file=self._stream, flush=True)

    def _record(self, simulated_time: datetime, done_s: float, watched: str) -> Record:
        wall_s = max(self._clock() - self._began, 1e-9)
        speed = (done_s - self._before_s) / wall_s
        eta = (self._span_s - done_s) / speed if speed > 0 else 0.0
        text = simulated_time.strftime("%Y-%m-%d %H:%M")
        return Record(text, done_s / self._span_s, speed, eta, watched)


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


def say(comm: MPI.Comm, text: str) -> None:
    """Prints a line on rank 0."""
    if comm.rank == 0:
        print(text, flush=True)


def duration(seconds: float) -> str:
    """`0:42`, `12:07` or `3:05:00`"""
    whole = round(max(seconds, 0))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
