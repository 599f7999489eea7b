"""Lines that show the progress of a run, on a terminal and in a log."""

import io
import os
from contextlib import suppress
from datetime import datetime

import pytest

from halcyon.launch.mpirun import UNDER_LAUNCHER
from halcyon.run.progress import (
    MARK,
    LiveView,
    PlainView,
    ProgressReport,
    ProgressReporter,
    WallTimeEstimate,
    duration_text,
    run_view,
)

START, END = datetime(2022, 9, 1), datetime(2022, 9, 2)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def reported(clock, *, rank=0):
    """The progress lines of a run of one day, which reports every 15 simulated minutes and takes 10 s per
    simulated hour."""
    stream = io.StringIO()
    progress = ProgressReporter(START, END, rank=rank, stream=stream, clock=clock)
    for quarter in range(97):
        clock.now = 2.5 * quarter
        progress.report(datetime.fromtimestamp(START.timestamp() + 900 * quarter), "max Hs 5.2 m")
    return stream.getvalue().splitlines()


def test_plain_lines_are_few(monkeypatch):
    """A run of 97 reports prints some 12 lines on a plain stream."""
    monkeypatch.delenv(UNDER_LAUNCHER, raising=False)
    lines = reported(Clock())
    assert len(lines) in range(10, 14)
    assert lines[-1] == "2022-09-02 00:00  100 %  360 x real time  0:00 left  max Hs 5.2 m"


def test_the_launcher_gets_records(monkeypatch):
    """Under the launcher, rank 0 prints every report as a record that the launcher can parse, other ranks
    nothing."""
    monkeypatch.setenv(UNDER_LAUNCHER, "1")
    lines = reported(Clock())
    records = [ProgressReport.parse(line) for line in lines]
    assert len(records) == 97
    assert records[48].fraction == 0.5
    assert records[48].eta == pytest.approx(120)
    assert reported(Clock(), rank=1) == []


def test_reports_in_a_hurry_are_dropped_but_the_last(monkeypatch):
    """Reports at short intervals of wall time are dropped, except for the first and the last."""
    monkeypatch.setenv(UNDER_LAUNCHER, "1")
    stream, clock = io.StringIO(), Clock()
    progress = ProgressReporter(START, END, rank=0, stream=stream, clock=clock)
    for hour in range(24):
        clock.now = 0.01 * hour
        progress.report(START.replace(hour=hour), "calm")
    progress.report(END, "calm")
    assert len(stream.getvalue().splitlines()) == 2


@pytest.mark.parametrize("line", ["cells 3", MARK, MARK + "{", MARK + "[1]", MARK + '{"a": 1}'])
def test_other_lines_are_no_records(line):
    assert ProgressReport.parse(line) is None


def test_durations():
    assert [duration_text(s) for s in (0, 42.4, 727, 11100)] == ["0:00", "0:42", "12:07", "3:05:00"]


def test_a_log_gets_no_control_codes():
    stream = io.StringIO()
    with run_view(stream) as view:
        assert type(view) is PlainView
        view.status("making the mesh")
        for percent in range(0, 101, 5):
            view.progress(ProgressReport("2022-09-01 00:00", percent / 100, 1, 1, "calm"))
    assert "\x1b" not in stream.getvalue()
    assert "\r" not in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 12


def test_a_dumb_terminal_gets_plain_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    leader, follower = os.openpty()
    with os.fdopen(follower, "w") as stream:
        assert type(run_view(stream)) is PlainView
    os.close(leader)


def test_a_terminal_gets_a_live_line(capsys, monkeypatch):
    """A terminal shows progress and messages; errors go to standard error."""
    monkeypatch.setenv("TERM", "xterm")
    leader, follower = os.openpty()
    with os.fdopen(follower, "w") as stream, run_view(stream) as view:
        assert type(view) is LiveView
        view.progress(ProgressReport("2022-09-01 00:00", 0.25, 1, 1, "calm"))
        view.message("[a file] written")
        view.alert("error: x")
        view.progress(ProgressReport("2022-09-01 00:00", 0.5, 1, 1, "calm"))
    terminal_text = ""
    with suppress(OSError):  # EIO at the end
        while text := os.read(leader, 65536).decode():
            terminal_text += text
    os.close(leader)
    assert "25 %" in terminal_text
    assert "[a file] written" in terminal_text
    assert capsys.readouterr().err == "error: x\n"


@pytest.mark.parametrize(("step_s", "sample"), [(0.01, 20), (0.4, 14), (90.0, 4)])
def test_the_estimate_is_measured_in_the_first_steps(step_s, sample):
    """The set-up takes 30 s, the first step ten times as long as others, a record after every 20 steps 2 s:
    the estimate is the wall time of the whole run. The sample ends after 5 % of the steps or some 5 s."""
    clock = Clock()
    estimate = WallTimeEstimate(started_at=0.0, clock=clock)
    clock.now = 30.0
    texts = {}
    for number in range(401):
        if number > 0:
            with estimate.step():
                clock.now += step_s * (10 if number == 1 else 1)
        if number % 20 == 0:
            with estimate.record():
                clock.now += 2.0
        if number > 0 and (text := estimate.text(400 - number, 20 - number // 20)) is not None:
            texts[number] = (text, clock.now)
    ((number, (text, then)),) = texts.items()
    assert number == sample
    whole, left = (duration_text(seconds) for seconds in (clock.now, clock.now - then))
    assert text.startswith(f"estimate   about {whole} to the last record, {left} left, without pictures: ")


def test_a_short_run_is_estimated_from_all_its_steps():
    clock = Clock()
    estimate = WallTimeEstimate(started_at=0.0, clock=clock)
    for n_left in (2, 1):
        assert estimate.text(n_left, 0) is None
        with estimate.step():
            clock.now += 3.0
    assert estimate.text(0, 0).startswith("estimate   about 0:06 to the last record, 0:00 left")
    assert estimate.text(0, 0) is None
