"""Orderly stop of a run: a signal requests it, all ranks agree on it, a restart file is written."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np

from halcyon.launch.mpirun import UNDER_LAUNCHER
from halcyon.run.progress import STEP_MARK

if TYPE_CHECKING:
    from mpi4py import MPI

SIGNALS = (signal.SIGUSR1, signal.SIGTERM)
FIRST_STEP_S = 30.0  # assumed duration of steps until the first one is complete, also for the set-up

# Time in which all ranks must agree to a stop, longer where steps take longer; the launcher is less patient.
_PATIENCE_S = 6.5
_POLL_S = 0.05


class StopRequest:
    """A request to stop by SIGUSR1, SIGTERM or SIGINT.

    Repeated signals have no further effect: schedulers send them to every process of a job, and launchers
    forward them, so a process may receive one request several times. A second SIGINT or SIGKILL ends the
    process at once, and so does a deadline if the ranks do not agree to stop, as some are stuck in MPI.
    """

    def __init__(self) -> None:
        # 1 once a stop is requested on this rank, and on any rank; arrays, as Allreduce needs buffers.
        self._requested_here, self._requested_anywhere = np.zeros(1, np.int32), np.zeros(1, np.int32)
        self._longest_step_s, self._has_stepped = FIRST_STEP_S, False
        self._counts_from = -math.inf  # time from which the deadline counts; inf: it is suspended
        self._agreed = threading.Event()
        for number in (*SIGNALS, signal.SIGINT):
            signal.signal(number, self._on_signal)
        # Python's handlers wait for the end of an MPI call; bytes in this pipe do not.
        reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()

    def close(self) -> None:
        """Ends the watch for signals; they have no further effect."""
        self._agreed.set()
        signal.set_wakeup_fd(-1)
        os.close(self._writer)

    def received(self, comm: MPI.Comm) -> bool:
        """Collective. Whether any rank received a stop signal, to be asked after each step; costs one
        reduction of one integer."""
        from mpi4py import MPI

        comm.Allreduce(self._requested_here, self._requested_anywhere, op=MPI.MAX)
        if self._requested_anywhere[0]:
            self._agreed.set()
        return bool(self._requested_anywhere[0])

    def add_step(self, comm: MPI.Comm, wall_s: float) -> None:
        """Adapts the deadline to the wall time of a step."""
        if not self._has_stepped or wall_s > self._longest_step_s:
            self._longest_step_s, self._has_stepped = wall_s, True
            self._tell_launcher(comm, wall_s)

    def suspend(self, comm: MPI.Comm) -> None:
        """Suspends the deadline, as the run is not stuck if it takes long from now on."""
        self._counts_from = math.inf
        self._tell_launcher(comm, math.inf)

    @contextmanager
    def suspended(self, comm: MPI.Comm) -> Iterator[None]:
        """Collective. Suspends the deadline in the with-block, for output, until all ranks reach its end.
        After an error it remains suspended."""
        was_suspended = self._counts_from == math.inf
        self.suspend(comm)
        yield
        if not was_suspended:
            comm.Barrier()  # else this rank would wait, in its next step, for the output of others
            self._counts_from = time.monotonic()
            self._tell_launcher(comm, self._longest_step_s)

    def _tell_launcher(self, comm: MPI.Comm, step_s: float) -> None:
        """Tells the launcher the duration of the longest step; inf suspends its deadline."""
        if comm.rank == 0 and os.environ.get(UNDER_LAUNCHER) == "1":
            print(f"{STEP_MARK}{step_s:.1f}\n", end="", flush=True)  # one write: ranks share the pipe

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested_here[0] = 1
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.SIG_DFL)

    def _watch(self, reader: int) -> None:
        """Ends the process if a signal is not followed by the agreement of all ranks; mpirun or srun then end
        the other ranks."""
        with open(reader, "rb", buffering=0) as pipe:
            while number := pipe.read(1):  # until the pipe is closed
                if number[0] in (*SIGNALS, signal.SIGINT):
                    self._end_without_agreement(number[0])

    def _end_without_agreement(self, number: int) -> None:
        """Waits for the agreement of all ranks, or ends the process after the deadline."""
        signalled_at = time.monotonic()
        while not self._agreed.wait(_POLL_S):
            patience_s = max(_PATIENCE_S, 2 * self._longest_step_s)
            if time.monotonic() > max(signalled_at, self._counts_from) + patience_s:
                name = signal.Signals(number).name
                text = (
                    f"error: the run was ended after {name}, as not all ranks agreed to stop. See run.json.\n"
                )
                os.write(2, text.encode())
                os._exit(128 + number)
