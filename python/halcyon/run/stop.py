"""Stopping a run in order: a signal asks for it, all ranks agree, a restart file is written."""

from __future__ import annotations

import signal
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

SIGNALS = (signal.SIGUSR1, signal.SIGTERM)


class Stop:
    """Whether SIGUSR1 or SIGTERM asked the run to stop.

    More of them change nothing: schedulers send them to every process of a job, and launchers pass them on,
    so that one stop comes several times. SIGKILL remains for who has no patience.
    """

    def __init__(self) -> None:
        self._mine, self._any = np.zeros(1, np.int32), np.zeros(1, np.int32)
        for number in SIGNALS:
            signal.signal(number, self._note)

    def asked(self, comm: MPI.Comm) -> bool:
        """Collective. Whether any rank was asked; one small reduction."""
        from mpi4py import MPI

        comm.Allreduce(self._mine, self._any, op=MPI.MAX)
        return bool(self._any[0])

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._mine[0] = 1
