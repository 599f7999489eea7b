"""An mpirun job whose output is forwarded line by line, and which leaves no process behind at its end."""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Self

from halcyon.io.writing import writing
from halcyon.launch.errors import STOPPED
from halcyon.launch.mpirun import TextsOfMpirun
from halcyon.mesh.atomic_file import descriptor_of_new
from halcyon.run.progress import STEP_MARK, STOP_MARK, PlainView, ProgressReport
from halcyon.run.stop import FIRST_STEP_S
from halcyon.run.stop import SIGNALS as STOP_SIGNALS

_SIGNALS = (signal.SIGINT, signal.SIGHUP, *STOP_SIGNALS)
_REPEAT_S = 5.0  # time in which repeated SIGTERM, SIGUSR1 or SIGHUP count as one request
# Time from a request to stop until the ranks must have agreed to it, and then until the job is terminated;
# longer where steps take longer. Ranks that are stuck in MPI never agree.
_PATIENCE_S = 6.0
_KILL_AFTER_S = 2.0  # time from the termination of the job until its remaining processes are killed
_GRACE_S = 5.0  # longest time for the processes to end after they were killed
_NEVER = float("inf")
_POLL_S = 0.25  # longest wait for output before the deadlines are checked
_PR_SET_PDEATHSIG = 1  # of Linux's prctl(2)


@dataclass(frozen=True)
class JobResult:
    """How a job ended."""

    code: int  # exit code of mpirun
    error_shown: bool  # whether a rank printed an error
    has_stopped: bool  # whether the ranks stopped in an orderly way, with a restart file
    interrupted_by: signal.Signals | None  # signal that the launcher received
    text_of_mpirun: str = ""  # what mpirun itself has written on stderr


class _Log:
    """The log file. When writing fails, as on a full disk, it warns once and the job continues without it.

    Raises RunError if the file cannot be created.
    """

    def __init__(self, path: Path, view: PlainView, *, append: bool) -> None:
        self._path, self._view = path, view
        with writing(path):
            self._handle: int | None = descriptor_of_new(path, append=append)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def line(self, text: str) -> None:
        """Writes a line."""
        if self._handle is None:
            return
        data = f"{text}\n".encode()
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            self._close()
            self._view.alert(f"warning: {self._path} cannot be written: {error.strerror}. The log ends here.")

    def _close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._handle = None


class Job:
    """One run of `command`, an mpirun command line.

    @param log file for every line of the output
    @param append whether the existing content of the log is kept
    @param note first line of the output, if any
    @param longest_step_s longest duration of a step, until a rank tells another
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        *,
        append: bool = False,
        note: str | None = None,
        longest_step_s: float = FIRST_STEP_S,
    ) -> None:
        self._append, self._note = append, note
        self._command, self._environment, self._log_path = list(command), dict(environment), log
        self._process: subprocess.Popen[bytes] | None = None
        self._signalled_by: signal.Signals | None = None
        # [s] on the monotonic clock: the first request, the termination of the job, the end of its processes
        self._signalled_at, self._terminate_at, self._kill_at = -_NEVER, _NEVER, _NEVER
        self._longest_step_s = longest_step_s  # as rank 0 tells it; inf: it writes output, however long
        self._has_agreed = False  # whether all ranks know of the request to stop
        self._error_shown, self._ranks_stopped = False, False
        self._texts_of_mpirun = TextsOfMpirun()

    def run(self, view: PlainView) -> JobResult:
        """Starts the job and waits for its end. SIGINT, SIGHUP, SIGTERM and SIGUSR1 request an orderly stop
        with a restart file; a second signal, or ranks that do not agree to stop, end the job."""
        with _Log(self._log_path, view, append=self._append) as log, self._signal_handlers():
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=_terminate_with_parent,
            )
            try:
                if self._note is not None:
                    self._forward(self._note, False, view, log)
                if self._signalled_by is not None:  # before there was a process
                    self._process.send_signal(signal.SIGUSR1)
                for is_error, line in self._lines():
                    self._forward(line, is_error, view, log)
                code = self._process.wait()
                text = self._texts_of_mpirun.text
                if code != 0 and text and not self._error_shown:
                    log.line(text)
            finally:
                assert self._process is not None
            _kill_session(self._process.pid)
        return JobResult(code, self._error_shown, self._ranks_stopped, self._signalled_by, text)

    def _forward(self, line: str, is_error: bool, view: PlainView, log: _Log) -> None:
        """Forwards a line of the job's output to the view and to the log. `is_error`: whether it is from
        stderr."""
        if self._texts_of_mpirun.take(line) if is_error else self._is_mark(line):
            return
        report = None if is_error else ProgressReport.parse(line)
        log.line(line if report is None else report.line())
        if report is not None:
            view.progress(report)
        elif is_error:
            has_stopped = line.startswith(STOPPED)
            self._ranks_stopped |= has_stopped
            # What mpirun and the ranks print on stderr when they are terminated is only logged.
            if self._kill_at == _NEVER or has_stopped:
                self._error_shown |= line.startswith("error: ")
                view.alert(line)
        else:
            view.message(line)

    def _is_mark(self, line: str) -> bool:
        """Whether a line is a message of rank 0 to the launcher about the duration of steps or the agreement
        to stop, which changes the deadline."""
        if line == STOP_MARK:
            self._has_agreed = True  # the restart file is written, however long that takes
        elif line.startswith(STEP_MARK):
            with suppress(ValueError):
                self._longest_step_s = float(line.removeprefix(STEP_MARK))
        else:
            return False
        is_terminated = self._kill_at < _NEVER or time.monotonic() >= self._terminate_at
        if self._signalled_by is not None and not is_terminated:
            self._terminate_at = self._deadline()
        return True

    def _deadline(self) -> float:
        """The time until which the ranks must agree to stop, at their present pace."""
        patience_s = _NEVER if self._has_agreed else max(_PATIENCE_S, 2 * self._longest_step_s)
        return time.monotonic() + patience_s

    def _lines(self) -> Iterator[tuple[bool, str]]:
        """Yields lines of stdout and stderr as they arrive: whether the line is from stderr, and its text."""
        assert self._process is not None
        incomplete: dict[Any, bytes] = {self._process.stdout: b"", self._process.stderr: b""}
        with selectors.DefaultSelector() as selector:
            for stream in incomplete:
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                self._end_when_due()
                for key, _ in selector.select(_POLL_S):
                    chunk = os.read(key.fd, 65536)
                    *lines, incomplete[key.fileobj] = (incomplete[key.fileobj] + chunk).split(b"\n")
                    if not chunk:
                        selector.unregister(key.fileobj)
                        lines = [last_line] if (last_line := incomplete.pop(key.fileobj)) else []
                    for line in lines:
                        yield key.fileobj is self._process.stderr, line.decode(errors="replace").rstrip("\r")

    def _end_when_due(self) -> None:
        """Terminates the job, and later kills its remaining processes, once the deadlines have passed."""
        now = time.monotonic()
        if now > self._terminate_at:
            self._terminate_at, self._kill_at = _NEVER, now + _KILL_AFTER_S
            assert self._process is not None
            self._process.send_signal(signal.SIGTERM)
        if now > self._kill_at:
            assert self._process is not None
            _kill_session(self._process.pid)

    @contextmanager
    def _signal_handlers(self) -> Iterator[None]:
        previous = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """The first signal requests an orderly stop; a later one terminates the job.

        The request is SIGUSR1, which mpirun forwards to the ranks; on SIGTERM mpirun would kill them after a
        second. A service manager and a shell may both send the same request, so that repeated requests count
        as one for some seconds; but a second Ctrl-C is meant as such."""
        now = time.monotonic()
        if self._signalled_by is not None:
            if number == signal.SIGINT or now > self._signalled_at + _REPEAT_S:
                self._terminate_at = min(self._terminate_at, now)
            return
        self._signalled_by, self._signalled_at = signal.Signals(number), now
        self._terminate_at = self._deadline()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGUSR1)


def _terminate_with_parent() -> None:
    """Makes the kernel send SIGTERM to mpirun if the launcher is killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _kill_session(leader: int) -> None:
    """Kills every process of mpirun's session, whose leader is mpirun; a process group would not include the
    ranks."""
    deadline = time.monotonic() + _GRACE_S
    while (members := _session_members(leader)) and time.monotonic() < deadline:
        for process in members:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def _session_members(leader: int) -> list[int]:
    """The ids of the processes in the session of the process `leader`."""
    folders = (folder for folder in Path("/proc").iterdir() if folder.name.isdecimal())
    return [int(folder.name) for folder in folders if _session_leader(folder) == leader]


def _session_leader(folder: Path) -> int | None:
    """The session leader of a process, given the folder of the process in /proc; None if the process no
    longer exists or is a zombie."""
    try:
        state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    return None if state == "Z" else int(session)
