"""Traces on more ranks than were recorded, where their pattern follows a known law: collectives of all ranks,
and messages between neighbours in a grid of ranks or in the partition of a mesh (`mesh_law`)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np

from halcyon.base import ConfigError
from halcyon.schedule.trace.events import Kind, Trace, event_array
from halcyon.schedule.trace.laws import (
    LARGEST_SPREAD,
    MESSAGES,
    NoLawError,
    Row,
    peers,
    program,
    refuse,
    scaled,
)
from halcyon.schedule.trace.mesh_law import on_mesh

SCALINGS = ("weak", "strong")
Displacement = tuple[int, int, int]


@dataclass(frozen=True)
class Grid:
    """Ranks in a line, or in a grid of two or three dimensions, the first of which varies fastest; wraps:
    whether the neighbours of the first and the last are each other."""

    shape: tuple[int, int, int]
    wraps: tuple[bool, bool, bool]

    def __str__(self) -> str:
        return " x ".join(str(n) for n in self.shape[: 2 + (self.shape[2] > 1)])

    def neighbor(self, rank: int, displacement: Displacement) -> int | None:
        found, stride = 0, 1
        for n, wraps, step in zip(self.shape, self.wraps, displacement, strict=True):
            position = rank // stride % n + step
            if not (0 <= position < n or wraps):
                return None
            found += position % n * stride
            stride *= n
        return found


def extrapolate(trace: Trace, ranks: int, scaling: str) -> Trace:
    """The trace of the same program on another number of ranks.

    scaling: `weak`, each rank has as much work and data as in the trace; `strong`, all ranks together have.
    Then computation and blocks shrink with the ranks, and messages between neighbours with the common side of
    their parts. Blocks of an all-to-all shrink in both cases, since more ranks share the data.

    Raises ConfigError with the reason if the pattern follows no known law."""
    if scaling not in SCALINGS:
        raise ConfigError(f"There is no scaling '{scaling}'. Use {' or '.join(SCALINGS)}.")
    programs = [program(trace, rank) for rank in range(trace.n_ranks)]
    reasons = []
    for law in (_on_grid, on_mesh):
        try:
            events = law(programs, ranks, scaling)
        except NoLawError as problem:
            reasons.append(str(problem))
        else:
            notes = [*trace.notes, f"extrapolated from {trace.n_ranks} ranks by {scaling} scaling"]
            return Trace(trace.source, trace.format, events, [tuple(range(ranks))], trace.library, notes)
    raise refuse(f"its ranks are no grid, since {reasons[0]}; and have no mesh, since {reasons[1]}")


def _on_grid(programs: list[list[Row]], ranks: int, scaling: str) -> list[np.ndarray]:
    """The events of the ranks of a larger grid. Raises NoLawError if the ranks are no grid."""
    grid, template = _law_of(programs)
    factor = len(programs) / ranks
    new_grid = _grid_for(ranks, grid)
    events = []
    for rank in range(ranks):
        numbers: dict[int, int] = {}
        own: list[Row] = []
        compute_ns = 0  # also of steps that this rank does not have
        for step in template:
            compute_ns += step[0][8]
            moved = _moved(step, rank, new_grid, numbers)
            if moved is not None:
                if scaling == "strong" and step[1] is not None:
                    moved = (*moved[:7], round(moved[7] * _common_side(grid, new_grid, step[1])), *moved[8:])
                own.append(scaled((*moved[:8], compute_ns, moved[9]), factor, scaling))
                compute_ns = 0
        events.append(event_array(own))
    return events


def _law_of(programs: list[list[Row]]) -> tuple[Grid, list[tuple[Row, Displacement | None]]]:
    """The grid of ranks, and the steps of a rank within it, each with the displacement of its peer."""
    n = len(programs)
    for rank, rows in enumerate(programs):
        for row in rows:
            if row[0] in (Kind.NEIGHBORS, Kind.PROBE, Kind.CANCEL, Kind.FREE):
                name = Kind(row[0]).name.lower()
                raise NoLawError(f"rank {rank} uses {name}, for which there is no law")
    has_messages = any(row[0] in MESSAGES and row[3] >= 0 for rows in programs for row in rows)
    if not has_messages:
        candidates = [Grid((n, 1, 1), (False, False, False))]
    else:
        candidates = [
            Grid(shape, (x, y, z))
            for shape in _shapes(n)
            if 2 not in shape  # both neighbours would be the same
            for x, y, z in product(*((False, True) if size > 1 else (False,) for size in shape))
        ]
    reason = "its ranks are too few to tell a grid from an all-to-all: each direction of a grid needs 3"
    for grid in candidates:
        template, problem = _template(grid, programs)
        if template is not None:
            return grid, template
        if "irregular" not in reason:  # the reason of the candidate that fits best
            reason = problem
    raise NoLawError(reason)


def _template(
    grid: Grid, programs: list[list[Row]]
) -> tuple[list[tuple[Row, Displacement | None]] | None, str]:
    """The steps of an inner rank, if all ranks follow them as far as they have the neighbours."""
    inner = max(range(len(programs)), key=lambda rank: len(programs[rank]))
    template: list[tuple[Row, Displacement | None]] = []
    for row, peer in zip(programs[inner], peers(programs[inner]), strict=True):
        displacement = None
        if row[0] in MESSAGES and row[3] != -2:
            displacement = _displacement(grid, inner, peer)
            if displacement is None:
                return (
                    None,
                    f"rank {inner} exchanges messages with rank {peer}, no neighbour in a grid of ranks",
                )
        template.append((row, displacement))
    sizes: dict[int, list[int]] = defaultdict(list)
    compute_ns: Counter[int] = Counter()  # of all ranks
    for rank, rows in enumerate(programs):
        numbers: dict[int, int] = {}
        steps = [(i, _moved(step, rank, grid, numbers)) for i, step in enumerate(template)]
        expected = [(i, row) for i, row in steps if row is not None]
        if len(expected) != len(rows):
            return None, (
                f"rank {rank} has {len(rows)} calls, in a grid of {grid} it would have {len(expected)}"
            )
        for (i, row), found, peer in zip(expected, rows, peers(rows), strict=True):
            if (row[0], row[4] if row[0] == Kind.COLLECTIVE else 0) != (
                found[0],
                found[4] if found[0] == Kind.COLLECTIVE else 0,
            ) or (row[0] in MESSAGES and row[3] != peer):
                return None, f"rank {rank} does not do what a rank of a grid of {grid} does"
            sizes[i].append(found[7])
            compute_ns[i] += found[8]
    for i, of_step in sizes.items():
        if max(of_step) > LARGEST_SPREAD * max(float(np.mean(of_step)), 1.0):
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


def _displacement(grid: Grid, rank: int, peer: int) -> Displacement | None:
    steps = ((x, y, z) for z, y, x in product((0, 1, -1), repeat=3) if x or y or z)
    return next((step for step in steps if grid.neighbor(rank, step) == peer), None)


def _common_side(grid: Grid, new_grid: Grid, displacement: Displacement) -> float:
    """Ratio of the sizes of the common side of two neighbours' parts: of their extents in the dimensions in
    which they are not displaced."""
    sizes = zip(grid.shape, new_grid.shape, displacement, strict=True)
    return math.prod(old / new for old, new, step in sizes if step == 0)


def _moved(
    step: tuple[Row, Displacement | None], rank: int, grid: Grid, numbers: dict[int, int]
) -> Row | None:
    """A step of the inner rank as that of another one; None if it has no such neighbour. numbers: requests
    that it has."""
    row, displacement = step
    kind, request = row[0], row[5]
    peer = row[3]
    if displacement is not None:
        neighbor = grid.neighbor(rank, displacement)
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
    return (*row[:3], peer, *row[4:])


def _grid_for(ranks: int, grid: Grid) -> Grid:
    """The grid of another number of ranks, as close to the shape of the old one as possible."""
    n_dimensions = sum(size > 1 for size in grid.shape)
    if n_dimensions <= 1:
        return Grid((ranks, 1, 1), grid.wraps)
    shapes = [
        shape
        for shape in _shapes(ranks)
        if min(shape[:n_dimensions]) >= 3 and sum(size > 1 for size in shape) == n_dimensions
    ]
    growth = (ranks / math.prod(grid.shape)) ** (1 / n_dimensions)

    def distance(shape: tuple[int, int, int]) -> float:
        sizes = zip(grid.shape[:n_dimensions], shape, strict=False)
        return sum(math.log(new / old / growth) ** 2 for old, new in sizes)

    if not shapes:
        raise refuse(
            f"{ranks} ranks are no grid like {grid}; {2**n_dimensions * math.prod(grid.shape)} would be one"
        )
    return Grid(min(shapes, key=distance), grid.wraps)


def _shapes(n: int) -> list[tuple[int, int, int]]:
    """The grids of n ranks: a line first, then those of two and of three dimensions."""
    divisors = [each for each in range(n, 0, -1) if n % each == 0]
    shapes = [(nx, ny, n // (nx * ny)) for nx in divisors for ny in divisors if n % (nx * ny) == 0]
    filled = [shape for shape in shapes if 1 not in shape[: sum(size > 1 for size in shape)]]
    return sorted(filled, key=lambda shape: sum(size > 1 for size in shape))
