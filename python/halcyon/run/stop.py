"""Orderly stop of a run: a signal requests it, all ranks agree on it, a restart file is written."""

from __future__ import annotations

import signal
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

SIGNALS = (signal.SIGUSR1, signal.SIGTERM)


class StopRequest:
    """A request to stop by SIGUSR1, SIGTERM or SIGINT.

    Repeated signals have no further effect: schedulers send them to every process of a job, and launchers
    forward them, so a process may receive one request several times. A second SIGINT or SIGKILL ends the
    process at once.
    """

    def __init__(self) -> None:
        # 1 once a stop is requested on this rank, and on any rank; arrays, as Allreduce needs buffers.
        self._requested_here, self._requested_anywhere = np.zeros(1, np.int32), np.zeros(1, np.int32)
        for number in (*SIGNALS, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def received(self, comm: MPI.Comm) -> bool:
        """Collective. Whether any rank received a stop signal; costs one reduction of one integer."""
        from mpi4py import MPI

        comm.Allreduce(self._requested_here, self._requested_anywhere, op=MPI.MAX)
        return bool(self._requested_anywhere[0])

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested_here[0] = 1
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
