"""What an all-to-all takes by each algorithm, beside MPI_Alltoallv: figure 6 of Zheng and Marguinaud (2018,
Geosci. Model Dev. 11, 3409-3426), for sizes of blocks and k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import schedule
from halcyon.base import ConfigError, RunError
from halcyon.launch import measure
from halcyon_bench.turns import over_ranks, times_us

if TYPE_CHECKING:
    from mpi4py import MPI

PEER = "MPI_Alltoallv"
SIZES = (8, 512, 4096, 32768, 262144)
MOST_BYTES = 2**31 - 1  # that MPI_Alltoallv places


@dataclass(frozen=True)
class Case:
    """An all-to-all of blocks of so many bytes among all ranks.

    Raises ConfigError for a size below 1, more bytes than MPI_Alltoallv counts, and fewer than 2 ranks."""

    ranks: int = 4
    block_bytes: int = 4096

    def __post_init__(self):
        if self.ranks < 2:
            raise ConfigError(f"{self.ranks} ranks have no all-to-all. Give 2 or more.")
        most = MOST_BYTES // self.ranks
        if not 1 <= self.block_bytes <= most:
            raise ConfigError(
                f"Blocks of {self.block_bytes} bytes on {self.ranks} ranks. Give 1 to {most}: MPI_Alltoallv"
                " counts in 32 bits."
            )

    def __str__(self):
        return f"{self.ranks} ranks, blocks of {self.block_bytes} bytes"


def algorithms(ranks: int) -> list[str]:
    """burst, Bruck, and ring-k for powers of two up to burst, which is ring-(ranks - 1)."""
    powers = [1 << i for i in range(ranks.bit_length()) if 1 << i < ranks - 1]
    return ["burst", "bruck", *(f"ring-{k}" for k in powers or [1])]


def measured(
    comm: MPI.Comm, case: Case, names: Sequence[str], method: str, repetitions: int
) -> dict[str, dict[str, float]]:
    """Collective. Wall time [us] of an all-to-all by each algorithm, its messages by a method of exchange,
    and by MPI_Alltoallv, as `over_ranks` has it. The ways take turns.

    Raises ConfigError for what is none, and RunError where one leaves anything else than MPI_Alltoallv."""
    from mpi4py import MPI

    from halcyon.comm import Execution

    right, peer = _by_mpi(comm, case)
    ways: dict[str, Callable[[], object]] = {PEER: peer}
    received = {}
    for name in names:
        work = schedule.alltoall(comm.size, case.block_bytes, algorithm=name)
        execution = Execution(comm, work, method)
        execution.buffer("send")[:] = _sent(comm, case)
        ways[name], received[name] = execution.run, execution.buffer("receive")
    found = {name: over_ranks(comm, us) for name, us in times_us(comm, ways, repetitions).items()}
    for name, here in received.items():
        if not comm.allreduce(bool(np.array_equal(here, right)), op=MPI.LAND):
            raise RunError(f"{name} by {method} does not leave what MPI_Alltoallv leaves ({case}).")
    return found


def _sent(comm: MPI.Comm, case: Case) -> np.ndarray:
    return np.arange(comm.size * case.block_bytes, dtype=np.uint8) + np.uint8(97 * comm.rank % 256)


def _by_mpi(comm: MPI.Comm, case: Case) -> tuple[np.ndarray, Callable[[], object]]:
    from mpi4py import MPI

    send = _sent(comm, case)
    receive = np.zeros_like(send)
    counts = np.full(comm.size, case.block_bytes)
    places = np.arange(comm.size) * case.block_bytes
    sides = [[buffer, counts, places, MPI.BYTE] for buffer in (send, receive)]
    return receive, lambda: comm.Alltoallv(*sides)


def all_measured(comm: MPI.Comm, cases: Sequence[Case], *how: Any) -> list[dict[str, dict[str, float]]]:
    """Collective. What is found of all cases, in their order."""
    return [measured(comm, case, *how) for case in cases]


def on_ranks(
    cases: Sequence[Case], names: Sequence[str], *, method: str = "isend_irecv", repetitions: int
) -> list[dict[str, Any]]:
    """`measured` of cases of one number of ranks, in a job of its own. Raises RunError if that fails,
    ConfigError for what it refuses."""
    what = f"all-to-alls on {cases[0].ranks} ranks"
    return measure.on_ranks(cases[0].ranks, what, all_measured, list(cases), list(names), method, repetitions)


def table(cases: Sequence[Case], found: Sequence[dict[str, dict[str, float]]]) -> str:
    """The best of each way [us], a line a size, and how many times MPI_Alltoallv's it is."""
    names = list(found[0])
    lines = ["best [us]" + "".join(f"{name:>18}" for name in names)]
    for case, us in zip(cases, found, strict=True):
        peer = us[PEER]["best"]
        cells = (
            f"{us[name]['best']:.1f}" + ("" if name == PEER else f" {us[name]['best'] / peer:5.2f}x")
            for name in names
        )
        lines.append(f"{case.block_bytes:>7} B" + "".join(f"{cell:>18}" for cell in cells))
    return "\n".join(lines)
