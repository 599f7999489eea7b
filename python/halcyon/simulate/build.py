"""From the options of a simulation to what the engine takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon import network
from halcyon.base import ConfigError, InputError
from halcyon.config import workload as kinds
from halcyon.config.network import GivenPlacement
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import errors_at
from halcyon.simulate.mesh_volumes import require_possible_halo
from halcyon.simulate.workloads import ranks_of, schedule_of

if TYPE_CHECKING:
    from halcyon.schedule import Schedule


@dataclass(frozen=True)
class Built:
    """What is simulated."""

    schedule: Schedule
    topology: network.Topology
    routing: network.Routing
    machine: network.Machine
    placement: network.Placement


def built(case: Simulation) -> Built:
    """Makes what a case asks for. Raises ConfigError where options do not go together; of which option a
    mistake is says `config.yaml_source.about`."""
    schedule = schedule_of(case)
    topology, machine = network_of(case)
    routing = _routing(case, topology)
    placement = _placement(case, topology, schedule.n_ranks, schedule)
    return Built(schedule, topology, routing, machine, placement)


def require_possible(case: Simulation) -> None:
    """Raises what `built` and the engine would, as far as it can be told without cutting a mesh, mapping
    ranks, or simulating."""
    if isinstance(case.workload, kinds.MeshHalo):
        n_ranks = ranks_of(case)
        require_possible_halo(case.workload, n_ranks)
    else:
        n_ranks = schedule_of(case).n_ranks
    topology, machine = network_of(case)
    _routing(case, topology)
    _placement(case, topology, n_ranks)
    options = options_of(case, n_ranks)
    with errors_at("record", "link_bins"):
        network.require_recordable(topology, n_ranks, options)
    with errors_at("engine"):
        network.require_possible(topology, machine, n_ranks, options)


def options_of(case: Simulation, n_ranks: int, *, threads: int = 1) -> network.Options:
    """What the engine is asked for."""
    return network.options(
        fidelity=case.engine.fidelity,
        chunk_bytes=case.engine.chunk_bytes,
        back_pressure=case.engine.back_pressure,
        threads=threads,
        record_ranks=case.record.ranks,
        record_links=case.record.links,
        link_bins=case.record.link_bins,
        pair_bins=min(case.record.pairs, n_ranks),
    )


def network_of(case: Simulation) -> tuple[network.Topology, network.Machine]:
    """The network of a case, and how fast it is. Raises ConfigError where the case has none."""
    chosen = case.topology or case.machine.topology
    with errors_at(
        *(["machine", "topology"] if case.machine.topology and not case.topology else ["topology"])
    ):
        if chosen is None:
            raise ConfigError(
                f"topology is missing, and the machine '{case.machine.name or case.machine.base}' has none. "
                f"Give one, such as fattree-M."
            )
        topology = chosen.made()
    with errors_at("machine", "links"):
        return topology, case.machine.speeds(topology)


def _routing(case: Simulation, topology: network.Topology) -> network.Routing:
    with errors_at(*(["routing"] if case.routing else ["machine", "routing"])):
        return network.make_routing(topology, case.routing or case.machine.routing, case.engine.seed)


def _placement(
    case: Simulation, topology: network.Topology, n_ranks: int, schedule: Schedule | None = None
) -> network.Placement:
    """Where ranks run; without a schedule as `network.make_placement` does it then."""
    wanted, per_node = case.placement or case.machine.placement, case.machine.ranks_per_node
    with errors_at("ranks"):
        if isinstance(wanted, GivenPlacement):
            return _given_placement(case, wanted.file, topology, n_ranks)
        return network.make_placement(wanted, topology, n_ranks, per_node, case.engine.seed, schedule)


def _given_placement(
    case: Simulation, file: Path, topology: network.Topology, n_ranks: int
) -> network.Placement:
    with errors_at(*(["placement"] if case.placement else ["machine", "placement"])):
        nodes = _nodes_of(file)
        if len(nodes) != n_ranks:
            raise ConfigError(
                f"{file} places {len(nodes)} ranks, but there are {n_ranks}. Give as many lines."
            )
        try:
            return network.Placement(topology, nodes, case.machine.ranks_per_node)
        except ConfigError as error:
            raise ConfigError(f"{file}: {error}") from None


def _nodes_of(file: Path) -> np.ndarray:
    try:
        lines = file.read_text().splitlines()
    except (OSError, ValueError) as error:
        raise InputError(
            f"{file} gives no placement ({error}). Write the node of each rank, a line a rank."
        ) from None
    nodes = [_node(word, f"{file}:{i}") for i, line in enumerate(lines, 1) for word in line.split()]
    return np.array(nodes, np.int32)


def _node(word: str, place: str) -> int:
    if not word.isdecimal() or int(word) >= 2**31:
        raise InputError(f"{place}: '{word}' is no node. Write the node of each rank, a line a rank.")
    return int(word)
