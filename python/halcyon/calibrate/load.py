"""Other load on the nodes of a calibration, and refusal of measurements that it disturbs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import RunError, format_seconds
from halcyon.calibrate.suite import Timing

if TYPE_CHECKING:
    from mpi4py import MPI

OTHER_CORES = 0.2  # other processes may occupy this much of the cores of the ranks
SPREAD = 3.0  # largest median, over the probes, of the ratio of upper to lower quartile
LONGEST_LATENCY_S = {"memory_latency": 1e-4, "injection_latency": 1e-2}
LEAST_BANDWIDTH = {"memory_bandwidth": 1e7, "injection_bandwidth": 1e5}  # [B s-1]


@dataclass(frozen=True)
class NodeLoad:
    """Load on a node during a calibration."""

    other_cores: float  # mean number of the ranks' cores that other processes occupied
    spare_cores: int  # number of cores without a rank
    load_average: float  # of one minute, before the calibration

    @property
    def disturbance(self) -> float:
        """Mean number of cores that other processes took from the ranks."""
        return self.other_cores - self.spare_cores


class LoadMeter:
    """Measures the processor time of other processes on the cores of the ranks, from its creation on."""

    def __init__(self, comm: MPI.Comm) -> None:
        """Collective."""
        from mpi4py import MPI

        self._comm, self._node = comm, comm.Split_type(MPI.COMM_TYPE_SHARED)
        self._cores = set().union(*self._node.allgather(os.sched_getaffinity(0)))
        self._load_average = os.getloadavg()[0]
        self._begin = self._now()

    def stop(self) -> NodeLoad:
        """Collective. The load on the most disturbed node; to be called once."""
        wall_s, busy_s, own_s = np.subtract(self._now(), self._begin)
        others = max(0.0, busy_s - self._node.allreduce(own_s)) / wall_s
        load = NodeLoad(others, max(0, len(self._cores) - self._node.size), self._load_average)
        self._node.Free()
        return max(self._comm.allgather(load), key=lambda each: each.disturbance)

    def _now(self) -> tuple[float, float, float]:
        """Wall time, processor time of the cores, and processor time of this rank [s]."""
        busy_s = busy_ticks(Path("/proc/stat").read_text().splitlines(), self._cores)
        return time.perf_counter(), busy_s / os.sysconf("SC_CLK_TCK"), time.process_time()


def busy_ticks(lines: Iterable[str], cores: set[int]) -> int:
    """The time that cores were not idle, from the lines of /proc/stat; time stolen by other virtual machines
    counts as busy."""
    n_ticks = 0
    for line in lines:
        name, *ticks = line.split()
        if name.startswith("cpu") and name[3:].isdecimal() and int(name[3:]) in cores:
            user, nice, system, _idle, _waiting, *interrupts_and_steal = map(int, ticks[:8])
            n_ticks += user + nice + system + sum(interrupts_and_steal)
    return n_ticks


def require_quiet(load: NodeLoad, timings: Sequence[Timing], options: Mapping[str, float]) -> None:
    """Raises RunError if other load disturbed the measurements, or the fitted options are implausible."""
    seen = []
    if load.disturbance > OTHER_CORES:
        spare = f" ({load.spare_cores} have no rank)" if load.spare_cores else ""
        seen.append(
            f"other processes occupied {load.other_cores:.2g} cores of the ranks{spare}, with a load average"
            f" of {load.load_average:.1f}"
        )
    spread = float(np.median([timing.upper / timing.lower for timing in timings]))
    if spread > SPREAD:
        seen.append(f"upper quartiles of times are {spread:.1f} times the lower ones (median of the probes)")
    for name, longest_s in LONGEST_LATENCY_S.items():
        if options.get(name, 0.0) > longest_s:
            plausible = f"above the plausible {format_seconds(longest_s)}"
            seen.append(f"{name} is {format_seconds(options[name])}, {plausible}")
    for name, least in LEAST_BANDWIDTH.items():
        if options.get(name, np.inf) < least:
            seen.append(f"{name} is {options[name]:.3g} B/s, below the plausible {least:.0e} B/s")
    if seen:
        raise RunError(
            f"calibrate: the machine is too busy to be measured: {'; '.join(seen)}. No machine file is"
            " written. Wait until other processes have ended, start no more ranks than cores, or give --busy."
        )
