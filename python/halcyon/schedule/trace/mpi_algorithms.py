"""Algorithms of collectives as MPI libraries choose them by number of ranks and size.

`open_mpi`: the fixed decisions of the component coll/tuned of Open MPI 4.1.4 (coll_tuned_decision_fixed.c)
for commutative operators, and those of coll/libnbc for nonblocking collectives. `mpich`: those of MPICH 4.0
(its variables MPIR_CVAR_*, after Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19, 49-66), without
the two-level algorithms of nodes; `mpich_node_aware`: with these.

Approximations: Open MPI's split binary tree is a binary tree, its butterfly is recursive halving, and
algorithms that synchronize pairs of ranks before they send are those without.
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
        "4: chain 32 binary 256 chain 512 knomial_4 1024 linear 32768 binary 131072 chain_4 262144 "
        "linear 524288 binomial 1048576 binary",
        "8: binary 64 binomial 128 binary 2048 binomial 8192 linear 1048576 chain_4",
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
        "4: rabenseifner 8 binary 16 chain 32 linear 262144 chain 524288 chain_4 1048576 chain",
        "8: binary 4096 chain_4 65536 binomial 262144 linear 524288 binomial 1048576 linear",
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
    "broadcast": ("5: linear", "inf: binomial 65536 chain"),
    "reduce": ("inf: binomial 65536 chain",),
    "allreduce": ("4: reduce_broadcast", "inf: reduce_broadcast 65536 ring"),
    "alltoall": ("inf: linear",),
    "alltoallv": ("inf: linear",),
    "allgather": ("inf: ring",),
    "allgatherv": ("inf: ring",),
    "gather": ("inf: linear",),
    "scatter": ("inf: linear",),
    "reduce_scatter": ("inf: reduce_scatter",),
    "reduce_scatter_block": ("inf: reduce_scatter",),
}
_POWER_OF_TWO = {"allgather": "bruck", "broadcast": "scatter_ring"}  # what replaces recursive doubling
_ITEM_BYTES = 8  # of reductions, whose type traces do not have
_NODE_AWARE = ("broadcast", "reduce", "allreduce", "barrier")


def choose(library: str, operation: str, ranks: int, size: int, *, nonblocking: bool = False) -> str:
    """The name of the algorithm (`halcyon.schedule.collective`) of an operation of `events.COLLECTIVES`.

    size: bytes of one rank's contribution or block; the total of a reduce_scatter, the mean of an allgatherv.
    Raises ConfigError for an unknown library."""
    if library == "open_mpi":
        table = _LIBNBC if nonblocking and operation in _LIBNBC else _OPEN_MPI
        name = _look_up(table[operation], ranks, size)
        if operation == "allreduce" and not nonblocking:  # with fewer items than pieces
            n_items = size // _ITEM_BYTES
            if name == "ring" and n_items < ranks:
                name = "recursive_doubling"
            elif name == "rabenseifner" and n_items < 2 ** (ranks.bit_length() - 1):
                name = "linear"
    elif library in LIBRARIES:
        name = _of_mpich(operation, ranks, size)
        if library == "mpich_node_aware" and operation in _NODE_AWARE:
            return f"node_aware_{name}"
    else:
        raise ConfigError(f"There is no library '{library}'. Use {', '.join(LIBRARIES)}.")
    if name.endswith("recursive_doubling") and operation in _POWER_OF_TWO and ranks & (ranks - 1):
        return _POWER_OF_TWO[operation]
    if name == "neighbor_exchange" and ranks % 2:
        return "ring"
    return name


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


def _of_mpich(operation: str, ranks: int, size: int) -> str:
    is_power_of_two = ranks & (ranks - 1) == 0
    match operation:
        case "broadcast":
            if size < 12288 or ranks < 8:
                return "binomial"
            return "scatter_recursive_doubling" if size < 524288 and is_power_of_two else "scatter_ring"
        case "reduce":
            return "binomial" if size <= 2048 else "rabenseifner"
        case "allreduce":
            return "recursive_doubling" if size <= 2048 else "rabenseifner"
        case "allgather" | "allgatherv":
            if size * ranks < 524288 and is_power_of_two and operation == "allgather":
                return "recursive_doubling"
            return "bruck" if size * ranks < 81920 else "ring"
        case "alltoall":
            if size <= 256 and ranks >= 8:
                return "bruck"
            return "linear" if size <= 32768 else "pairwise"
        case "reduce_scatter" | "reduce_scatter_block":
            total = size if operation == "reduce_scatter" else size * ranks
            return "recursive_halving" if total < 524288 else "pairwise"
    return {"barrier": "dissemination", "gather": "binomial", "scatter": "binomial"}.get(
        operation, "recursive_doubling" if "scan" in operation else "linear"
    )
