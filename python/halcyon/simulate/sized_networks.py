"""Networks of a type that hold a number of nodes, with switches of a number of ports."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from halcyon import network
from halcyon.base import ConfigError

MAX_LEVELS, MAX_DIMENSIONS = 6, 4


def sized_network(
    kind: str, n_nodes: int, ports: int, nics: int = 1, attachment: str = "node"
) -> dict[str, Any]:
    """The options of the smallest network of a type that holds `n_nodes` nodes, by the rule of its builder
    (`BUILDERS`), with switches of at most `ports` ports.

    nics: number of NICs per node; the rules count them, not nodes. attachment: of the NICs to the network, as
    in `halcyon.network.attach_nics`.

    Raises ConfigError for an unknown type, and if no such network exists."""
    if kind not in BUILDERS:
        raise ConfigError(f"there is no rule for a network '{kind}'. There are: {', '.join(BUILDERS)}.")
    if kind == "crossbar" and attachment == "switches" and nics > 1:
        raise ConfigError(
            "a crossbar is one switch, but machine.nic_attachment: switches attaches the NICs of a node to"
            " several. Choose another network, or attach them to the node's switch or to rails."
        )
    ends, places = n_nodes * (nics if attachment == "switches" else 1), nics if attachment == "node" else 1
    while options := BUILDERS[kind].build(ends, ports, places):
        if attachment != "switches" or _nodes_at_switches(kind, options, nics) >= n_nodes:
            return {"type": kind} | options
        ends += nics
    raise ConfigError(f"no {kind} of switches with {ports} ports holds {n_nodes:,} nodes. Give more ports.")


def _nodes_at_switches(kind: str, options: dict[str, Any], nics: int) -> int:
    """The number of nodes whose NICs are attached to as many switches of a network; 0 if it has too few."""
    with contextlib.suppress(ConfigError):
        return network.attach_nics(network.make_topology(kind, **options), "switches", nics).n_nodes
    return 0


# The builders: options of the smallest network for `n_nodes` nodes with `nics` ports each.
def _crossbar(n_nodes: int, ports: int, nics: int) -> dict[str, Any]:
    """A single switch, with as many ports as NICs: the network without contention."""
    return {"nodes": n_nodes}


def _fat_tree(n_nodes: int, ports: int, nics: int) -> dict[str, Any] | None:
    """As many up-ports as ports of NICs, of the fewest levels; the highest has only as many as needed."""
    half, leaf = ports // 2, ports // 2 // nics
    if n_nodes * nics <= ports:
        return {"down": [n_nodes], "up": []}
    for levels in range(2, MAX_LEVELS + 1 if half > 1 and leaf > 0 else 1):
        top = math.ceil(n_nodes / (leaf * half ** (levels - 2)))
        if top <= ports:
            up = [leaf * nics] + [half] * (levels - 2)
            return {"down": [leaf] + [half] * (levels - 2) + [top], "up": up}
    return None


def _dragonfly(n_nodes: int, ports: int, nics: int) -> dict[str, Any] | None:
    """Balanced after Kim et al. (2008): p NICs and p global links per switch, 2 p switches per group; the
    smallest p whose largest dragonfly, of 2 p^2 + 1 groups, holds the nodes."""
    for p in range(nics, (ports + 1) // 4 + 1, nics):
        groups = math.ceil(n_nodes * nics / (2 * p * p))
        if groups <= 2 * p * p + 1:
            per_switch = {"global_links": p, "nodes_per_switch": p // nics}
            return {"group": [2 * p], "groups": max(groups, 2)} | per_switch
    return None


def _hyperx(n_nodes: int, ports: int, nics: int) -> dict[str, Any] | None:
    """Full bisection after Ahn et al. (2009): half as many NICs per switch as switches along a dimension;
    the fewest dimensions, then the smallest sizes."""
    for dimensions in range(1, MAX_DIMENSIONS + 1):
        for size in range(2, ports + 1):
            nodes = math.ceil(size / 2 / nics)
            if dimensions * (size - 1) + nodes * nics > ports:
                break
            if size**dimensions * nodes >= n_nodes:
                last = math.ceil(n_nodes / (size ** (dimensions - 1) * nodes))
                return {"sizes": [size] * (dimensions - 1) + [last], "nodes_per_switch": nodes}
    return None


def _torus(n_nodes: int, ports: int, nics: int) -> dict[str, Any] | None:
    """Three dimensions, as equal as possible, one node per switch, as in Blue Gene."""
    if ports < 6 + nics:
        return None
    x = max(round(n_nodes ** (1 / 3)), 1)
    y = max(round(math.sqrt(n_nodes / x)), 1)
    return {"sizes": [x, y, math.ceil(n_nodes / (x * y))], "nodes_per_switch": 1}


class NetworkType(NamedTuple):
    """How a type of network is sized, and its usual routing."""

    build: Callable[[int, int, int], dict[str, Any] | None]
    routing: str


BUILDERS = {
    "fat_tree": NetworkType(_fat_tree, "d_mod_k"),
    "dragonfly": NetworkType(_dragonfly, "ugal"),
    "hyperx": NetworkType(_hyperx, "ugal"),
    "torus": NetworkType(_torus, "minimal"),
    "crossbar": NetworkType(_crossbar, "minimal"),
}
