"""Measures the eager limit of MPI: the largest message that is sent before its receive is posted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

SIZES = tuple(2**k for k in range(25))  # of messages [B], up to 16 MiB
REPETITIONS = 7
RECEIVER_DELAY_S = 0.02  # delay of the late receiver
POLL_S = 2e-4  # interval at which the late receiver makes MPI progress
UNUSED_TAG = 1  # no message has this tag
ENOUGH_WAITED = 4  # consecutive sizes that waited, after which larger ones are not measured


def eager_limit(comm: MPI.Comm, pair: tuple[int, int]) -> int:
    """Collective. Measures the largest of `SIZES` [B] that rank pair[0] can send before rank pair[1], which
    is delayed, posts the receive; 0 if there is none. Takes some seconds.

    During the delay the receiver makes MPI progress, as if it waited for other messages: without it, some
    libraries (Open MPI in shared memory) block the sender of some hundred bytes, even if the message is
    eager."""
    return _limit_among(comm, pair, SIZES)


def eager_bytes(comm: MPI.Comm, pair: tuple[int, int]) -> int:
    """Collective. Measures the eager limit [B] to 1/64 of its value. Limits are slightly below a power of
    two, since MPI libraries include their headers in the limit."""
    limit = eager_limit(comm, pair)
    if limit in (0, SIZES[-1]):
        return limit
    for step in (limit // 8, limit // 64):  # divides the interval up to twice the limit, then one eighth
        sizes = [limit + i * step for i in range(1, 8)]
        limit = (_limit_among(comm, pair, sizes) if step > 0 else 0) or limit
    return limit


def _limit_among(comm: MPI.Comm, pair: tuple[int, int], sizes: Sequence[int]) -> int:
    """Collective. Measures the largest of the given sizes that is eager; 0 if there is none."""
    prompt_s, late_s = np.zeros((2, len(sizes), REPETITIONS))
    n_measured = n_waited = 0
    for size in sizes:
        for repetition in range(REPETITIONS):
            prompt_s[n_measured, repetition] = _send_s(comm, pair, size, delay_s=0.0)
            late_s[n_measured, repetition] = _send_s(comm, pair, size, delay_s=RECEIVER_DELAY_S)
        has_waited = bool(_waited(prompt_s[n_measured], late_s[n_measured]))
        n_measured += 1
        n_waited = n_waited + 1 if comm.bcast(has_waited, root=pair[0]) else 0
        if n_waited == ENOUGH_WAITED:
            break
    limit = estimate_limit(sizes[:n_measured], prompt_s[:n_measured], late_s[:n_measured])
    return comm.bcast(limit, root=pair[0])


def _waited(prompt_s: np.ndarray, late_s: np.ndarray) -> np.ndarray:
    """Whether messages waited, from the times of sends (..., repetition)."""
    difference_s = np.percentile(late_s, 25, axis=-1) - np.percentile(prompt_s, 25, axis=-1)
    return difference_s > RECEIVER_DELAY_S / 2


def estimate_limit(sizes: Sequence[int], prompt_s: np.ndarray, late_s: np.ndarray) -> int:
    """Estimates the largest size of eager messages from the times of sends; 0 if no message is eager.

    A message has waited if its time with a late receiver exceeds its time with a prompt receiver by more than
    half of `RECEIVER_DELAY_S`; both times include the transfer of the message. Lower quartiles are compared,
    since disturbances only increase times. The limit is the size with the fewest contradictions: smaller
    messages that waited, and larger messages that did not; of equal candidates, the smallest.

    @param sizes in ascending order
    @param prompt_s, late_s times of sends [s] (size, repetition) to a prompt and to a late receiver"""
    waited = _waited(prompt_s, late_s)
    n_waited_below = np.concatenate([[0], np.cumsum(waited)])
    n_eager_above = np.concatenate([np.cumsum(~waited[::-1])[::-1], [0]])
    n_eager = int(np.argmin(n_waited_below + n_eager_above))
    return sizes[n_eager - 1] if n_eager > 0 else 0


def _send_s(comm: MPI.Comm, pair: tuple[int, int], size: int, *, delay_s: float) -> float:
    """The duration of a send [s] on the first rank of the pair; elsewhere 0."""
    buffer = np.zeros(size, np.uint8)
    if comm.rank == pair[0]:
        comm.recv(source=pair[1])  # the receiver is ready
        begin = time.perf_counter()
        comm.Send(buffer, dest=pair[1])
        send_s = time.perf_counter() - begin
        comm.recv(source=pair[1])  # the message has arrived
        return send_s
    if comm.rank == pair[1]:
        comm.send(None, dest=pair[0])
        end = time.perf_counter() + delay_s
        while time.perf_counter() < end:
            comm.Iprobe(source=pair[0], tag=UNUSED_TAG)
            time.sleep(POLL_S)
        comm.Recv(buffer, source=pair[0])
        comm.send(None, dest=pair[0])
    return 0.0
