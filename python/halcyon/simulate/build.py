"""From the options of a simulation to what the engine takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halcyon import network
from halcyon.base import ConfigError
from halcyon.config import workload as kinds
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import about
from halcyon.simulate.mesh_volumes import require_possible_halo
from halcyon.simulate.placing import placement_of
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
    mistake is says `config.located.option_of`."""
    schedule = schedule_of(case)
    topology, machine = network_of(case)
    routing = _routing(case, topology)
    placement = placement_of(case, topology, schedule.n_ranks, schedule)
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
    placement_of(case, topology, n_ranks)
    options = options_of(case, n_ranks)
    with about("record", "link_bins"):
        network.require_recordable(topology, n_ranks, options)
    with about("engine"):
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
    with about(*(["machine", "topology"] if case.machine.topology and not case.topology else ["topology"])):
        if chosen is None:
            raise ConfigError(
                f"topology is missing, and the machine '{case.machine.name or case.machine.base}' has none. "
                f"Give one, such as fattree-M."
            )
        topology = chosen.made()
    with about("machine", "links"):
        return topology, case.machine.speeds(topology)


def _routing(case: Simulation, topology: network.Topology) -> network.Routing:
    with about(*(["routing"] if case.routing else ["machine", "routing"])):
        return network.make_routing(topology, case.routing or case.machine.routing, case.engine.seed)
