"""Layouts of networks: positions of switches, and switches that are merged into one disc."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from halcyon import network

MOST_LINES = 3000  # maximum number of drawn lines; with more, the page responds too slowly to the mouse
_MOST_SPRING_DISCS = 300


@dataclass(frozen=True)
class Layout:
    """Discs that represent switches.

    disc: (switch) index of the switch's disc, -1 for none. x, y: (disc) position in arbitrary units, y
    downwards. stretches: whether each row of discs with equal y fills the width of the page. text: what a
    disc represents. bow: (kind of link) offset of a line's control point from the straight line, over its
    length."""

    disc: np.ndarray
    x: np.ndarray
    y: np.ndarray
    names: Sequence[str]
    text: str
    bow: Sequence[float]
    stretches: bool = False


def layout_of(topology: network.Topology, links: np.ndarray) -> Layout:
    """The finest layout with at most `MOST_LINES` lines, or else the coarsest layout.

    @param links (drawn link) source, target and kind; discs without drawn links are removed"""
    source, target, kind = links.T
    n_kinds = len(topology.kinds)
    for layout in _layouts(topology):
        disc_pair = layout.disc[source] * len(layout.x) + layout.disc[target]
        is_drawn = layout.disc[source] != layout.disc[target]
        if np.unique((disc_pair * n_kinds + kind)[is_drawn]).size <= MOST_LINES:
            break
    return _select(layout, np.unique(layout.disc[links[:, :2]]))


def _select(layout: Layout, discs: np.ndarray) -> Layout:
    """The layout with only the given discs, renumbered."""
    new_index = np.full(len(layout.x), -1)
    new_index[discs] = np.arange(len(discs))
    names = [layout.names[disc] for disc in discs]
    x, y = layout.x[discs], layout.y[discs]
    if layout.stretches:
        for row in (y == level for level in np.unique(y)):
            x[row] = (np.arange(row.sum()) + 0.5) / row.sum()
    return replace(layout, disc=new_index[layout.disc], x=x, y=y, names=names)


def _layouts(topology: network.Topology) -> Iterator[Layout]:
    """The layouts of a topology, from fine to coarse."""
    if isinstance(topology, (network.Torus, network.HyperX)):
        return _grids(topology.sizes, folded=isinstance(topology, network.Torus))
    if isinstance(topology, network.FatTree):
        return _trees(topology.down, topology.up)
    if isinstance(topology, network.Dragonfly):
        return _rings(topology.group, topology.n_groups)
    if isinstance(topology, network.AttachedNics):
        parts = topology.parts
        return _rails([list(_layouts(part)) for part in parts]) if len(parts) > 1 else _layouts(parts[0])
    source, target, _ = topology.links()
    return _graphs(topology.n_switches, len(topology.kinds), source, target)


def _rails(layouts: Sequence[Sequence[Layout]]) -> Iterator[Layout]:
    """Layouts of rails, next to each other, or below each other if all fill the width. `layouts` (rail):
    those of each rail, from fine to coarse; a rail without a coarser one keeps its last."""
    for i in range(max(map(len, layouts))):
        rails = [each[min(i, len(each) - 1)] for each in layouts]
        stretches = all(rail.stretches for rail in rails)
        discs, xs, ys, left = [], [], [], 0.0
        names: list[str] = []
        for number, rail in enumerate(rails):
            discs.append(np.where(rail.disc < 0, -1, rail.disc + len(names)))
            xs.append(rail.x if stretches else rail.x - rail.x.min() + left)
            ys.append(rail.y + 0.75 * number if stretches else rail.y - rail.y.mean())
            left = xs[-1].max() + 0.15 * max(np.ptp(rail.x), 1.0)
            names += [f"rail {number}, {name}" for name in rail.names]
        disc, x, y = (np.concatenate(each) for each in (discs, xs, ys))
        yield Layout(disc, x, y, names, rails[0].text, rails[0].bow, stretches)


def _grids(sizes: Sequence[int], *, folded: bool) -> Iterator[Layout]:
    """Layouts of a torus or HyperX. The first dimension is drawn along x, the second along y; each further
    dimension repeats that drawing in a grid. If `folded`, rings are folded, so that their ends are
    neighbours."""
    for blocks in _blocks(sizes):
        n_discs, per_disc = math.prod(blocks), math.prod(sizes) // math.prod(blocks)
        names = [_grid_name(number, sizes, blocks) for number in range(n_discs)]
        text = "a switch" if per_disc == 1 else f"about {per_disc:,} switches that are neighbours in the grid"
        bow = [0.18 if sum(n > 1 for n in blocks[:d]) < 2 else 0.06 for d in range(len(sizes))]
        yield Layout(_blocks_of(sizes, blocks), *_grid(blocks, folded), names, text, bow)


def _blocks_of(sizes: Sequence[int], blocks: Sequence[int]) -> np.ndarray:
    """The index of each switch's block."""
    remaining, block, stride = np.arange(math.prod(sizes)), np.zeros(math.prod(sizes), np.int64), 1
    for size, n in zip(sizes, blocks, strict=True):
        block += remaining % size * n // size * stride
        remaining, stride = remaining // size, stride * n
    return block


def _grid(sizes: Sequence[int], folded: bool) -> tuple[np.ndarray, np.ndarray]:
    """Positions x and y of the blocks of a grid."""
    remaining = np.arange(math.prod(sizes))
    position, extent, n_drawn = np.zeros((2, len(remaining))), np.ones(2), 0
    for size in sizes:
        coordinate, remaining = remaining % size, remaining // size
        if size == 1:
            continue
        if n_drawn < 2:
            fold = np.where(2 * coordinate < size, 2 * coordinate, 2 * (size - coordinate) - 1)
            position[n_drawn] = fold if folded else coordinate
            extent[n_drawn] = size + 1.5
        else:
            columns = math.ceil(math.sqrt(size * extent[1] / extent[0]))
            row, column = coordinate // columns, coordinate % columns
            position[0] += extent[0] * np.where(row % 2 == 0, column, columns - 1 - column)
            position[1] += extent[1] * row
            extent *= columns + 0.5, -(-size // columns) + 0.5
        n_drawn += 1
    return position[0], position[1]


def _blocks(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yields the numbers of blocks per dimension, from fine to coarse: first (n, m, k), then (1, m, k), then
    (1, 1, k), then (1, 1, k / 2) and so on, while a dimension has more than 2 blocks."""
    blocks = list(sizes)
    yield blocks
    while max(blocks) > 2:
        unmerged = [d for d, n in enumerate(blocks) if n > 1]
        blocks = list(blocks)
        blocks[unmerged[0]] = 1 if len(unmerged) > 1 else -(-blocks[unmerged[0]] // 2)
        yield blocks


def _grid_name(number: int, sizes: Sequence[int], blocks: Sequence[int]) -> str:
    parts = []
    for size, n in zip(sizes, blocks, strict=True):
        number, i = divmod(number, n)
        first, last = -(-i * size // n), -(-(i + 1) * size // n) - 1
        parts.append(f"{first}" if first == last else f"{first}-{last}")
    return f"({', '.join(parts)})"


def _trees(down: Sequence[int], up: Sequence[int]) -> Iterator[Layout]:
    """Layouts of a fat tree, one row per level. In coarser layouts, one disc represents all switches of a
    level above the same nodes; in even coarser ones, a disc of the lowest row represents a whole subtree."""
    n_levels = len(down)
    trees = [
        math.prod(down[level + 1 :]) for level in range(n_levels)
    ]  # number of subtrees with the top at each level
    copies = [math.prod(up[:level]) for level in range(n_levels)]  # switches of a level per subtree
    counts = [n * m for n, m in zip(trees, copies, strict=True)]
    bow = [0.03] * max(n_levels - 1, 1)
    names = [f"level {level + 1}, {i}" for level in range(n_levels) for i in range(counts[level])]
    yield _levels(np.arange(sum(counts)), counts, names, "a switch", bow)
    for lowest in range(max(n_levels - 1, 1)):
        first = np.cumsum([0, *trees[lowest:]])
        disc = [
            np.arange(counts[level]) // copies[level] // (trees[level] // trees[max(level, lowest)])
            + first[max(level, lowest) - lowest]
            for level in range(n_levels)
        ]
        names = [
            f"level{'s 1 to' if 0 < level == lowest else ''} {level + 1}, tree {i}"
            for level in range(lowest, n_levels)
            for i in range(trees[level])
        ]
        below = f", and a disc of the lowest row stands for all levels up to {lowest + 1}" if lowest else ""
        text = f"all switches of a level above the same nodes{below}"
        yield _levels(np.concatenate(disc), trees[lowest:], names, text, bow)


def _levels(
    disc: np.ndarray, counts: Sequence[int], names: Sequence[str], text: str, bow: Sequence[float]
) -> Layout:
    x = np.concatenate([np.arange(n) / n for n in counts])
    y = np.repeat(-0.5 * np.arange(len(counts)) / max(len(counts) - 1, 1), counts)
    return Layout(disc, x, y, names, text, bow, stretches=True)


def _rings(group: Sequence[int], n_groups: int) -> Iterator[Layout]:
    """Layouts of a dragonfly, a ring of groups; in coarser layouts, one disc per group, then per several
    groups."""
    size = math.prod(group)
    centre_x, centre_y = _circle(n_groups)
    if len(group) == 1:
        x, y = _circle(size)
    else:
        x = (np.arange(size) % group[0] + 0.5) / group[0] * 2 - 1
        y = (np.arange(size) // group[0] + 0.5) / group[1] * 2 - 1
    radius = 0.36 * 2 * math.pi / max(n_groups, 4)
    names = [f"group {g}, switch {s}" for g in range(n_groups) for s in range(size)]
    xs = (centre_x[:, None] + radius * x).ravel()
    ys = (centre_y[:, None] + radius * y).ravel()
    bow = [0.08] * (len(group) + 1)
    yield Layout(np.arange(len(xs)), xs, ys, names, "a switch", bow)
    for parts in _halved(n_groups):
        names = [f"group{_span(i, n_groups, parts)}" for i in range(parts)]
        text = "a group" if parts == n_groups else f"about {n_groups / parts:.3g} groups"
        disc = np.arange(n_groups * size) // size * parts // n_groups
        yield Layout(disc, *_circle(parts), names, text, bow)


def _graphs(n: int, n_kinds: int, source: np.ndarray, target: np.ndarray) -> Iterator[Layout]:
    """Layouts of any graph: force-directed, or a circle for many switches; in coarser layouts, one disc
    represents several switches with consecutive numbers."""
    for parts in _halved(n):
        disc = np.arange(n) * parts // n
        position = (
            _springs(disc[source], disc[target], parts) if parts <= _MOST_SPRING_DISCS else _circle(parts)
        )
        names = [f"switch{_span(i, n, parts)}" for i in range(parts)]
        text = "a switch" if parts == n else f"about {n / parts:.3g} switches"
        yield Layout(disc, *position, names, text, [0.08 + 0.06 * kind for kind in range(n_kinds)])


def _halved(n: int) -> Iterator[int]:
    """n, and its repeated halves down to 1 or 2."""
    yield n
    while n > 2:
        n = -(-n // 2)
        yield n


def _span(i: int, n: int, parts: int) -> str:
    first, last = -(-i * n // parts), -(-(i + 1) * n // parts) - 1
    return f" {first}" if first == last else f"s {first}-{last}"


def _circle(n: int) -> tuple[np.ndarray, np.ndarray]:
    angle = 2 * np.pi * np.arange(n) / n
    return np.sin(angle), -np.cos(angle)


def _springs(source: np.ndarray, target: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Force-directed layout that begins with a circle: cables attract, switches repel each other (Fruchterman
    and Reingold 1991)."""
    position = np.stack(_circle(n), axis=1)
    length = 2 / math.sqrt(n)
    for temperature in np.linspace(0.2, 0.002, 200):
        difference = position[:, None] - position[None]
        distance = np.maximum(np.hypot(difference[..., 0], difference[..., 1]), 1e-9)
        move = (difference * (length / distance)[..., None] ** 2).sum(axis=1)
        cable = position[target] - position[source]
        pull = cable * (np.hypot(cable[:, 0], cable[:, 1]) / length)[:, None]
        np.add.at(move, source, pull)
        size = np.maximum(np.hypot(move[:, 0], move[:, 1]), 1e-9)
        position = position + move * (np.minimum(size, temperature) / size)[:, None]
    return position[:, 0], position[:, 1]
