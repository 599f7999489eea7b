"""Traces on more ranks than were recorded, where their pattern follows a known law: collectives of all ranks,
and messages between neighbours in a grid of ranks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halcyon.base import ConfigError
from halcyon.schedule.trace.events import COLLECTIVES, Kind, Trace, event_array

SCALINGS = ("weak", "strong")
_MESSAGES = (
    *(Kind.SEND, Kind.RECEIVE, Kind.START_SEND, Kind.START_RECEIVE),
    *(Kind.SENDRECV, Kind.SENDRECV_RECEIVE),
)
_SAME_SIZE = ("barrier", "broadcast", "reduce", "allreduce", "scan", "exscan")
_PER_RANK = ("gather", "scatter", "allgather")
_LARGEST_SPREAD = 1.5  # largest over mean size of messages that one law describes

Row = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """Ranks in rows of nx; wraps: whether the neighbours of the first and the last are each other."""

    nx: int
    ny: int
    wraps: tuple[bool, bool]

    def neighbor(self, rank: int, dx: int, dy: int) -> int | None:
        x, y = rank % self.nx + dx, rank // self.nx + dy
        if not (0 <= x < self.nx or self.wraps[0]) or not (0 <= y < self.ny or self.wraps[1]):
            return None
        return x % self.nx + y % self.ny * self.nx


def extrapolate(trace: Trace, ranks: int, scaling: str) -> Trace:
    """The trace of the same program on another number of ranks.

    scaling: `weak`, each rank has as much work and data as in the trace; `strong`, all ranks together have.
    Then computation and blocks shrink with the ranks, and messages between neighbours with the perimeter of a
    rank's part. Blocks of an all-to-all shrink in both cases, since more ranks share the data.

    Raises ConfigError with the reason if the pattern follows no known law."""
    if scaling not in SCALINGS:
        raise ConfigError(f"There is no scaling '{scaling}'. Use {' or '.join(SCALINGS)}.")
    programs = [_program(trace, rank) for rank in range(trace.n_ranks)]
    law = _law_of(trace, programs)
    grid, template = law
    factor = trace.n_ranks / ranks
    new_grid = _grid_for(ranks, grid)
    is_plane = grid.nx > 1 and grid.ny > 1
    messages = 1.0 if scaling == "weak" or not is_plane else math.sqrt(factor)
    rows = []
    for rank in range(ranks):
        numbers: dict[int, int] = {}
        own: list[Row] = []
        compute_ns = 0  # also of steps that this rank does not have
        for step in template:
            compute_ns += step[0][8]
            moved = _moved(step, rank, new_grid, messages, numbers)
            if moved is not None:
                own.append(_scaled((*moved[:8], compute_ns, moved[9]), factor, scaling))
                compute_ns = 0
        rows.append(event_array(own))
    notes = [*trace.notes, f"extrapolated from {trace.n_ranks} ranks by {scaling} scaling"]
    return Trace(trace.source, trace.format, rows, [tuple(range(ranks))], trace.library, notes)


def _refuse(reason: str) -> ConfigError:
    return ConfigError(
        f"The trace cannot be extrapolated: {reason}. Leave ranks out, or record it on more ranks."
    )


def _program(trace: Trace, rank: int) -> list[Row]:
    """The events of a rank with communicator 0 for all ranks, without those of itself alone."""
    world = tuple(range(trace.n_ranks))
    program = []
    for row in trace.events[rank].tolist():
        kind, comm = row[0], row[2]
        if kind in (Kind.NEIGHBORS, Kind.PROBE, Kind.CANCEL, Kind.FREE):
            raise _refuse(f"rank {rank} uses {Kind(kind).name.lower()}, for which there is no law")
        if kind in _MESSAGES or kind == Kind.COLLECTIVE:
            members = trace.communicators[comm]
            if len(members) == 1:
                continue
            if members != world:
                raise _refuse(f"rank {rank} uses a communicator of {len(members)} of the {len(world)} ranks")
        program.append((*row[:2], 0, *row[3:]))
    return program


def _law_of(trace: Trace, programs: list[list[Row]]) -> tuple[Grid, list[tuple[Row, tuple[int, int] | None]]]:
    """The grid of ranks, and the steps of a rank within it, each with the displacement of its peer."""
    n = trace.n_ranks
    has_messages = any(row[0] in _MESSAGES and row[3] >= 0 for program in programs for row in program)
    if not has_messages:
        candidates = [Grid(n, 1, (False, False))]
    else:
        shapes = [(nx, n // nx) for nx in range(n, 0, -1) if n % nx == 0]
        shapes = [shape for shape in shapes if 2 not in shape]  # both neighbours would be the same
        candidates = [
            Grid(*shape, (wx, wy)) for shape in shapes for wx in (False, True) for wy in (False, True)
        ]
    reason = "its ranks are too few to tell a grid from an all-to-all: each direction of a grid needs 3"
    for grid in candidates:
        template, problem = _template(grid, programs)
        if template is not None:
            return grid, template
        if "irregular" not in reason:  # the reason of the candidate that fits best
            reason = problem
    raise _refuse(reason)


def _template(
    grid: Grid, programs: list[list[Row]]
) -> tuple[list[tuple[Row, tuple[int, int] | None]] | None, str]:
    """The steps of an inner rank, if all ranks follow them as far as they have the neighbours."""
    inner = max(range(len(programs)), key=lambda rank: len(programs[rank]))
    template: list[tuple[Row, tuple[int, int] | None]] = []
    for row, peer in zip(programs[inner], _peers(programs[inner]), strict=True):
        displacement = None
        if row[0] in _MESSAGES and row[3] != -2:
            displacement = _displacement(grid, inner, peer)
            if displacement is None:
                return (
                    None,
                    f"rank {inner} exchanges messages with rank {peer}, no neighbour in a grid of ranks",
                )
        template.append((row, displacement))
    sizes: dict[int, list[int]] = defaultdict(list)
    compute_ns: Counter[int] = Counter()  # of all ranks
    for rank, program in enumerate(programs):
        numbers: dict[int, int] = {}
        steps = [(i, _moved(step, rank, grid, 1.0, numbers)) for i, step in enumerate(template)]
        expected = [(i, row) for i, row in steps if row is not None]
        if len(expected) != len(program):
            return None, (
                f"rank {rank} has {len(program)} calls, in a grid of {grid.nx} x {grid.ny} it would have "
                f"{len(expected)}"
            )
        for (i, row), found, peer in zip(expected, program, _peers(program), strict=True):
            if (row[0], row[4] if row[0] == Kind.COLLECTIVE else 0) != (
                found[0],
                found[4] if found[0] == Kind.COLLECTIVE else 0,
            ) or (row[0] in _MESSAGES and row[3] != peer):
                return None, f"rank {rank} does not do what a rank of a grid of {grid.nx} x {grid.ny} does"
            sizes[i].append(found[7])
            compute_ns[i] += found[8]
    for i, of_step in sizes.items():
        if max(of_step) > _LARGEST_SPREAD * max(np.mean(of_step), 1):
            return None, (
                f"the messages of call {i + 1} have {min(of_step)} to {max(of_step)} bytes: it is irregular"
            )
    n_ranks = len(programs)
    return [
        (
            (
                *row[:7],
                round(float(np.mean(sizes[i]))) if i in sizes else row[7],
                compute_ns[i] // n_ranks,
                row[9],
            ),
            displacement,
        )
        for i, (row, displacement) in enumerate(template)
    ], ""


def _peers(program: list[Row]) -> list[int]:
    """The peers of the messages; of a receive from any source, that of its completion."""
    completed = {row[5]: row[3] for row in reversed(program) if row[0] == Kind.WAIT}
    return [
        completed.get(row[5], -1) if row[0] == Kind.START_RECEIVE and row[3] < 0 else row[3]
        for row in program
    ]


def _displacement(grid: Grid, rank: int, peer: int) -> tuple[int, int] | None:
    steps = ((dx, dy) for dy in (0, 1, -1) for dx in (0, 1, -1) if dx or dy)
    return next((d for d in steps if grid.neighbor(rank, *d) == peer), None)


def _moved(
    step: tuple[Row, tuple[int, int] | None], rank: int, grid: Grid, factor: float, numbers: dict[int, int]
) -> Row | None:
    """A step of the inner rank as that of another one; None if it has no such neighbour. numbers: requests
    that it has."""
    row, displacement = step
    kind, request = row[0], row[5]
    peer = row[3]
    if displacement is not None:
        neighbor = grid.neighbor(rank, *displacement)
        if neighbor is None or neighbor == rank:
            if kind in (Kind.SENDRECV, Kind.SENDRECV_RECEIVE):
                return (*row[:3], -2, *row[4:7], 0, *row[8:])
            return None
        peer = neighbor
    if request >= 0 and kind in (Kind.START_SEND, Kind.START_RECEIVE, Kind.COLLECTIVE):
        numbers[request] = request
    if kind == Kind.WAIT:
        if request not in numbers:
            return None
        peer, row = -1, (*row[:4], -1, *row[5:])
    size = round(row[7] * factor) if displacement is not None else row[7]
    return (*row[:3], peer, *row[4:7], size, *row[8:])


def _scaled(row: Row, factor: float, scaling: str) -> Row:
    """Sizes of collectives and times of computation on 1 / factor times as many ranks."""
    is_strong = scaling == "strong"
    size, compute_ns = row[7], row[8]
    if row[0] == Kind.COLLECTIVE:
        name = COLLECTIVES[row[4]]
        if name == "alltoall":
            size = round(size * factor * (factor if is_strong else 1))
        elif name in _PER_RANK:
            size = round(size * (factor if is_strong else 1))
        elif name not in _SAME_SIZE:
            raise _refuse(f"it has the collective {name}, for which there is no law")
    return (*row[:7], size, round(compute_ns * (factor if is_strong else 1)), row[9])


def _grid_for(ranks: int, grid: Grid) -> Grid:
    """The grid of another number of ranks, as close to the shape of the old one as possible."""
    if grid.nx == 1 or grid.ny == 1:
        return Grid(ranks if grid.ny == 1 else 1, 1 if grid.ny == 1 else ranks, grid.wraps)
    nx = min(_divisors(ranks), key=lambda each: abs(math.log(each * each / ranks * grid.ny / grid.nx)))
    if min(nx, ranks // nx) < 3:
        raise _refuse(
            f"{ranks} ranks are no grid like {grid.nx} x {grid.ny}; {4 * grid.nx * grid.ny} would be one"
        )
    return Grid(nx, ranks // nx, grid.wraps)


def _divisors(n: int) -> Iterator[int]:
    return (each for each in range(1, n + 1) if n % each == 0)
