"""A job of mpirun: its output is passed on line by line, and nothing of it outlives us."""

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
from typing import Self

from halcyon.io.writing import writing
from halcyon.launch.errors import STOPPED
from halcyon.run.progress import PlainView, Record
from halcyon.run.stop import SIGNALS as STOP_SIGNALS

_SIGNALS = (signal.SIGINT, signal.SIGHUP, *STOP_SIGNALS)
_GRACE_S = 5.0
_NEVER = float("inf")
_TICK_S = 0.25
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Ending:
    """How a job ended: mpirun's exit code, whether a rank said why, whether its ranks stopped in order, and
    the signal that stopped us."""

    code: int
    error_shown: bool
    stopped: bool
    interrupted_by: signal.Signals | None


class _Log:
    """The file that gets every line. Where it fails, as on a full disk, this is said once; the job goes on.

    Raises RunError where it cannot be begun.
    """

    def __init__(self, path: Path, view: PlainView, *, goes_on: bool) -> None:
        self._path, self._view = path, view
        with writing(path):
            if not goes_on:
                path.write_text("")
            self._handle: int | None = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def line(self, text: str) -> None:
        if self._handle is None:
            return
        data = f"{text}\n".encode()
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            self._end()
            self._view.alert(f"warning: {self._path} cannot be written: {error.strerror}. It ends here.")

    def _end(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._handle = None


class Job:
    """One run of `command`.

    @param log file that gets every line, plain; @param goes_on keeps what it holds
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], log: Path, *, goes_on: bool = False
    ) -> None:
        self._goes_on = goes_on
        self._command, self._environment, self._log_path = list(command), dict(environment), log
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped_by: signal.Signals | None = None
        self._stopped_at, self._kill_at = -_NEVER, _NEVER
        self._error_shown, self._ranks_stopped = False, False

    def run(self, view: PlainView) -> Ending:
        """Starts the job and waits for its end. SIGINT and SIGHUP end the whole job; SIGTERM and SIGUSR1 have
        its ranks stop in order."""
        with _Log(self._log_path, view, goes_on=self._goes_on) as log, self._signals_caught():
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )
            try:
                for is_error, line in self._lines():
                    self._pass_on(line, is_error, view, log)
                code = self._process.wait()
            finally:
                _kill_session(self._process.pid)
        return Ending(code, self._error_shown, self._ranks_stopped, self._stopped_by)

    def _pass_on(self, line: str, is_error: bool, view: PlainView, log: _Log) -> None:
        record = None if is_error else Record.unmarked(line)
        log.line(line if record is None else record.line())
        if record is not None:
            view.progress(record)
        elif is_error:
            if self._kill_at == _NEVER:
                self._error_shown |= line.startswith("error: ")
                self._ranks_stopped |= line.startswith(STOPPED)
                view.alert(line)
        else:
            view.message(line)

    def _lines(self) -> Iterator[tuple[bool, str]]:
        """Lines of both streams as they come: whether it is one of stderr, and its text."""
        rest = {self._process.stdout: b"", self._process.stderr: b""}
        with selectors.DefaultSelector() as selector:
            for stream in rest:
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                self._see_to_stop()
                for key, _ in selector.select(_TICK_S):
                    chunk = os.read(key.fd, 65536)
                    *whole, rest[key.fileobj] = (rest[key.fileobj] + chunk).split(b"\n")
                    if not chunk:
                        selector.unregister(key.fileobj)
                        whole, rest[key.fileobj] = [rest[key.fileobj]] if rest[key.fileobj] else [], b""
                    for line in whole:
                        yield key.fileobj is self._process.stderr, line.decode(errors="replace").rstrip("\r")

    def _see_to_stop(self) -> None:
        """Ends by force what did not end within the grace time."""
        if time.monotonic() > self._kill_at:
            _kill_session(self._process.pid)

    @contextmanager
    def _signals_caught(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._stop) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """First signal: mpirun ends its ranks, or asks them to stop. A later one: everything is killed.

        What asks is SIGUSR1, which mpirun passes on: a second after SIGTERM it kills its ranks. The same stop
        may reach us more than once, by a service manager and by a shell: what comes at once with it is part
        of it."""
        now = time.monotonic()
        if number in STOP_SIGNALS and now < self._stopped_at + _GRACE_S:
            return
        again = self._stopped_by is not None
        self._stopped_by = self._stopped_by or signal.Signals(number)
        in_order = number in STOP_SIGNALS and not again
        self._stopped_at = now
        self._kill_at = _NEVER if in_order else now + (0 if again else _GRACE_S)
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGUSR1 if in_order else signal.SIGTERM)


def _end_with_parent() -> None:
    """The kernel sends SIGTERM to mpirun should we be killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _kill_session(leader: int) -> None:
    """Kills every process of the session that mpirun leads; its ranks have process groups of their own."""
    deadline = time.monotonic() + _GRACE_S
    while (members := _members(leader)) and time.monotonic() < deadline:
        for process in members:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def _members(leader: int) -> list[int]:
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal() and _session(p) == leader]


def _session(entry: Path) -> int | None:
    """The session of a process; None when it is gone, or has ended and only waits to be collected."""
    try:
        state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    return None if state == "Z" else int(session)
