"""Algorithms of collectives as MPI libraries choose them by number of ranks and size.

`open_mpi`: the fixed decisions of the component coll/tuned of Open MPI 4.1.4 (coll_tuned_decision_fixed.c)
for commutative operators, and those of coll/libnbc for nonblocking collectives. `mpich`: those of MPICH 4.0.2
(maint/tuning/coll/mpir/generic.json; after Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19,
49-66), without the two-level algorithms of nodes; `mpich_node_aware`: with these (ch4/generic.json).

Approximations: Open MPI's split binary and in-order binary trees are binary trees; its butterfly, and on 2 to
7 ranks the recursive doubling of MPI_Reduce_scatter_block, are recursive halving; algorithms that synchronize
pairs of ranks before they send are those without.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from halcyon.base import ConfigError

LIBRARIES = ("open_mpi", "mpich", "mpich_node_aware")

# One line per range of numbers of ranks: the number above the range, then algorithms, each followed by the
# number of bytes above its range of sizes. The size is that of one rank's contribution or block; of
# reduce_scatter the total; of allgatherv the mean.
_OPEN_MPI = {
    "allreduce": (
        "4: ring 8 recursive_doubling 4096 ring 8192 recursive_doubling 16384 ring 262144 rabenseifner",
        "8: ring 16 recursive_doubling 8192 rabenseifner",
        "16: recursive_doubling 8192 rabenseifner",
        "32: ring 64 recursive_doubling 4096 rabenseifner",
        "64: ring 128 rabenseifner",
        "128: recursive_doubling 262144 rabenseifner",
        "256: reduce_broadcast 131072 recursive_doubling 262144 rabenseifner",
        "512: reduce_broadcast 4096 rabenseifner",
        "2048: reduce_broadcast 2048 recursive_doubling 16384 rabenseifner",
        "4096: reduce_broadcast 2048 ring 4096 recursive_doubling 16384 rabenseifner",
        "inf: reduce_broadcast 2048 ring 16384 recursive_doubling 32768 rabenseifner",
    ),
    "alltoall": (
        "3: pairwise 32768 linear 262144 pairwise",
        "8: linear 524288 pairwise 1048576 linear",
        "16: linear",
        "32: linear 4 bruck 512 linear",
        "64: bruck 512 linear",
        "256: bruck 1024 linear 262144 pairwise",
        "512: bruck 1024 linear 32768 pairwise",
        "1024: bruck 512 linear 262144 pairwise",
        "2048: bruck 512 linear",
        "4096: bruck 1024 linear",
        "inf: bruck 2048 linear",
    ),
    "alltoallv": (
        "4: pairwise",
        "64: linear",
        "128: pairwise",
        "256: linear",
        "1024: pairwise",
        "inf: linear",
    ),
    "barrier": (
        "4: recursive_doubling",
        "8: linear",
        "64: recursive_doubling",
        "256: dissemination",
        "512: binomial",
        "1024: dissemination",
        "4096: binomial",
        "inf: dissemination",
    ),
    "broadcast": (
        "4: chain 32 binary 256 chain 512 knomial_4 1024 linear 32768 binary 131072 chain 262144 "
        "linear 524288 binomial 1048576 binary",
        "8: binary 64 binomial 128 binary 2048 binomial 8192 linear 1048576 chain",
        "16: knomial_4 8 binary 64 knomial_4 4096 binary 16384 binomial 32768 linear",
        "32: knomial_4 4096 binomial 1048576 scatter_recursive_doubling",
        "64: binomial 2048 knomial_4",
        "128: knomial_4",
        "256: binomial 2 binary 16384 linear 32768 binary 65536 knomial_4",
        "1024: knomial_4 16384 binary 32768 knomial_4",
        "2048: knomial_4 524288 scatter_recursive_doubling",
        "4096: knomial_4 262144 scatter_recursive_doubling",
        "inf: knomial_4 8192 binary 16384 knomial_4 262144 scatter_recursive_doubling",
    ),
    "reduce": (
        "4: rabenseifner 8 binary 16 chain 32 linear 262144 chain",
        "8: binary 4096 chain 65536 binomial 262144 linear 524288 binomial 1048576 linear",
        "16: binary 8192 binomial",
        "32: binary 4096 binomial",
        "256: binomial",
        "512: binomial 8192 binary 16384 binomial",
        "2048: binomial",
        "4096: binomial 512 binary 1024 binomial 8192 binary 16384 binomial",
        "inf: binomial 16 binary 32 binomial 1024 binary 2048 binomial 8192 binary 16384 binomial",
    ),
    "reduce_scatter": (
        "4: ring 65536 recursive_halving 131072 ring",
        "8: reduce_scatter 8 recursive_halving 262144 ring",
        "32: recursive_halving 262144 ring",
        "64: reduce_scatter 64 recursive_halving 524288 ring",
        "512: reduce_scatter 256 recursive_halving",
        "4096: reduce_scatter 512 recursive_halving",
        "inf: reduce_scatter 1024 recursive_halving",
    ),
    "reduce_scatter_block": (
        "4: recursive_halving 131072 reduce_scatter",
        "8: recursive_halving 1048576 reduce_scatter",
        "16: reduce_scatter 4 recursive_halving 524288 reduce_scatter 4194304 recursive_halving",
        "32: reduce_scatter 32 recursive_halving 524288 reduce_scatter 2097152 recursive_halving",
        "inf: recursive_halving 4 reduce_scatter 16 recursive_halving 65536 reduce_scatter 262144 "
        "recursive_halving",
    ),
    "allgather": (
        "3: ring",
        "32: recursive_doubling",
        "64: recursive_doubling 1024 neighbor_exchange 65536 ring",
        "128: recursive_doubling 512 neighbor_exchange 65536 ring",
        "256: recursive_doubling 512 neighbor_exchange 131072 ring 524288 neighbor_exchange 1048576 ring",
        "512: recursive_doubling 32 bruck 128 recursive_doubling 1024 neighbor_exchange 131072 ring "
        "524288 neighbor_exchange 1048576 ring",
        "1024: recursive_doubling 64 bruck 256 recursive_doubling 2048 neighbor_exchange",
        "2048: recursive_doubling 4 bruck 8 recursive_doubling 16 bruck 32 recursive_doubling 256 bruck "
        "512 recursive_doubling 4096 neighbor_exchange",
        "4096: bruck 32 recursive_doubling 128 bruck 512 recursive_doubling 4096 neighbor_exchange",
        "inf: recursive_doubling 2 bruck 8 recursive_doubling 16 bruck 512 recursive_doubling 4096 "
        "neighbor_exchange",
    ),
    "allgatherv": (
        "3: ring",
        "8: linear 256 neighbor_exchange 4096 ring 8192 neighbor_exchange 16384 bruck 262144 "
        "neighbor_exchange",
        "16: linear 1024 bruck",
        "32: linear 128 bruck 262144 ring",
        "64: linear 256 bruck 8192 ring",
        "128: linear 256 bruck 4096 ring",
        "256: bruck 1024 neighbor_exchange 65536 ring",
        "512: bruck 1024 ring",
        "1024: bruck 512 linear 1024 bruck 4096 neighbor_exchange 1048576 ring",
        "inf: bruck 4096 neighbor_exchange",
    ),
    "gather": (
        "4: linear 4 binomial 32768 linear 65536 binomial 131072 linear",
        "8: binomial 1024 linear 8192 binomial 32768 linear",
        "256: binomial",
        "512: binomial 2048 linear 8192 binomial",
        "inf: binomial",
    ),
    "scatter": (
        "4: linear",
        "8: binomial 2048 linear 4096 binomial 8192 linear",
        "32: binomial 16384 linear",
        "64: binomial 512 linear 8192 binomial 16384 linear",
        "inf: binomial 512 linear",
    ),
    "gatherv": ("inf: linear",),
    "scatterv": ("inf: linear",),
    "scan": ("inf: linear",),
    "exscan": ("inf: linear",),
}
_LIBNBC = {
    "barrier": ("inf: dissemination",),
    "broadcast": ("5: linear", "inf: binomial"),
    "reduce": ("3: binomial 65536 chain", "inf: rabenseifner"),
    "allreduce": ("4: reduce_broadcast", "inf: reduce_broadcast 65536 rabenseifner"),
    "alltoall": ("inf: linear",),
    "alltoallv": ("inf: linear",),
    "allgather": ("inf: burst",),
    "allgatherv": ("inf: burst",),
    "gather": ("inf: linear",),
    "scatter": ("inf: linear",),
    "reduce_scatter": ("inf: reduce_scatter",),
    "reduce_scatter_block": ("inf: reduce_scatter",),
}
# What replaces algorithms for fewer items than pieces, by operation; blocking and nonblocking.
_FEW_ITEMS = {
    ("ring", "allreduce"): ("recursive_doubling", "ring"),
    ("rabenseifner", "allreduce"): ("linear", "ring"),
    ("rabenseifner", "reduce"): ("linear", "binomial"),
}
_POWER_OF_TWO = {"allgather": "bruck", "broadcast": "scatter_ring"}  # what replaces recursive doubling
_ITEM_BYTES = 8  # of reductions, whose type traces do not have


def choose(
    library: str,
    operation: str,
    ranks: int,
    size: int,
    *,
    nonblocking: bool = False,
    ranks_per_node: int = 1,
) -> str:
    """The name of the algorithm (`halcyon.schedule.collective`) of an operation of `events.COLLECTIVES`.

    size: bytes of one rank's contribution or block; the total of a reduce_scatter, the mean of an allgatherv.
    ranks_per_node: for two-level algorithms. Raises ConfigError for an unknown library."""
    if library == "open_mpi":
        return _of_open_mpi(operation, ranks, size, nonblocking)
    if library == "mpich_node_aware" and _has_two_levels(operation, ranks, size, nonblocking):
        nodes = -(-ranks // ranks_per_node)
        return f"node_aware_{_of_mpich(operation, nodes, size, nonblocking)}"
    if library in LIBRARIES:
        return _of_mpich(operation, ranks, size, nonblocking)
    raise ConfigError(f"There is no library '{library}'. Use {', '.join(LIBRARIES)}.")


def _of_open_mpi(operation: str, ranks: int, size: int, nonblocking: bool) -> str:
    by_libnbc = nonblocking and operation in _LIBNBC
    name = _look_up((_LIBNBC if by_libnbc else _OPEN_MPI)[operation], ranks, size)
    n_pieces = ranks if name == "ring" else _largest_power(ranks)
    if (name, operation) in _FEW_ITEMS and size // _ITEM_BYTES < n_pieces:
        return _FEW_ITEMS[name, operation][by_libnbc]
    if name.endswith("recursive_doubling") and operation in _POWER_OF_TWO and _largest_power(ranks) < ranks:
        return _POWER_OF_TWO[operation]
    if name == "neighbor_exchange" and ranks % 2:
        return "ring"
    return name


def _largest_power(ranks: int) -> int:
    """The largest power of two up to a number of ranks."""
    return 1 << (ranks.bit_length() - 1)


def _look_up(rows: tuple[str, ...], ranks: int, size: int) -> str:
    return next(name(size) for limit, name in _parsed(rows) if ranks < limit)


@cache
def _parsed(rows: tuple[str, ...]) -> list[tuple[float, Callable[[int], str]]]:
    """For each range of numbers of ranks, its upper limit and the function from size to algorithm."""

    def by_size(words: list[str]) -> Callable[[int], str]:
        names, limits = words[::2], [float(word) for word in words[1::2]] + [float("inf")]
        return lambda size: next(name for name, limit in zip(names, limits, strict=True) if size < limit)

    split = [row.split(": ") for row in rows]
    return [(float(limit), by_size(words.split())) for limit, words in split]


def _of_mpich(operation: str, ranks: int, size: int, nonblocking: bool) -> str:
    power = _largest_power(ranks)
    match operation:
        case "broadcast":
            size -= not nonblocking  # limits are exclusive for nonblocking broadcasts only
            if size < 12288 or ranks < 8:
                return "binomial"
            return "scatter_recursive_doubling" if size < 524288 and power == ranks else "scatter_ring"
        case "reduce" | "allreduce":
            short = 8 if operation == "allreduce" and not nonblocking else 2048
            if size > short and size // _ITEM_BYTES >= power:
                return "rabenseifner"
            return "binomial" if operation == "reduce" else "recursive_doubling"
        case "allgather" | "allgatherv":
            if power == ranks:
                return "recursive_doubling" if size * ranks < 524288 else "ring"
            return "bruck" if size * ranks < 81920 else "ring"
        case "alltoall":
            if size <= (2048 if nonblocking else 256) and ranks >= 8:
                return "bruck"
            return "linear" if size <= 32768 else "pairwise"
        case "reduce_scatter" | "reduce_scatter_block":
            total = size if operation == "reduce_scatter" else size * ranks
            return "recursive_halving" if total < 524288 else "pairwise"
    return {"barrier": "dissemination", "gather": "binomial", "scatter": "binomial"}.get(
        operation, "recursive_doubling" if "scan" in operation else "linear"
    )


def _has_two_levels(operation: str, ranks: int, size: int, nonblocking: bool) -> bool:
    """Whether MPICH executes an operation between nodes and within nodes."""
    if nonblocking:
        return operation in ("broadcast", "reduce")
    if operation == "broadcast" and ranks >= 8:  # large ones are sent between all ranks
        return size < (524288 if _largest_power(ranks) == ranks else 12288)
    return operation in ("broadcast", "reduce", "allreduce", "barrier")
