"""The time that the output of a planned run takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from halcyon.config.machine import Machine
from halcyon.simulate.file_system import Access, access_parts_s, total_s

MOST_IO_RANKS = 64  # io.most_ranks of a run


@dataclass(frozen=True)
class Output:
    """Records of a run: bytes of each, simulated time between them [s], number of I/O ranks, and whether they
    are written while the model computes (io.background)."""

    record_bytes: float
    every_s: float
    io_ranks: int = MOST_IO_RANKS
    background: bool = True

    def record_s(self, machine: Machine, ranks: int) -> float:
        """Time [s] of writing a record, in a file of one variable, by I/O ranks spread over the nodes.
        Messages to the I/O ranks are not simulated: the NICs of their nodes receive and send each byte."""
        n = min(self.io_ranks, ranks)
        nodes = min(n, math.ceil(ranks / machine.ranks_per_node))
        access = Access(
            bytes=self.record_bytes,
            items=1,
            variables=1,
            io_ranks=n,
            io_nodes=nodes,
            writes=True,
            contiguous=True,
            shuffled=False,
        )
        speeds = machine.injection_bandwidth, machine.ejection_bandwidth
        node_bandwidth = machine.nics_per_node / sum(1 / speed for speed in speeds)
        return total_s(access_parts_s(machine.file_system, access, node_bandwidth))

    def visible_s(self, machine: Machine, ranks: int, step_s: float, simulated_s: float) -> float:
        """Time [s] per step that the model waits for its output.

        @param step_s wall time of a step without output
        @param simulated_s simulated time of a step"""
        steps = self.every_s / simulated_s  # from record to record
        record_s = self.record_s(machine, ranks)
        hidden_s = steps * step_s if self.background else 0.0
        return max(record_s - hidden_s, 0.0) / steps
