"""Networks, how messages find their way over them, machines, placements, and the simulation of schedules.

A network has nodes, switches and links, each numbered from 0; nodes of a switch are consecutive. A machine
says how fast they are. Which ranks run on which nodes says a placement.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core import network as core
from halcyon._core.network import (
    Dragonfly,
    FatTree,
    HyperX,
    LinkSpeed,
    Machine,
    Options,
    Placement,
    Result,
    Routing,
    Topology,
    Torus,
    hop_bytes,
    machine_names,
    make_placement,
    named_machine,
    named_network,
    network_names,
    require_possible,
    require_recordable,
    require_valid,
    routing_names,
    simulate,
)
from halcyon.base import ConfigError, InputError

if TYPE_CHECKING:
    from halcyon.schedule import Schedule

__all__ = [
    "Dragonfly",
    "FatTree",
    "HyperX",
    "LinkSpeed",
    "Machine",
    "Options",
    "Placement",
    "Result",
    "Routing",
    "Topology",
    "Torus",
    "fields",
    "graph",
    "hop_bytes",
    "linear_placement",
    "machine",
    "machine_names",
    "make_placement",
    "make_routing",
    "make_topology",
    "mapped_placement",
    "named_machine",
    "named_network",
    "network_names",
    "options",
    "random_placement",
    "read_graph",
    "require_possible",
    "require_recordable",
    "require_valid",
    "routing_names",
    "simulate",
]


def graph(
    nodes: Sequence[int], cables: Sequence[Sequence[int]], *, kinds: Sequence[str] = ("cable",)
) -> Topology:
    """Any network of up to 16,384 switches and 256 kinds of cables, from lists.

    nodes: (switch) how many hang on it. cables: (a, b) or (a, b, kind) each, between two switches.
    Raises InputError that names the switch or cable, where a cable ends nowhere or where it begins, or two
    switches have no way to each other."""
    listed = [(*cable, 0)[:3] for cable in cables]
    short = [i for i, cable in enumerate(cables) if len(cable) not in (2, 3)]
    if short:
        raise InputError(
            f"Cable {short[0]} is {tuple(cables[short[0]])}. Give two switches, or these and a kind."
        )
    return core.Graph(list(nodes), np.array(listed, np.int32).reshape(-1, 3), list(kinds))


def read_graph(path: str | os.PathLike[str]) -> Topology:
    """A network from a file of its switches and cables (docs/network.md). Raises InputError that names the
    line where the file is none."""
    return core.read_graph(os.fspath(path))


def make_topology(type: str, **options: Any) -> Topology:
    """A network by its type and options, as `topology:` of a case has them.

    Raises ConfigError for an unknown type or option, and values that the type does not allow."""
    plain = {name: os.fspath(v) if isinstance(v, os.PathLike) else v for name, v in options.items()}
    return core.make_topology(type, plain)


def make_routing(topology: Topology, name: str = "minimal", seed: int = 1) -> Routing:
    """How messages find their way, by the name of one of `routing_names()`.

    seed: of what is drawn by chance: intermediate switches, and one of several equal links.
    Raises ConfigError for another name, and for d_mod_k on anything but a fat tree."""
    return core.make_routing(topology, name, seed)


def linear_placement(topology: Topology, n_ranks: int, ranks_per_node: int = 1) -> Placement:
    """Rank r on node r // ranks_per_node. Raises ConfigError where there are more ranks than places."""
    return make_placement("linear", topology, n_ranks, ranks_per_node)


def random_placement(topology: Topology, n_ranks: int, ranks_per_node: int = 1, seed: int = 1) -> Placement:
    """As many consecutive ranks a node, on nodes drawn by chance. Raises as linear_placement."""
    return make_placement("random", topology, n_ranks, ranks_per_node, seed)


def mapped_placement(topology: Topology, schedule: Schedule, ranks_per_node: int = 1) -> Placement:
    """Ranks that send each other much near each other, on the nodes of linear_placement, and never with more
    hop bytes than that. Raises as linear_placement."""
    return make_placement("mapped", topology, schedule.n_ranks, ranks_per_node, schedule=schedule)


def machine(base: Machine | str = "reference", **values: Any) -> Machine:
    """A machine, by default the reference machine, with some numbers replaced, by their names (SI units).

    base: a machine or one of `machine_names()`. links: (bandwidth, latency) each, one for each kind of links
    or one for all.
    Raises ConfigError for a name or value that no machine has."""
    made = core.named_machine(base) if isinstance(base, str) else _set(Machine(), fields(base))
    return _set(made, values)


def options(**values: Any) -> Options:
    """Options of `simulate` by their names. Raises ConfigError for a name or value that is none."""
    return _set(Options(), values)


def fields(made: Machine | Options) -> dict[str, Any]:
    """The numbers of a machine, or options, by their names, as `machine` and `options` take them."""
    values = {name: getattr(made, name) for name in _names(made)}
    if "links" in values:
        values["links"] = [(link.bandwidth, link.latency) for link in values["links"]]
    return values


def _names(made: Machine | Options) -> list[str]:
    return [name for name in dir(type(made)) if not name.startswith("_")]


def _set(made, values):
    for name, value in values.items():
        if name not in _names(made):
            kind = type(made).__name__
            raise ConfigError(f"{kind} has no '{name}'. It has {', '.join(_names(made))}.")
        try:
            setattr(made, name, [LinkSpeed(*link) for link in value] if name == "links" else value)
        except TypeError:
            raise ConfigError(
                f"{name} is {value!r}, which is of no use there. Give a number, or for links a "
                "list of (bandwidth, latency)."
            ) from None
    return made
