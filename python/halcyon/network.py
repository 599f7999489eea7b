"""Network topologies, routing, machines, placements, and the simulation of schedules.

A network has nodes, switches and links, numbered from 0; the nodes of a switch are consecutive. A machine
defines latencies, bandwidths and overheads. A placement defines the node of each rank.

Three functions raise ConfigError for what a simulation cannot use: `require_valid` checks a machine,
`require_recordable` the numbers of bins, `require_possible` all options, the machine and the network."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from halcyon._core import network as core
from halcyon._core.network import (
    AttachedNics,
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
from halcyon.choices import names

if TYPE_CHECKING:
    from halcyon.schedule import Schedule

__all__ = [
    "AttachedNics",
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
    "attach_nics",
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

_T = TypeVar("_T", Machine, Options)


def graph(
    nodes: Sequence[int], cables: Sequence[Sequence[int]], *, kinds: Sequence[str] = ("cable",)
) -> Topology:
    """Any network of up to 16,384 switches and 256 kinds of cables, from lists.

    nodes: number of nodes of each switch. cables: (a, b) or (a, b, kind) for a cable between switches a and
    b; kind is an index into `kinds`, the names of the kinds of cables.

    Raises InputError, naming the switch or cable, for a cable to an unknown switch or from a switch to
    itself, and for switches that are not connected."""
    rows = [(*cable, 0)[:3] for cable in cables]
    invalid = [i for i, cable in enumerate(cables) if len(cable) not in (2, 3)]
    if invalid:
        raise InputError(
            f"Cable {invalid[0]} is {tuple(cables[invalid[0]])}. Give two switches, or two switches and a "
            "kind."
        )
    return core.Graph(list(nodes), np.array(rows, np.int32).reshape(-1, 3), list(kinds))


def read_graph(path: str | os.PathLike[str]) -> Topology:
    """Reads a network from a file of its switches and cables (docs/network.md). Raises InputError naming the
    line of an error."""
    return core.read_graph(os.fspath(path))


def make_topology(type: str, **options: Any) -> Topology:
    """Makes a network from its type and options, which are those of `topology:` in a case file.

    Raises ConfigError for an unknown type or option, or an invalid value."""
    values = {name: os.fspath(v) if isinstance(v, os.PathLike) else v for name, v in options.items()}
    return core.make_topology(type, values)


def attach_nics(topology: Topology, attachment: str, nics: int) -> Topology:
    """The network to which `nics` NICs of each node are attached: `node` (all to its switch), `switches` (NIC
    k to the k-th of as many consecutive switches; the nodes of `topology` are NICs) or `rails` (NIC k to the
    k-th of as many networks like `topology`).

    Raises ConfigError for an unknown attachment, and as AttachedNics does."""
    if attachment not in names("NIC attachments"):
        known = ", ".join(names("NIC attachments"))
        raise ConfigError(f"There is no attachment of NICs '{attachment}'. There are: {known}.")
    if attachment == "node" or nics == 1:
        return topology
    return AttachedNics([topology] * (nics if attachment == "rails" else 1), nics)


def make_routing(topology: Topology, name: str = "minimal", seed: int = 1) -> Routing:
    """Makes a routing of messages over a network.

    name: one of `routing_names()`. seed: seed of the random choices of intermediate switches and among
    equivalent links. Raises ConfigError for an unknown name, and for d_mod_k unless on a fat tree."""
    return core.make_routing(topology, name, seed)


def linear_placement(topology: Topology, n_ranks: int, ranks_per_node: int = 1) -> Placement:
    """Places rank r on node r // ranks_per_node. Raises ConfigError for more ranks than the nodes can
    hold."""
    return make_placement("linear", topology, n_ranks, ranks_per_node)


def random_placement(topology: Topology, n_ranks: int, ranks_per_node: int = 1, seed: int = 1) -> Placement:
    """Places blocks of `ranks_per_node` consecutive ranks on randomly chosen nodes. Raises ConfigError as
    linear_placement does."""
    return make_placement("random", topology, n_ranks, ranks_per_node, seed)


def mapped_placement(topology: Topology, schedule: Schedule, ranks_per_node: int = 1) -> Placement:
    """Topology-aware mapping: places ranks that exchange many bytes near each other, on the nodes of
    linear_placement. `hop_bytes` is at most that of linear_placement. Raises ConfigError as linear_placement
    does."""
    return make_placement("mapped", topology, schedule.n_ranks, ranks_per_node, schedule=schedule)


def machine(base: Machine | str = "reference", **values: Any) -> Machine:
    """A machine, by default the reference machine, with some parameters replaced by name (SI units).

    base: a machine or one of `machine_names()`. links: list of (bandwidth, latency), one per kind of links or
    one for all. Raises ConfigError for an unknown name or invalid value."""
    instance = core.named_machine(base) if isinstance(base, str) else _set_fields(Machine(), fields(base))
    return _set_fields(instance, values)


def options(**values: Any) -> Options:
    """Options of `simulate`, given by name. Raises ConfigError for an unknown name or invalid value."""
    return _set_fields(Options(), values)


def fields(instance: Machine | Options) -> dict[str, Any]:
    """Returns the parameters of a machine, or the options of `simulate`, by name, as arguments for `machine`
    or `options`."""
    values = {name: getattr(instance, name) for name in _names(instance)}
    if "links" in values:
        values["links"] = [(link.bandwidth, link.latency) for link in values["links"]]
    return values


def _names(instance: Machine | Options) -> list[str]:
    return [name for name in dir(type(instance)) if not name.startswith("_")]


def _set_fields(instance: _T, values: Mapping[str, Any]) -> _T:
    for name, value in values.items():
        if name not in _names(instance):
            kind = type(instance).__name__
            raise ConfigError(f"{kind} has no '{name}'. It has {', '.join(_names(instance))}.")
        try:
            setattr(instance, name, [LinkSpeed(*link) for link in value] if name == "links" else value)
        except TypeError:
            raise ConfigError(
                f"{name} is {value!r}. Give a number, or for links a list of (bandwidth, latency)."
            ) from None
    return instance
