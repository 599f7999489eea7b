"""The workload `file`: the messages between ranks and I/O ranks, and the access of the file system."""

from __future__ import annotations

import numpy as np

from halcyon import schedule
from halcyon.base import ConfigError
from halcyon.config.machine import Machine
from halcyon.config.workload import File
from halcyon.config.yaml_source import errors_at
from halcyon.decomposition import Volumes
from halcyon.schedule import Schedule
from halcyon.simulate.file_system import Access, access_parts_s

MOST_MESSAGES = 20_000_000  # of 100 bytes each in memory


def io_ranks_of(work: File, ranks: int) -> np.ndarray:
    """The I/O ranks, int64, as `halcyon.io` chooses them. Raises ConfigError for more of them than ranks."""
    if work.layout == "gather":
        return np.zeros(1, np.int64)
    if work.layout == "direct":
        return np.arange(ranks, dtype=np.int64)
    if work.layout == "groups":
        return np.arange(0, ranks, work.group_size, dtype=np.int64)
    if work.io_ranks > ranks:
        with errors_at("workload", "io_ranks"):
            raise ConfigError(f"workload.io_ranks = {work.io_ranks}, but ranks = {ranks}. Give fewer.")
    return np.arange(work.io_ranks, dtype=np.int64) * ranks // work.io_ranks


def access_of(work: File, machine: Machine, ranks: int) -> Access:
    """The access of the file system by the I/O ranks, with linear placement."""
    io_ranks = io_ranks_of(work, ranks)
    return Access(
        bytes=float(work.items) * work.item_bytes * work.variables,
        items=work.items,
        variables=work.variables,
        io_ranks=len(io_ranks),
        io_nodes=len(np.unique(io_ranks // machine.ranks_per_node)),
        writes=work.direction == "write",
        contiguous=work.layout in ("box", "gather"),
        shuffled=work.order == "shuffled",
    )


def file_parts_s(work: File, machine: Machine, ranks: int) -> dict[str, float]:
    """Times [s] of the parts of the access (`file_system.access_parts_s`)."""
    bandwidths = {"write": machine.injection_bandwidth, "read": machine.ejection_bandwidth}
    node_bandwidth = machine.nics_per_node * bandwidths[work.direction]
    return access_parts_s(machine.file_system, access_of(work, machine, ranks), node_bandwidth)


def file_schedule(work: File, ranks: int, ranks_per_node: int) -> Schedule:
    """The messages of all ranks to their I/O ranks, in the direction of the data: each rank has an equal part
    of the items. With `box` and natural order, those ranges that its part of the curve overlaps; with
    shuffled order, a part of each. I/O ranks whose ranges interleave exchange them with aggregators, the
    first of each node."""
    io_ranks = io_ranks_of(work, ranks)
    total = work.items * work.item_bytes * work.variables
    if work.layout == "box" and work.order == "shuffled":
        pairs = _all_pairs(np.arange(ranks, dtype=np.int64), io_ranks, total)
    elif work.layout in ("box", "gather"):
        pairs = _overlaps(ranks, io_ranks, total)
    else:
        group = 1 if work.layout == "direct" else work.group_size
        owners = np.arange(ranks, dtype=np.int64) // group * group
        pairs = np.arange(ranks, dtype=np.int64), owners, np.full(ranks, total / ranks)
    stages = [pairs]
    if work.layout in ("groups", "direct") and len(io_ranks) > 1:
        _, first = np.unique(io_ranks // ranks_per_node, return_index=True)
        stages.append(_all_pairs(io_ranks, io_ranks[first], total))
    exchanges = [schedule.messages(_volumes(ranks, *stage, work.direction)) for stage in stages]
    ordered = exchanges if work.direction == "write" else exchanges[::-1]
    return ordered[0] if len(ordered) == 1 else schedule.sequence(ordered)


def _all_pairs(
    sources: np.ndarray, targets: np.ndarray, total: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n_pairs = len(sources) * len(targets)
    if n_pairs > MOST_MESSAGES:
        with errors_at("workload", "layout"):
            raise ConfigError(
                f"{n_pairs:,} messages between ranks and I/O ranks are more than {MOST_MESSAGES:,}. Give"
                " fewer I/O ranks (io_ranks of a box, larger groups), or natural order."
            )
    return np.repeat(sources, len(targets)), np.tile(targets, len(sources)), np.full(n_pairs, total / n_pairs)


def _overlaps(ranks: int, io_ranks: np.ndarray, total: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Source, target and bytes of the overlaps between the parts of ranks and the ranges of I/O ranks, both
    equal and consecutive along the file."""
    n_io = len(io_ranks)
    ends = np.union1d(np.arange(1, ranks + 1) * n_io, np.arange(1, n_io + 1) * ranks)  # in 1 / (ranks n_io)
    lengths = np.diff(ends, prepend=0)
    return (ends - 1) // n_io, io_ranks[(ends - 1) // ranks], total * (lengths / (ranks * n_io))


def _volumes(
    ranks: int, sources: np.ndarray, targets: np.ndarray, sizes: np.ndarray, direction: str
) -> Volumes:
    """The volumes of messages; what a rank keeps is no message."""
    if direction == "read":
        sources, targets = targets, sources
    kept = sources != targets
    sources, targets, sizes = sources[kept], targets[kept], np.rint(sizes[kept]).astype(np.int64)
    order = np.lexsort((sources, targets))
    offsets = np.searchsorted(targets[order], np.arange(ranks + 1)).astype(np.int64)
    return Volumes(offsets, sources[order], np.ones(len(order), np.int64), sizes[order])
