"""Orderly stop of a run: a signal requests it, all ranks agree on it, a restart file is written."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

SIGNALS = (signal.SIGUSR1, signal.SIGTERM)


# Time in which all ranks must agree to a stop, longer where steps take longer; the launcher is less patient.
_PATIENCE_S = 6.5


class StopRequest:
    """A request to stop by SIGUSR1, SIGTERM or SIGINT.

    Repeated signals have no further effect: schedulers send them to every process of a job, and launchers
    forward them, so a process may receive one request several times. A second SIGINT or SIGKILL ends the
    process at once, and so does a deadline if the ranks do not agree to stop, as some are stuck in MPI.
    """

    def __init__(self) -> None:
        # 1 once a stop is requested on this rank, and on any rank; arrays, as Allreduce needs buffers.
        self._requested_here, self._requested_anywhere = np.zeros(1, np.int32), np.zeros(1, np.int32)
        self._longest_step_s, self._asked_at = 0.0, math.inf
        self._agreed = threading.Event()
        for number in (*SIGNALS, signal.SIGINT):
            signal.signal(number, self._on_signal)
        # Python's handlers wait for the end of an MPI call; bytes in this pipe do not.
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()

    def received(self, comm: MPI.Comm) -> bool:
        """Collective. Whether any rank received a stop signal, to be asked after each step; costs one
        reduction of one integer."""
        from mpi4py import MPI

        comm.Allreduce(self._requested_here, self._requested_anywhere, op=MPI.MAX)
        now = time.monotonic()
        self._longest_step_s = max(self._longest_step_s, now - self._asked_at)
        self._asked_at = now
        if self._requested_anywhere[0]:
            self._agreed.set()
        return bool(self._requested_anywhere[0])

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested_here[0] = 1
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.SIG_DFL)

    def _watch(self, reader: int) -> None:
        """Ends the process if a signal is not followed by the agreement of all ranks; mpirun or srun then end
        the other ranks."""
        while (number := os.read(reader, 1)[0]) not in (*SIGNALS, signal.SIGINT):
            continue
        if not self._agreed.wait(max(_PATIENCE_S, 2 * self._longest_step_s)):
            name = signal.Signals(number).name
            text = f"error: the run was ended after {name}, as not all ranks agreed to stop. See run.json.\n"
            os.write(2, text.encode())
            os._exit(128 + number)
