"""Time of an all-to-all by each algorithm and by MPI_Alltoallv, by block size and k: figure 6 of Zheng and
Marguinaud (2018, Geosci. Model Dev. 11, 3409-3426)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import schedule
from halcyon.base import ConfigError, RunError
from halcyon.launch import measure
from halcyon_bench.timing import interleaved_wall_us, rank_statistics

if TYPE_CHECKING:
    from mpi4py import MPI

PEER = "MPI_Alltoallv"  # reference of the ratios
SIZES = (8, 512, 4096, 32768, 262144)  # block sizes [bytes]
MAX_BYTES = 2**31 - 1  # largest displacement that MPI_Alltoallv can express (32-bit int)


@dataclass(frozen=True)
class Case:
    """An all-to-all of blocks of `block_bytes` among all ranks.

    Raises ConfigError for fewer than 2 ranks, and block sizes that MPI_Alltoallv does not support."""

    ranks: int = 4
    block_bytes: int = 4096

    def __post_init__(self):
        if self.ranks < 2:
            raise ConfigError(f"An all-to-all on {self.ranks} ranks is not supported. Give 2 or more.")
        max_bytes = MAX_BYTES // self.ranks
        if not 1 <= self.block_bytes <= max_bytes:
            raise ConfigError(
                f"Blocks of {self.block_bytes} bytes on {self.ranks} ranks. Give 1 to {max_bytes}:"
                " MPI_Alltoallv counts in 32 bits."
            )

    def __str__(self):
        return f"{self.ranks} ranks, blocks of {self.block_bytes} bytes"


def algorithms(ranks: int) -> list[str]:
    """burst, bruck, and ring-k for each power of two k < ranks - 1 (ring-(ranks - 1) is the burst)."""
    powers = [1 << i for i in range(ranks.bit_length()) if 1 << i < ranks - 1]
    return ["burst", "bruck", *(f"ring-{k}" for k in powers or [1])]


def measured(
    comm: MPI.Comm, case: Case, names: Sequence[str], method: str, repetitions: int
) -> dict[str, dict[str, float]]:
    """Collective. Wall time [us] of an all-to-all by each named algorithm, which uses the exchange method
    `method`, and by MPI_Alltoallv. The measurements are interleaved; see `rank_statistics` for the result.

    Raises ConfigError for an unknown algorithm or method, RunError if a result differs from MPI_Alltoallv."""
    from mpi4py import MPI

    from halcyon.comm import Execution

    expected, peer = _by_mpi(comm, case)
    functions: dict[str, Callable[[], object]] = {PEER: peer}
    received = {}
    for name in names:
        work = schedule.alltoall(comm.size, case.block_bytes, algorithm=name)
        execution = Execution(comm, work, method)
        execution.buffer("send")[:] = _sent(comm, case)
        functions[name], received[name] = execution.run, execution.buffer("receive")
    times_us = interleaved_wall_us(comm, functions, repetitions)
    times = {name: rank_statistics(comm, us) for name, us in times_us.items()}
    for name, result in received.items():
        if not comm.allreduce(bool(np.array_equal(result, expected)), op=MPI.LAND):
            raise RunError(f"{name} by {method} gives another result than MPI_Alltoallv ({case}).")
    return times


def _sent(comm: MPI.Comm, case: Case) -> np.ndarray:
    """The send buffer of this rank, uint8, with contents that depend on the rank."""
    return np.arange(comm.size * case.block_bytes, dtype=np.uint8) + np.uint8(97 * comm.rank % 256)


def _by_mpi(comm: MPI.Comm, case: Case) -> tuple[np.ndarray, Callable[[], object]]:
    """The receive buffer, and a function that calls MPI_Alltoallv."""
    from mpi4py import MPI

    send = _sent(comm, case)
    receive = np.zeros_like(send)
    counts = np.full(comm.size, case.block_bytes)
    displacements = np.arange(comm.size) * case.block_bytes
    buffers = [[buffer, counts, displacements, MPI.BYTE] for buffer in (send, receive)]
    return receive, lambda: comm.Alltoallv(*buffers)


def all_measured(comm: MPI.Comm, cases: Sequence[Case], *arguments: Any) -> list[dict[str, dict[str, float]]]:
    """Collective. The result of `measured` for each case; `arguments` follow the case."""
    return [measured(comm, case, *arguments) for case in cases]


def on_ranks(
    cases: Sequence[Case], names: Sequence[str], *, method: str = "isend_irecv", repetitions: int
) -> list[dict[str, Any]]:
    """Runs `all_measured` in a new job; all cases have the same number of ranks. Raises RunError if the job
    fails, ConfigError for an invalid configuration."""
    label = f"all-to-alls on {cases[0].ranks} ranks"
    return measure.run_on_ranks(
        cases[0].ranks, label, all_measured, list(cases), list(names), method, repetitions
    )


def table(cases: Sequence[Case], times: Sequence[dict[str, dict[str, float]]]) -> str:
    """One line per block size: the best time of each algorithm [us], and its ratio to MPI_Alltoallv."""
    names = list(times[0])
    lines = ["best [us]" + "".join(f"{name:>18}" for name in names)]
    for case, us in zip(cases, times, strict=True):
        peer = us[PEER]["best"]
        cells = (
            f"{us[name]['best']:.1f}" + ("" if name == PEER else f" {us[name]['best'] / peer:5.2f}x")
            for name in names
        )
        lines.append(f"{case.block_bytes:>7} B" + "".join(f"{cell:>18}" for cell in cells))
    return "\n".join(lines)
