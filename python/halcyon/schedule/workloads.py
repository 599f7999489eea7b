"""The workloads of atmosphere and wave models as schedules, and schedules of others: one after the other,
again and again, with computation between, or from a record. docs/schedules.md has their closed forms."""

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
    """An all-to-all. Buffers: `send` by receiver, `receive` by sender.

    bytes: of each block, or (from, to) of a group, as MPI_Alltoallv has them. algorithm: `burst`, `bruck`,
    `ring`, or `ring-K`, which exchanges with K ranks at once. groups: how many ranks exchange, and how far
    apart they are: (cx, 1) rows, (cy, cx) columns of cx x cy ranks; all where there are none.

    Raises ConfigError for another algorithm, sizes below 0 or of another shape, groups that do not divide the
    ranks."""
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
    """The transposition of a spectral transform: three all-to-alls within rows, columns, rows of ranks.

    points: (nx, ny, nz); ranks: (cx, cy), rank x + cx y. It starts from x over cx and y over cy (state 0)
    and ends at x over cy and y over cx (state 3); `back`, the other way. item_s: seconds of work at each
    state for each item that a rank holds, where time alone counts.

    Raises ConfigError for more ranks along a dimension than points, an unknown algorithm, negative item_s."""
    return _core.transposition(points, ranks, algorithm, item_bytes, item_s, back)


def box(
    points: tuple[int, int, int], ranks: tuple[int, int], state: int, rank: int
) -> tuple[slice, slice, slice]:
    """What a rank holds at a state (0 to 3) of a transposition, as slices of an array (z, y, x)."""
    begin, size = _core.box(points, ranks, state, rank)
    x, y, z = (slice(first, first + n) for first, n in zip(begin, size, strict=True))
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
    """The first two stages of a transposition with the work between them, for groups of the nz fields: while
    one is worked on (`item_s` seconds an item), `ahead` others come and those before leave.

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
    """All-to-alls of groups of fields with computation between. incoming, outgoing: bytes a block of each
    group; no outgoing: they stay. groups_in, groups_out: as `groups` of `alltoall`. ahead: groups that come
    while one is worked on; 0: none, ranks block.

    Raises ConfigError without a group, where some leave and some stay, and for negative seconds."""
    everybody = (ranks, 1)
    return _core.pipeline(
        ranks,
        groups_in or everybody,
        groups_out or everybody,
        list(incoming),
        list(outgoing),
        seconds_of(1, compute_s)[0],
        ahead,
    )


def allreduce(ranks: int, *, bytes: int = 8, radix: int = 2) -> Schedule:
    """Recursive-k allreduce of any number of ranks. Buffer: `data`, of so many bytes.

    Raises ConfigError for a radix below 2."""
    return _core.allreduce(ranks, bytes, radix)


def gcr(
    ranks: int,
    *,
    iterations: int = 25,
    directions: int = 3,
    radix: int = 2,
    numbers: int = 0,
    compute_s: float = 0.0,
) -> Schedule:
    """The allreduces of one solution by GCR, two an iteration: of min(iteration, directions) numbers, and of
    2; of `numbers` each where that is not 0. compute_s: before each.

    Raises ConfigError for fewer than 1 of anything."""
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
    """The halo exchange of a grid (nx, ny) on (px, py) ranks, rank x + px y. Buffer: `field`, (ny + 2 width,
    nx + 2 width) columns of a rank.

    item_bytes: of a column. order: `sweeps`, x then y with corners, or `at_once`. width: any; it may reach
    beyond the neighbours.

    Raises ConfigError for more ranks than columns along a dimension, widths below 1, another order."""
    return _core.grid_halo(columns, ranks, width, item_bytes, order, periodic)


def messages(volumes: Any, *, order: str = "at_once", compute_s: ArrayLike | None = None) -> Schedule:
    """The messages of an exchange, such as the halo of a mesh: `halcyon.decomposition.halo_volumes` gives its
    volumes. One message a pair. Buffers: `send`, `receive`, by ascending peer.

    order: `at_once`, as a neighbourhood collective has them; `in_order`, each receive by itself; `unwaited`,
    as `in_order`, but the sends are waited for only after the computation.
    compute_s: seconds that a rank computes when its messages have come, of all ranks or (rank).

    Raises ConfigError for another order, or seconds that are not those of the ranks, InputError for
    volumes that are no matrix."""
    arrays = (np.ascontiguousarray(a, np.int64) for a in (volumes.offsets, volumes.peers, volumes.bytes))
    seconds = [] if compute_s is None else seconds_of(len(volumes.offsets) - 1, compute_s)
    return _core.messages(*arrays, order, seconds)


def sequence(parts: Sequence[Schedule], repetitions: int = 1) -> Schedule:
    """Schedules of the same ranks one after the other, all of it so many times. Buffers of one name are one.

    Raises ConfigError for other ranks, no parts, and more repetitions than a cursor can count."""
    return _core.sequence(list(parts), repetitions)


def repeated(schedule: Schedule, times: int) -> Schedule:
    """The same schedule so many times. Raises ConfigError as `sequence` does."""
    return _core.sequence([schedule], times)


def computation(ranks: int, seconds: ArrayLike, *, work: int = 0) -> Schedule:
    """A piece of work of every rank, without messages: its number, and the seconds that it takes, of all
    ranks or (rank). In a sequence it belongs to the stage that follows, or to the last.

    Raises ConfigError for negative seconds, and where they are not those of the ranks."""
    return _core.computation(seconds_of(ranks, seconds), work)


def seconds_of(ranks: int, seconds: ArrayLike) -> list[float]:
    """Those of each rank, from one number or (rank).

    Raises ConfigError where they are neither, or negative."""
    values = np.asarray(seconds, np.float64)
    if values.shape not in ((), (ranks,)) or not np.all(values >= 0):
        raise ConfigError(
            f"seconds have the shape {values.shape} and the least is {values.min(initial=0)}. Give one "
            f"number, or one for each of the {ranks} ranks, none below 0."
        )
    return np.broadcast_to(values, ranks).tolist()


def read_record(path: str | os.PathLike[str]) -> Schedule:
    """What a run has recorded (`halcyon.comm.recording`): its messages, and its computation as time.

    Raises InputError where there is no such file, or a line is none of a record."""
    return _core.read_record(os.fspath(path))
