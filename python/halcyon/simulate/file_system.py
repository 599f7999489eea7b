"""A model of a parallel file system: how long I/O ranks take to write or read one file.

The time of an access is that of its opening, a time per file and per I/O rank at the metadata server, and of
the slowest of three stages through which the bytes flow at the same time: the I/O ranks, their nodes' NICs,
and the storage servers, over which the file is striped. A server takes a fixed time per request, and a fixed
time to pass the lock of a stripe from one client to another (extent locks of Lustre, tokens of GPFS)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from halcyon.config.machine import FileSystem

# A patch of m cells has CURVE_RANGES sqrt(m) ranges along a Hilbert curve: counted on METIS' parts of G6 and
# G7, of 40 to 10,000 cells, and on groups of 4 and 16 of them, 1.32 to 1.64.
CURVE_RANGES = 1.45


@dataclass(frozen=True, kw_only=True)
class Access:
    """One record of a file, written or read by I/O ranks."""

    bytes: float  # of the record, all variables
    items: int  # of each variable, such as cells
    variables: int
    io_ranks: int
    io_nodes: int  # nodes that the I/O ranks are on
    writes: bool
    contiguous: bool  # each I/O rank has one range of each variable
    shuffled: bool  # whether the items of a patch lie anywhere in the file, or along a space-filling curve

    @property
    def ranges(self) -> float:
        """Contiguous ranges of the file, of all I/O ranks and variables. A share f of randomly ordered items
        has N f (1 - f) ranges; a compact patch along a space-filling curve as many as its outline crosses."""
        if self.contiguous or self.io_ranks == 1:
            return float(self.io_ranks * self.variables)
        own = self.items / self.io_ranks
        random_ranges = own * (1 - 1 / self.io_ranks)
        ranges = random_ranges if self.shuffled else min(CURVE_RANGES * math.sqrt(own), random_ranges)
        return max(ranges, 1.0) * self.io_ranks * self.variables

    @property
    def accessing(self) -> int:
        """Processes that access the servers: the I/O ranks; or, where their ranges interleave, one aggregator
        per node, to which they pass the data (two-phase I/O: Thakur et al. 1999)."""
        return self.io_ranks if self.contiguous else min(self.io_nodes, self.io_ranks)


def access_parts_s(system: FileSystem, access: Access, node_bandwidth: float) -> dict[str, float]:
    """Times [s] of the parts of an access: `open` (with the flush), and those that proceed at the same time:
    `io_ranks`, `nodes`, `servers` (with requests and locks).

    @param node_bandwidth of the NICs of a node [bytes/s]"""
    n_servers = min(system.stripes or system.servers, system.servers)
    pieces = access.accessing * access.variables  # contiguous parts of the file, one for each process
    stripes = access.bytes / system.stripe_bytes
    requests = max(stripes, 1) + pieces - 1  # a piece that ends within a stripe divides its request
    handovers = pieces - access.variables if access.writes else 0  # stripes that two processes share
    range_s = system.range_time * access.ranges * (1 / access.io_ranks + 1 / access.accessing)
    own_bytes = access.bytes / access.accessing
    return {
        "open": system.file_time + system.open_time * access.io_ranks,
        "io_ranks": own_bytes / system.rank_bandwidth + (0.0 if access.contiguous else range_s),
        "nodes": access.bytes / min(access.io_nodes, access.accessing) / node_bandwidth,
        "servers": (
            access.bytes / system.bandwidth + requests * system.request_time + handovers * system.lock_time
        )
        / n_servers,
    }


def total_s(parts_s: Mapping[str, float]) -> float:
    """Time [s] of an access with these parts."""
    return parts_s["open"] + max(parts_s[name] for name in ("io_ranks", "nodes", "servers"))


def best_io_ranks(system: FileSystem, access: Access, node_bandwidth: float, most: int) -> int:
    """The number of I/O ranks, each on a node of its own and with contiguous ranges, with the shortest
    access: about sqrt(bytes / (rank_bandwidth open_time)) where the servers do not limit."""

    def seconds(n: int) -> float:
        given = {**access.__dict__, "io_ranks": n, "io_nodes": n, "contiguous": True}
        return total_s(access_parts_s(system, Access(**given), node_bandwidth))

    return min(range(1, most + 1), key=seconds)
