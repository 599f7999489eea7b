"""Up to which size a message leaves before its receiver is ready."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

SIZES = tuple(2**k for k in range(25))  # [B], up to 16 MiB
REPETITIONS = 7
LATE_S = 0.02  # by which the receiver comes late
POLL_S = 2e-4
NO_TAG = 1  # of no message


def eager_limit(comm: MPI.Comm, pair: tuple[int, int]) -> int:
    """Collective. The largest of `SIZES` [B] that a rank may send before its receiver is ready, 0 for none: a
    receiver that comes late tells. Takes some seconds.

    Until then the receiver lets MPI work, as it does while it waits for other messages: some libraries (Open
    MPI in shared memory) hold a sender of some hundred bytes until then, eager or not."""
    return _limit_among(comm, pair, SIZES)


def eager_bytes(comm: MPI.Comm, pair: tuple[int, int]) -> int:
    """Collective. The same limit [B] to a 64th: libraries count their headers in, so that a power of two is
    just too much."""
    low = eager_limit(comm, pair)
    if low in (0, SIZES[-1]):
        return low
    for step in (low // 8, low // 64):
        sizes = [low + i * step for i in range(1, 8)]
        low = (_limit_among(comm, pair, sizes) if step > 0 else 0) or low
    return low


def _limit_among(comm: MPI.Comm, pair: tuple[int, int], sizes: Sequence[int]) -> int:
    prompt, late = np.zeros((2, len(sizes), REPETITIONS))
    for repetition in range(REPETITIONS):
        for i, size in enumerate(sizes):
            prompt[i, repetition] = _send_s(comm, pair, size, late_s=0.0)
            late[i, repetition] = _send_s(comm, pair, size, late_s=LATE_S)
    return comm.bcast(limit_of(sizes, prompt, late), root=pair[0])


def limit_of(sizes: Sequence[int], prompt_s: np.ndarray, late_s: np.ndarray) -> int:
    """The largest size of messages that leave early, 0 for none, from the times of sends.

    A message has waited where its time to a late receiver exceeds that to a prompt one by half of `LATE_S`;
    what a large message takes on its way is in both. Lower quartiles count, since whatever else a machine
    does only adds. Messages that leave early are smaller than those that wait: so the limit is the one that
    the fewest sizes contradict, and of several the smallest.

    @param prompt_s, late_s [s] (size, repetition), sizes ascending
    """
    waited = np.percentile(late_s, 25, axis=1) - np.percentile(prompt_s, 25, axis=1) > LATE_S / 2
    n_waiting_below = np.concatenate([[0], np.cumsum(waited)])
    n_early_above = np.concatenate([np.cumsum(~waited[::-1])[::-1], [0]])
    n_early = int(np.argmin(n_waiting_below + n_early_above))
    return sizes[n_early - 1] if n_early > 0 else 0


def _send_s(comm: MPI.Comm, pair: tuple[int, int], size: int, *, late_s: float) -> float:
    """How long a send takes [s], on the first of the pair; elsewhere 0."""
    buffer = np.zeros(size, np.uint8)
    if comm.rank == pair[0]:
        comm.recv(source=pair[1])
        begin = time.perf_counter()
        comm.Send(buffer, dest=pair[1])
        taken_s = time.perf_counter() - begin
        comm.recv(source=pair[1])
        return taken_s
    if comm.rank == pair[1]:
        comm.send(None, dest=pair[0])
        ready = time.perf_counter() + late_s
        while time.perf_counter() < ready:
            comm.Iprobe(source=pair[0], tag=NO_TAG)
            time.sleep(POLL_S)
        comm.Recv(buffer, source=pair[0])
        comm.send(None, dest=pair[0])
    return 0.0
