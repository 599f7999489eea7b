"""Networks of a type that hold a number of nodes, with switches of a number of ports."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from halcyon.base import ConfigError

MAX_LEVELS, MAX_DIMENSIONS = 6, 4


def sized_network(kind: str, n_nodes: int, ports: int) -> dict[str, Any]:
    """The options of the smallest network of a type that holds `n_nodes` nodes, by the rule of its builder
    (`BUILDERS`), with switches of at most `ports` ports.

    Raises ConfigError for an unknown type, and if no such network exists."""
    if kind not in BUILDERS:
        raise ConfigError(f"there is no rule for a network '{kind}'. There are: {', '.join(BUILDERS)}.")
    options = BUILDERS[kind].build(n_nodes, ports)
    if options is None:
        raise ConfigError(
            f"no {kind} of switches with {ports} ports holds {n_nodes:,} nodes. Give more ports."
        )
    return {"type": kind} | options


def _crossbar(n_nodes: int, ports: int) -> dict[str, Any]:
    """A single switch, with as many ports as nodes: the network without contention."""
    return {"nodes": n_nodes}


def _fat_tree(n_nodes: int, ports: int) -> dict[str, Any] | None:
    """As many up-ports as down-ports, of the fewest levels; the highest level has only as many as needed."""
    half = ports // 2
    for levels in range(1, MAX_LEVELS + 1 if half > 1 else 1):
        top = math.ceil(n_nodes / half ** (levels - 1))
        if top <= ports:
            return {"down": [half] * (levels - 1) + [top], "up": [half] * (levels - 1)}
    return None


def _dragonfly(n_nodes: int, ports: int) -> dict[str, Any] | None:
    """Balanced after Kim et al. (2008): p nodes and p global links per switch, 2 p switches per group; the
    smallest p whose largest dragonfly, of 2 p^2 + 1 groups, holds the nodes."""
    for p in range(1, (ports + 1) // 4 + 1):
        groups = math.ceil(n_nodes / (2 * p * p))
        if groups <= 2 * p * p + 1:
            return {"group": [2 * p], "groups": max(groups, 2), "global_links": p, "nodes_per_switch": p}
    return None


def _hyperx(n_nodes: int, ports: int) -> dict[str, Any] | None:
    """Full bisection after Ahn et al. (2009): half as many nodes per switch as switches along a dimension;
    the fewest dimensions, then the smallest sizes."""
    for dimensions in range(1, MAX_DIMENSIONS + 1):
        for size in range(2, ports + 1):
            nodes = math.ceil(size / 2)
            if dimensions * (size - 1) + nodes > ports:
                break
            if size**dimensions * nodes >= n_nodes:
                last = math.ceil(n_nodes / (size ** (dimensions - 1) * nodes))
                return {"sizes": [size] * (dimensions - 1) + [last], "nodes_per_switch": nodes}
    return None


def _torus(n_nodes: int, ports: int) -> dict[str, Any] | None:
    """Three dimensions, as equal as possible, one node per switch, as in Blue Gene."""
    if ports < 7:
        return None
    x = max(round(n_nodes ** (1 / 3)), 1)
    y = max(round(math.sqrt(n_nodes / x)), 1)
    return {"sizes": [x, y, math.ceil(n_nodes / (x * y))], "nodes_per_switch": 1}


class NetworkType(NamedTuple):
    """How a type of network is sized, and its usual routing."""

    build: Callable[[int, int], dict[str, Any] | None]
    routing: str


BUILDERS = {
    "fat_tree": NetworkType(_fat_tree, "d_mod_k"),
    "dragonfly": NetworkType(_dragonfly, "ugal"),
    "hyperx": NetworkType(_hyperx, "ugal"),
    "torus": NetworkType(_torus, "minimal"),
    "crossbar": NetworkType(_crossbar, "minimal"),
}
