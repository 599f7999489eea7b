"""Builds the inputs of the engine from the options of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon import network
from halcyon.base import ConfigError, InputError, read_text, require_memory
from halcyon.config import workload as kinds
from halcyon.config.network import FilePlacement
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import errors_at
from halcyon.simulate.mesh_volumes import require_possible_halo
from halcyon.simulate.network_size import network_size
from halcyon.simulate.workloads import ranks_of, schedule_of

if TYPE_CHECKING:
    from halcyon.schedule import Schedule


MAX_RANKS_FOR_AUTO_PACKETS = 1000
_RANK_BYTES, _LINK_BYTES = 300, 16  # least memory of the engine per rank and per link, measured


@dataclass(frozen=True)
class SimulationSetup:
    """Inputs of the engine."""

    schedule: Schedule
    topology: network.Topology
    routing: network.Routing
    machine: network.Machine
    placement: network.Placement


def build_setup(case: Simulation) -> SimulationSetup:
    """Builds the inputs of a simulation. Raises ConfigError for incompatible options;
    `config.yaml_source.errors_at` names the option at fault."""
    schedule = schedule_of(case)
    topology, machine = network_of(case)
    routing = _routing(case, topology)
    placement = _placement(case, topology, schedule.n_ranks, schedule)
    return SimulationSetup(schedule, topology, routing, machine, placement)


def require_possible(case: Simulation) -> None:
    """Raises those errors of `build_setup` and of the engine that can be detected without partitioning a
    mesh, mapping ranks, or simulating."""
    if isinstance(case.workload, kinds.MeshHalo):
        n_ranks = ranks_of(case)
        require_possible_halo(case.workload, n_ranks)
    else:
        n_ranks = schedule_of(case).n_ranks
    topology, machine = network_of(case)
    with errors_at("ranks"):
        needed_bytes = n_ranks * _RANK_BYTES + topology.n_links * _LINK_BYTES
        purpose = f"to simulate {n_ranks:,} ranks on {topology.name}"
        require_memory(needed_bytes, purpose, ConfigError)
    _routing(case, topology)
    _placement(case, topology, n_ranks)
    options = options_of(case, n_ranks)
    with errors_at("record", "link_bins"):
        network.require_recordable(topology, n_ranks, options)
    with errors_at("engine"):
        network.require_possible(topology, machine, n_ranks, options)


def with_fidelity(case: Simulation, n_ranks: int) -> Simulation:
    """The case with the fidelity that `auto` selects for the number of ranks."""
    if case.engine.fidelity != "auto":
        return case
    fidelity = "packet" if n_ranks <= MAX_RANKS_FOR_AUTO_PACKETS else "chunk"
    return case.model_copy(update={"engine": case.engine.model_copy(update={"fidelity": fidelity})})


def options_of(case: Simulation, n_ranks: int, *, threads: int = 1) -> network.Options:
    """The options of the engine."""
    return network.options(
        fidelity=with_fidelity(case, n_ranks).engine.fidelity,
        chunk_bytes=case.engine.chunk_bytes,
        back_pressure=case.engine.back_pressure,
        threads=threads,
        record_ranks=case.record.ranks,
        record_links=case.record.links,
        record_slowdown=case.record.slowdown,
        noise_seed=case.engine.seed,
        link_bins=case.record.link_bins,
        pair_bins=min(case.record.pairs, n_ranks),
    )


def network_of(case: Simulation) -> tuple[network.Topology, network.Machine]:
    """The network and the machine of a case. Raises ConfigError if the case has no network."""
    network_options = case.topology or case.machine.topology
    with errors_at(
        *(["machine", "topology"] if case.machine.topology and not case.topology else ["topology"])
    ):
        if network_options is None:
            raise ConfigError(
                f"topology is missing, and the machine '{case.machine.name or case.machine.base}' has "
                "none. Give one, such as fattree-M."
            )
        topology = network_options.build()
    with errors_at("machine", "nic_attachment"):
        topology = case.machine.attach_nics(topology)
    failed = case.failed_cables
    if failed.number > 0:
        with errors_at("failed_cables"):
            topology = without_cables(topology, failed.number, kind=failed.kind, seed=failed.seed)
    with errors_at("machine", "links"):
        machine = case.machine.network_machine(topology)
    if case.machine.switch_ports > 0:
        with errors_at("machine", "switch_ports"):
            _require_ports(topology, machine, case.machine.switch_ports)
    return topology, machine


def _require_ports(topology: network.Topology, machine: network.Machine, ports: int) -> None:
    needed = network_size(topology, machine).most_ports
    if needed > ports:
        here = machine.nics_per_node if topology.attached_nics == 1 else 1
        nics = f"{here} NICs per node" if here > 1 else "a NIC per node"
        raise ConfigError(
            f"{topology.name} needs switches of {needed} ports, with {nics}, but"
            f" machine.switch_ports = {ports}. Give fewer links, nodes or NICs, or more"
            " ports."
        )


def without_cables(
    topology: network.Topology, number: int, *, kind: str = "", seed: int = 1
) -> network.Topology:
    """The network as a graph, without a number of cables that are chosen at random; of rails, those rails
    that lose cables.

    kind: kind of links among which they are; empty: all. Raises ConfigError for an unknown kind, more cables
    than there are, and a network that falls into parts."""
    source, target, kinds = topology.links()
    cables = np.flatnonzero(source < target)
    if kind and kind not in topology.kinds:
        known = ", ".join(topology.kinds)
        raise ConfigError(f"{topology.name} has no kind of links '{kind}'. Its kinds are: {known}.")
    candidates = cables[kinds[cables] == topology.kinds.index(kind)] if kind else cables
    if number > len(candidates):
        raise ConfigError(f"{number:,} cables cannot fail: there are {len(candidates):,}. Give fewer.")
    failed = np.random.default_rng(seed).choice(candidates, number, replace=False)
    try:
        if not isinstance(topology, network.AttachedNics):
            return _graph_without(topology, failed)
        parts, first = [], 0
        for part in topology.parts:
            of_part = failed[(failed >= first) & (failed < first + part.n_links)] - first
            parts.append(_graph_without(part, of_part) if len(of_part) else part)
            first += part.n_links
        return network.AttachedNics(parts, topology.attached_nics)
    except InputError as error:
        raise ConfigError(f"without {number:,} cables: {error} Give fewer, or another seed.") from None


def _graph_without(topology: network.Topology, failed: np.ndarray) -> network.Topology:
    source, target, kinds = topology.links()
    kept = np.setdiff1d(np.flatnonzero(source < target), failed)
    nodes = np.arange(topology.n_nodes, dtype=np.int32)
    rows = np.stack([source[kept], target[kept], kinds[kept]], axis=1)
    return network.graph(
        np.bincount(topology.switch_of(nodes), minlength=topology.n_switches).tolist(),
        rows.tolist(),
        kinds=topology.kinds,
    )


def _routing(case: Simulation, topology: network.Topology) -> network.Routing:
    with errors_at(*(["routing"] if case.routing else ["machine", "routing"])):
        return network.make_routing(topology, case.routing or case.machine.routing, case.engine.seed)


def _placement(
    case: Simulation, topology: network.Topology, n_ranks: int, schedule: Schedule | None = None
) -> network.Placement:
    """The placement of the ranks; without a schedule, `mapped` is replaced by the linear placement."""
    requested, per_node = case.placement or case.machine.placement, case.machine.ranks_per_node
    with errors_at("ranks"):
        if isinstance(requested, FilePlacement):
            return _placement_from_file(case, requested.file, topology, n_ranks)
        return network.make_placement(requested, topology, n_ranks, per_node, case.engine.seed, schedule)


def _placement_from_file(
    case: Simulation, file: Path, topology: network.Topology, n_ranks: int
) -> network.Placement:
    with errors_at(*(["placement"] if case.placement else ["machine", "placement"])):
        nodes = _read_nodes(file)
        if len(nodes) != n_ranks:
            raise ConfigError(
                f"{file} places {len(nodes)} ranks, but there are {n_ranks} ranks. Give one line per rank."
            )
        try:
            return network.Placement(topology, nodes, case.machine.ranks_per_node)
        except ConfigError as error:
            raise ConfigError(f"{file}: {error}") from None


def _read_nodes(file: Path) -> np.ndarray:
    """Reads the node of each rank from a placement file."""
    lines = read_text(file, "the node of each rank, one line per rank").splitlines()
    nodes = [_parse_node(word, f"{file}:{i}") for i, line in enumerate(lines, 1) for word in line.split()]
    return np.array(nodes, np.int32)


def _parse_node(word: str, position: str) -> int:
    if not word.isdecimal() or len(word) > 10 or int(word) >= 2**31:
        raise InputError(
            f"{position}: '{word[:40]}' is not a node number. Write the node of each rank, one line per rank."
        )
    return int(word)
