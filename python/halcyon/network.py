"""Networks, how messages find their way over them, machines, and the simulation of schedules on them."""

from __future__ import annotations

import os
from typing import Any

from halcyon._core import network as core
from halcyon._core.network import (
    Dragonfly,
    FatTree,
    HyperX,
    Machine,
    Options,
    Placement,
    Result,
    Routing,
    Topology,
    Torus,
    linear_placement,
    machine_names,
    make_routing,
    mapped_placement,
    named_machine,
    named_network,
    network_names,
    random_placement,
    routing_names,
    simulate,
)

__all__ = [
    "Dragonfly",
    "FatTree",
    "HyperX",
    "Machine",
    "Options",
    "Placement",
    "Result",
    "Routing",
    "Topology",
    "Torus",
    "linear_placement",
    "machine",
    "machine_names",
    "make_routing",
    "mapped_placement",
    "named_machine",
    "named_network",
    "network_names",
    "options",
    "random_placement",
    "read_graph",
    "routing_names",
    "simulate",
]


def machine(**values: Any) -> Machine:
    """The reference machine with some of its numbers replaced, by their names (SI units); `links` is a list
    of (bandwidth, latency), one for each kind of links or one for all.

    Raises AttributeError for a name that is none."""
    made = Machine()
    links = values.pop("links", None)
    if links is not None:
        made.links = [core.LinkSpeed(bandwidth, latency) for bandwidth, latency in links]
    for name, value in values.items():
        setattr(made, name, value)
    return made


def options(**values: Any) -> Options:
    """Options of `simulate` by their names. Raises AttributeError for a name that is none."""
    made = Options()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def read_graph(path: str | os.PathLike[str]) -> Topology:
    """A network from a file of its switches and cables (docs/network.md). Raises InputError that names the
    line where the file is none."""
    return core.read_graph(os.fspath(path))
