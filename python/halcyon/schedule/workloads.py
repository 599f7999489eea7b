"""The workloads of atmosphere and wave models as schedules, and composite schedules: sequences, repetitions,
computations and records. docs/schedules.md defines each of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import schedule as _core
from halcyon._core.schedule import Schedule
from halcyon.base import ConfigError


def alltoall(
    ranks: int, bytes: ArrayLike, *, algorithm: str = "ring", groups: tuple[int, int] | None = None
) -> Schedule:
    """An all-to-all. Buffers: `send`, blocks in the order of receivers; `receive`, in the order of senders.

    bytes: size of each block, or sizes (from, to) within a group, as for MPI_Alltoallv. algorithm: `burst`,
    `bruck`, `ring`, or `ring-K`, which exchanges with K ranks per round. groups: size and stride of the
    groups of ranks that exchange: (cx, 1) for rows, (cy, cx) for columns of cx x cy ranks; by default all
    ranks.

    Raises ConfigError for an unknown algorithm, sizes that are negative or of the wrong shape, or groups that
    do not divide the ranks."""
    size, stride = groups or (ranks, 1)
    sizes = np.asarray(bytes, np.int64)
    if sizes.ndim == 0:
        return _core.alltoall(ranks, int(sizes), algorithm, size, stride)
    return _core.alltoallv(ranks, sizes.ravel().tolist(), algorithm, size, stride)


def transposition(
    points: tuple[int, int, int],
    ranks: tuple[int, int],
    *,
    algorithm: str = "ring",
    item_bytes: int = 8,
    item_s: float = 0.0,
    back: bool = False,
) -> Schedule:
    """The transposition of a spectral transform: three all-to-alls, within rows, columns and again rows of
    ranks.

    points: (nx, ny, nz). ranks: (cx, cy); rank x + cx y is in column x and row y. The grid changes from x
    distributed over cx and y over cy (state 0) to x over cy and y over cx (state 3), or in reverse with
    `back`. item_s: time of a rank's work per item in each state [s], for simulations.

    Raises ConfigError for more ranks along a dimension than points, an unknown algorithm, or negative item_s.
    """
    return _core.transposition(points, ranks, algorithm, item_bytes, item_s, back)


def box(
    points: tuple[int, int, int], ranks: tuple[int, int], state: int, rank: int
) -> tuple[slice, slice, slice]:
    """The box that a rank owns in a state (0 to 3) of a transposition, as slices of an array (z, y, x)."""
    begin, size = _core.box(points, ranks, state, rank)
    x, y, z = (slice(start, start + length) for start, length in zip(begin, size, strict=True))
    return z, y, x


def spectral_pipeline(
    points: tuple[int, int, int],
    ranks: tuple[int, int],
    *,
    groups: int = 3,
    item_bytes: int = 8,
    item_s: float = 0.0,
    ahead: int = 1,
) -> Schedule:
    """The first two all-to-alls of a transposition with the work between them, pipelined over groups of the
    nz fields: while a rank computes on one group (`item_s` seconds per item), `ahead` other groups arrive and
    previous groups leave.

    Raises ConfigError as `transposition`, and for more groups than fields."""
    return _core.spectral_pipeline(points, ranks, groups, item_bytes, item_s, ahead)


def pipeline(
    ranks: int,
    incoming: Sequence[int],
    outgoing: Sequence[int] = (),
    *,
    groups_in: tuple[int, int] | None = None,
    groups_out: tuple[int, int] | None = None,
    compute_s: float = 0.0,
    ahead: int = 1,
) -> Schedule:
    """A software pipeline of groups of fields: an all-to-all, computation, and another all-to-all. incoming,
    outgoing: bytes per block of each group; without outgoing, groups stay. groups_in, groups_out: groups of
    ranks, as `groups` of `alltoall`. ahead: number of groups exchanged while a rank computes on another; 0:
    ranks block. compute_s: computation on each group [s].

    Raises ConfigError without groups, if some groups leave and others stay, and for negative seconds."""
    all_ranks = (ranks, 1)
    return _core.pipeline(
        ranks,
        groups_in or all_ranks,
        groups_out or all_ranks,
        list(incoming),
        list(outgoing),
        seconds_of(1, compute_s)[0],
        ahead,
    )


def allreduce(ranks: int, *, bytes: int = 8, radix: int = 2) -> Schedule:
    """Recursive-k allreduce of any number of ranks, with k = radix. Buffer: `data`, of the given size.

    Raises ConfigError for a radix below 2."""
    return _core.allreduce(ranks, bytes, radix)


def collective(
    operation: str,
    ranks: int,
    *,
    algorithm: str,
    bytes: ArrayLike = 0,
    root: int = 0,
    segment_bytes: int = 0,
    item_bytes: int = 8,
    ranks_per_node: int = 1,
) -> Schedule:
    """A collective operation of MPI by a named algorithm (docs/record.md).

    bytes: size of the data of each rank, or of each block; one for all, or for gather, scatter, allgather and
    reduce_scatter of each rank, for alltoall (from, to). segment_bytes: of pipelined broadcasts and
    reductions, 0 for one segment. item_bytes: reductions are not cut within an item. ranks_per_node: for
    algorithms that begin with `node_aware_`.

    Raises ConfigError for unknown operations and algorithms, and for unsuitable sizes, roots and ranks."""
    sizes = np.asarray(bytes, np.int64).ravel().tolist()
    return _core.collective(
        operation, algorithm, ranks, sizes, root, segment_bytes, item_bytes, ranks_per_node
    )


def gcr(
    ranks: int,
    *,
    iterations: int = 25,
    directions: int = 3,
    radix: int = 2,
    numbers: int = 0,
    compute_s: float = 0.0,
) -> Schedule:
    """The allreduces of the linear solver GCR (generalized conjugate residuals), two per iteration: the first
    of min(iteration, directions) numbers and the second of 2 numbers; both of `numbers` numbers if this is
    not 0. compute_s: computation before each allreduce [s].

    Raises ConfigError for iterations or directions below 1, and for negative numbers or compute_s."""
    return _core.gcr(ranks, iterations, directions, radix, numbers, compute_s)


def grid_halo(
    columns: tuple[int, int],
    ranks: tuple[int, int],
    *,
    width: int = 1,
    item_bytes: int = 8,
    order: str = "sweeps",
    periodic: tuple[bool, bool] = (True, True),
) -> Schedule:
    """The halo exchange of columns (nx, ny) on a grid of ranks (px, py): rank x + px y is at (x, y).
    Buffer: `field`, the columns (y, x) of a rank's box, with `width` halo columns on each side.

    item_bytes: size of a column. order: `sweeps`, along x, then along y including the corners; or `at_once`,
    all neighbours in one round. width: any number of columns; the halo may extend beyond the neighbours.

    Raises ConfigError for more ranks than columns along a dimension, widths below 1, or an unknown order."""
    return _core.grid_halo(columns, ranks, width, item_bytes, order, periodic)


def messages(volumes: Any, *, order: str = "at_once", compute_s: ArrayLike | None = None) -> Schedule:
    """A neighbour exchange with given volumes, such as the halo of a mesh
    (`halcyon.decomposition.halo_volumes`): one message per pair of ranks. Buffers: `send` and `receive`, with
    messages in ascending order of the peers.

    order: `at_once`, as in a neighbourhood collective; `in_order`, receives complete one after the other;
    `unwaited`, as `in_order`, but ranks wait for their sends only after the computation.
    compute_s: computation after the exchange [s], one number for all ranks, or an array (rank).

    Raises ConfigError for an unknown order or a wrong shape of compute_s, InputError for inconsistent
    volumes."""
    given = volumes.offsets, volumes.peers, volumes.bytes
    offsets, peers, sizes = (np.ascontiguousarray(each, np.int64) for each in given)
    seconds = [] if compute_s is None else seconds_of(len(volumes.offsets) - 1, compute_s)
    return _core.messages(offsets, peers, sizes, order, seconds)


def traffic(matrix: ArrayLike, *, order: str = "at_once", compute_s: ArrayLike | None = None) -> Schedule:
    """One message per pair of ranks, with its size in bytes in a matrix (sender, receiver). Zeros and the
    diagonal are no messages. order, compute_s: as of `messages`.

    Raises ConfigError for a matrix that is not square, or whose sizes are negative or no whole numbers."""
    sizes = np.asarray(matrix)
    if sizes.ndim != 2 or sizes.shape[0] != sizes.shape[1] or not sizes.size:
        raise ConfigError(
            f"A traffic matrix has the shape {sizes.shape}. Give a square one, (sender, receiver)."
        )
    if not np.all((sizes >= 0) & (sizes == np.floor(sizes)) & (sizes < 2**40)):
        raise ConfigError("A traffic matrix has sizes that are no whole numbers of 0 to 2^40 - 1 bytes.")
    to_receiver = sizes.astype(np.int64).T.copy()
    np.fill_diagonal(to_receiver, 0)
    receivers, senders = np.nonzero(to_receiver)
    counts = np.bincount(receivers, minlength=len(sizes))
    return _exchange(counts, senders, to_receiver[receivers, senders], order, compute_s)


def traffic_to(receivers: ArrayLike, bytes: int, *, compute_s: ArrayLike | None = None) -> Schedule:
    """One message from each rank to `receivers` (rank); a rank that is its own receiver sends none.

    Raises ConfigError for receivers that are no ranks."""
    targets = np.asarray(receivers, np.int64)
    ranks = np.arange(len(targets))
    if np.any((targets < 0) | (targets >= len(targets))):
        raise ConfigError(f"A receiver is not one of {len(targets)} ranks.")
    senders = ranks[targets != ranks]
    senders = senders[np.argsort(targets[senders], kind="stable")]
    counts = np.bincount(targets[senders], minlength=len(targets))
    return _exchange(counts, senders, np.full(len(senders), bytes), "at_once", compute_s)


def _exchange(
    counts: np.ndarray, senders: np.ndarray, sizes: np.ndarray, order: str, compute_s: ArrayLike | None
) -> Schedule:
    """The messages that each rank receives (`counts`), by ascending receiver."""
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    seconds = [] if compute_s is None else seconds_of(len(counts), compute_s)
    senders, sizes = (np.ascontiguousarray(array, np.int64) for array in (senders, sizes))
    return _core.messages(offsets, senders, sizes, order, seconds)


def side_by_side(jobs: Sequence[Schedule]) -> Schedule:
    """Schedules that are executed at the same time, such as the jobs of a machine. The ranks are numbered one
    schedule after the other. Raises ConfigError for no schedules."""
    first = np.cumsum([0, *(job.n_ranks for job in jobs)])
    groups = [(list(range(a, a + job.n_ranks)), job) for a, job in zip(first, jobs, strict=False)]
    return _core.in_groups(int(first[-1]), groups)


def sequence(parts: Sequence[Schedule], repetitions: int = 1) -> Schedule:
    """Schedules (parts) that are executed one after the other, repeated a number of times. Parts share
    buffers of the same name.

    Raises ConfigError for no parts, different numbers of ranks, or more repetitions than a cursor can count.
    """
    return _core.sequence(list(parts), repetitions)


def repeated(schedule: Schedule, times: int) -> Schedule:
    """A schedule that is executed `times` times. Raises ConfigError as `sequence`."""
    return _core.sequence([schedule], times)


def computation(ranks: int, seconds: ArrayLike, *, work: int = 0) -> Schedule:
    """A piece of work of every rank, without messages. seconds: duration, one number for all ranks, or an
    array (rank). work: number of the piece of work, passed to callbacks. In a sequence, a computation is part
    of the next stage, or of the last stage if none follows.

    Raises ConfigError for negative seconds, or a wrong number of seconds."""
    return _core.computation(seconds_of(ranks, seconds), work)


def seconds_of(ranks: int, seconds: ArrayLike) -> list[float]:
    """Returns the seconds of each rank, from one number or an array (rank).

    Raises ConfigError for another shape, or negative seconds."""
    values = np.asarray(seconds, np.float64)
    if values.shape not in ((), (ranks,)) or not np.all(values >= 0):
        raise ConfigError(
            f"seconds have the shape {values.shape} and the minimum {values.min(initial=0)}. Give one "
            f"number, or one for each of the {ranks} ranks, of 0 or more."
        )
    return np.broadcast_to(values, ranks).tolist()


def read_record(path: str | os.PathLike[str]) -> Schedule:
    """Reads a recorded run (`halcyon.comm.recording`): its messages, and its computation as measured times.

    Raises InputError for a missing file or an invalid line."""
    return _core.read_record(os.fspath(path))
