"""From the options of a simulation to what the engine takes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError
from halcyon.config import workload as kinds
from halcyon.config.located import about
from halcyon.config.simulation import Simulation
from halcyon.simulate.mesh_volumes import require_possible_halo, volumes_of
from halcyon.simulate.placing import placement_of
from halcyon.simulate.shapes import divided, given_shape

if TYPE_CHECKING:
    from halcyon import network
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
    topology, routing, machine = _network(case)
    placement = placement_of(case, topology, schedule.n_ranks, schedule)
    return Built(schedule, topology, routing, machine, placement)


def require_possible(case: Simulation) -> None:
    """Raises what `built` and the engine would, as far as it can be told without cutting a mesh, mapping
    ranks, or simulating."""
    from halcyon import network

    if isinstance(case.workload, kinds.MeshHalo):
        n_ranks = _ranks(case)
        require_possible_halo(case.workload, n_ranks)
    else:
        n_ranks = schedule_of(case).n_ranks
    topology, _, machine = _network(case)
    placement_of(case, topology, n_ranks)
    with about("engine"):
        network.require_possible(topology, machine, n_ranks, options_of(case, n_ranks))


def options_of(case: Simulation, n_ranks: int, *, threads: int = 1) -> network.Options:
    """What the engine is asked for."""
    from halcyon import network

    return network.options(
        fidelity=case.engine.fidelity,
        chunk_bytes=case.engine.chunk_bytes,
        back_pressure=case.engine.back_pressure,
        threads=threads,
        record_ranks=case.record.ranks,
        record_links=case.record.links,
        pair_bins=min(case.record.pairs, n_ranks),
    )


def _network(case: Simulation) -> tuple[network.Topology, network.Routing, network.Machine]:
    from halcyon import network

    chosen = case.topology or case.machine.topology
    with about(*(["machine", "topology"] if case.machine.topology and not case.topology else ["topology"])):
        if chosen is None:
            raise ConfigError(
                f"topology is missing, and the machine '{case.machine.name or case.machine.base}' has none. "
                f"Give one, such as fattree-M."
            )
        topology = chosen.made()
    with about(*(["routing"] if case.routing else ["machine", "routing"])):
        routing = network.make_routing(topology, case.routing or case.machine.routing, case.engine.seed)
    with about("machine", "links"):
        machine = case.machine.speeds(topology)
    return topology, routing, machine


def _ranks(case: Simulation) -> int:
    if case.ranks is None:
        with about("ranks"):
            raise ConfigError("ranks is missing: how many run. Give it; only a replay goes without.")
    return case.ranks


def schedule_of(case: Simulation) -> Schedule:
    """What the ranks do. Raises ConfigError for a number of ranks that the workload cannot have."""
    work = case.workload
    if isinstance(work, kinds.Replay):
        return _replay(work, case.ranks)
    makers: dict[type, Callable[[Any, int], Schedule]] = {
        kinds.Transposition: _transposition,
        kinds.Alltoall: _alltoall,
        kinds.GridHalo: _grid_halo,
        kinds.MeshHalo: _mesh_halo,
        kinds.Allreduce: _allreduce,
        kinds.Gcr: _gcr,
    }
    with about("workload"):
        return makers[type(work)](work, _ranks(case))


def _transposition(work: kinds.Transposition, ranks: int) -> Schedule:
    from halcyon import schedule

    nx, ny, nz = work.grid
    most = min(nx, ny, nz), min(nx, ny)
    shape = divided(ranks, most, ratio=1.0) if work.ranks == "auto" else given_shape(work.ranks, ranks)
    options = {"algorithm": work.algorithm, "item_bytes": work.item_bytes, "item_s": work.computation}
    return schedule.transposition((nx, ny, nz), shape, **options)


def _alltoall(work: kinds.Alltoall, ranks: int) -> Schedule:
    from halcyon import schedule

    with about("workload", "algorithm"):
        return schedule.alltoall(ranks, work.block_bytes, algorithm=work.algorithm)


def _grid_halo(work: kinds.GridHalo, ranks: int) -> Schedule:
    from halcyon import schedule

    nx, ny, nz = work.grid
    automatic = work.ranks == "auto"
    shape = divided(ranks, (nx, ny), ratio=nx / ny) if automatic else given_shape(work.ranks, ranks)
    item_bytes = work.item_bytes * nz
    return schedule.grid_halo((nx, ny), shape, width=work.width, item_bytes=item_bytes, order=work.order)


def _mesh_halo(work: kinds.MeshHalo, ranks: int) -> Schedule:
    from halcyon import schedule

    return schedule.messages(volumes_of(work, ranks), order=work.order)


def _allreduce(work: kinds.Allreduce, ranks: int) -> Schedule:
    from halcyon import schedule

    once = schedule.allreduce(ranks, bytes=work.data_bytes, radix=work.radix)
    return once if work.repetitions == 1 else schedule.repeated(once, work.repetitions)


def _gcr(work: kinds.Gcr, ranks: int) -> Schedule:
    from halcyon import schedule

    return schedule.gcr(
        ranks,
        iterations=work.iterations,
        directions=work.directions,
        radix=work.radix,
        numbers=work.numbers,
        compute_s=work.computation,
    )


def _replay(work: kinds.Replay, ranks: int | None) -> Schedule:
    with about("workload", "file"):
        recorded = _recorded(work.file, work.file.stat().st_mtime_ns if work.file.is_file() else 0)
    if ranks not in (None, recorded.n_ranks):
        with about("ranks"):
            raise ConfigError(
                f"ranks = {ranks}, but {work.file} has a run of {recorded.n_ranks}. Leave ranks out."
            )
    return recorded


@functools.lru_cache(maxsize=1)
def _recorded(file: Path, changed_at: int) -> Schedule:
    """A record, which all simulations of a sweep share."""
    from halcyon import schedule

    return schedule.read_record(file)
