"""Progress of a run: rank 0 reports the progress; the launcher, or rank 0 without a launcher, displays it.

The launcher redraws one line on a terminal, and prints plain lines at intervals to a file or a pipe."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from halcyon.base import format_seconds, printable
from halcyon.launch.mpirun import UNDER_LAUNCHER

if TYPE_CHECKING:
    from mpi4py import MPI

MARK = "@halcyon-progress "  # beginning of a line in which rank 0 sends a report to the launcher
# Beginnings of lines by which rank 0 tells the launcher the duration of a long step [s], and that the ranks
# have agreed to stop.
STEP_MARK, STOP_MARK = "@halcyon-step ", "@halcyon-stop"
# Environment variable with the mesh file that the launcher has checked; the ranks do not check it again.
MESH_OF_LAUNCHER = "HALCYON_LAUNCHER_MESH"

_REPORT_EVERY_S = 0.5
# Intervals between plain lines: in wall time, and as fractions of the run.
_PLAIN_EVERY_S = 30.0
_PLAIN_EVERY_FRACTION = 0.1
# The first steps, from which the wall time of a run is estimated: at least so many, until they have taken
# this time or are this fraction of the run.
_SAMPLE_STEPS, _SAMPLE_S, _SAMPLE_FRACTION = 4, 5.0, 0.05


@dataclass(frozen=True)
class ProgressReport:
    """Progress of a run.

    @param simulated_time UTC, as text
    @param fraction computed part of the simulated time span, from 0 to 1
    @param speed simulated seconds per second of wall time
    @param eta remaining wall time [s]
    @param summary short text on the model's state, such as `max Hs 7.3 m`
    """

    simulated_time: str
    fraction: float
    speed: float
    eta: float
    summary: str

    def line(self) -> str:
        """`2022-09-02 03:00  22 %  3100 x real time  1:12 left  max Hs 7.3 m`"""
        speed = f"{self.speed:,.0f} x real time"
        remaining = duration_text(self.eta)
        return (
            f"{self.simulated_time}  {100 * self.fraction:3.0f} %  {speed}  {remaining} left  {self.summary}"
        )

    def marked_line(self) -> str:
        """The line that rank 0 sends to the launcher."""
        return MARK + json.dumps(asdict(self))

    @classmethod
    def parse(cls, line: str) -> Self | None:
        """The report in a marked line; None for any other line."""
        if not line.startswith(MARK):
            return None
        try:
            return cls(**json.loads(line[len(MARK) :]))
        except (ValueError, TypeError):
            return None


class LineThrottle:
    """Limits plain lines to the start, each tenth of the run, each half minute, and the end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_time = -float("inf")
        self._last_fraction = -1.0

    def take_due(self, fraction: float) -> bool:
        """Whether a line is due when this fraction of the run is complete; if so, the line counts as
        printed."""
        now = self._clock()
        is_tenth = int(fraction / _PLAIN_EVERY_FRACTION) > int(self._last_fraction / _PLAIN_EVERY_FRACTION)
        if not (is_tenth or self._last_fraction < 0 or now - self._last_time >= _PLAIN_EVERY_S):
            return False
        self._last_time, self._last_fraction = now, fraction
        return True


class ProgressReporter:
    """Reports the progress of a run from rank 0. On other ranks `report` does nothing.

    Under the launcher every report is sent as a marked line; under mpirun or srun without the launcher, some
    reports are printed as plain lines.
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
        self._has_launcher = os.environ.get(UNDER_LAUNCHER) == "1"
        self._throttle = LineThrottle(clock)
        self._started_at, self._reported_at = clock(), -float("inf")
        self._resumed_at_s = 0.0  # simulated time of the restart file, since the start of the run

    def resume_from(self, simulated_time: datetime) -> None:
        """Excludes the time span up to `simulated_time` (UTC), computed by an earlier run, from the speed."""
        self._resumed_at_s = (simulated_time - self._start).total_seconds()

    def is_due(self) -> bool:
        """Whether a report would be sent now; false on all ranks but 0."""
        return self._stream is not None and self._clock() - self._reported_at >= _REPORT_EVERY_S

    def report(self, simulated_time: datetime, summary: str) -> None:
        """Sends a report, at most one per half second. The end of the run is always reported.

        @param simulated_time UTC
        @param summary short text on the model's state
        """
        done_s = (simulated_time - self._start).total_seconds()
        if self._stream is None or not (self.is_due() or done_s >= self._span_s):
            return
        self._reported_at = self._clock()
        report = self._report(simulated_time, done_s, summary)
        if self._has_launcher:
            print(report.marked_line(), file=self._stream, flush=True)
        elif self._throttle.take_due(report.fraction):
            print(report.line(), file=self._stream, flush=True)

    def report_stop(self) -> None:
        """Tells the launcher that the ranks have agreed to stop, and write a restart file."""
        if self._has_launcher and self._stream is not None:
            print(f"{STOP_MARK}\n", end="", file=self._stream, flush=True)  # one write: ranks share the pipe

    def _report(self, simulated_time: datetime, done_s: float, summary: str) -> ProgressReport:
        wall_s = max(self._clock() - self._started_at, 1e-9)
        speed = (done_s - self._resumed_at_s) / wall_s
        eta = (self._span_s - done_s) / speed if speed > 0 else 0.0
        text = simulated_time.strftime("%Y-%m-%d %H:%M")
        return ProgressReport(text, done_s / self._span_s, speed, eta, summary)


class WallTimeEstimate:
    """Estimate of the wall time of a run from the measured times of its first steps and records, which
    include all that a step costs: substeps of bands, source terms, forcing, exchange and waiting for other
    processes.

    @param started_at time of `clock` [s] at the start of the run
    """

    def __init__(self, started_at: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._started_at, self._clock = started_at, clock
        self._step_s: list[float] = []
        self._record_s: list[float] = []
        self._sampled_s = 0.0  # time of the steps after the first, which also sets up connections and memory
        self._is_due = True

    @contextmanager
    def step(self) -> Iterator[None]:
        """Measures a step, until the estimate is made."""
        begin = self._clock()
        yield
        if self._is_due:
            if self._step_s:
                self._sampled_s += self._clock() - begin
            self._step_s.append(self._clock() - begin)

    @contextmanager
    def record(self) -> Iterator[None]:
        """Measures a record, until the estimate is made."""
        begin = self._clock()
        yield
        if self._is_due:
            self._record_s.append(self._clock() - begin)

    def text(self, steps_left: int, records_left: int) -> str | None:
        """The row `estimate` of the plan, once, after the first steps; otherwise None."""
        n_done = len(self._step_s)
        n_steps = n_done + steps_left
        has_sample = self._sampled_s >= _SAMPLE_S or n_done >= _SAMPLE_FRACTION * n_steps
        if not self._is_due or n_done < min(_SAMPLE_STEPS, n_steps) or not has_sample:
            return None
        self._is_due = False
        step_s = self._sampled_s / (n_done - 1) if n_done > 1 else self._step_s[0]
        record_s = statistics.fmean(self._record_s) if self._record_s else 0.0
        left_s = steps_left * step_s + records_left * record_s
        whole_s = self._clock() - self._started_at + left_s
        times = f"{format_seconds(step_s)} per step and {format_seconds(record_s)} per record"
        return (
            f"{'estimate':<10} about {duration_text(whole_s)} to the last record, {duration_text(left_s)}"
            f" left, without pictures: {times} in the first {n_done} steps"
        )


def run_view(stream: TextIO) -> PlainView:
    """A live view if `stream` is a terminal that can redraw a line, else a plain view."""
    can_redraw = os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    return LiveView(stream) if stream.isatty() and can_redraw else PlainView(stream)


class PlainView:
    """Plain lines, without control codes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._throttle = LineThrottle()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to clear."""

    def message(self, text: str) -> None:
        """Prints a permanent line."""
        print(printable(text), file=self._stream, flush=True)

    def alert(self, text: str) -> None:
        """Prints a line on stderr, if that can be written."""
        with suppress(OSError):
            print(printable(text), file=sys.stderr, flush=True)

    def status(self, text: str) -> None:
        """Shows the present activity of the set-up."""
        self.message(text)

    def progress(self, report: ProgressReport) -> None:
        """Shows the progress of the run."""
        if self._throttle.take_due(report.fraction):
            self.message(report.line())


class LiveView(PlainView):
    """One line at the bottom of the terminal, redrawn with each report."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        from rich.console import Console
        from rich.status import Status

        self._console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)
        self._status = Status("", console=self._console)
        self._is_shown = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def message(self, text: str) -> None:
        self._console.print(printable(text))

    def alert(self, text: str) -> None:
        self._status.stop()
        self._is_shown = False
        super().alert(text)

    def status(self, text: str) -> None:
        self._draw(text)

    def progress(self, report: ProgressReport) -> None:
        self._draw(report.line())

    def _draw(self, text: str) -> None:
        from rich.text import Text

        self._status.update(Text(printable(text)))
        if not self._is_shown:
            self._status.start()
            self._is_shown = True


def print_on_root(comm: MPI.Comm, text: str) -> None:
    """Prints a line on rank 0."""
    if comm.rank == 0:
        print(printable(text), flush=True)


def duration_text(seconds: float) -> str:
    """`0:42`, `12:07` or `3:05:00`"""
    whole = round(max(seconds, 0))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
