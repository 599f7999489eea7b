"""From the options of a simulation to what the engine takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, InputError
from halcyon.config import workload as kinds
from halcyon.config.network import GivenPlacement
from halcyon.config.simulation import Simulation

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
    """Makes what a case asks for. Raises ConfigError where options do not go together."""
    from halcyon import network

    schedule = schedule_of(case)
    topology, machine = network_of(case)
    routing = network.make_routing(topology, case.routing or case.machine.routing, case.engine.seed)
    return Built(schedule, topology, routing, machine, _placement(case, topology, schedule))


def network_of(case: Simulation) -> tuple[network.Topology, network.Machine]:
    """The network of a case, and how fast it is. Raises ConfigError where the case has none."""
    chosen = case.topology or case.machine.topology
    if chosen is None:
        raise ConfigError(
            f"topology is missing, and the machine '{case.machine.name or case.machine.base}' has none. Give "
            f"one, such as topology: fattree-M."
        )
    topology = chosen.made()
    return topology, case.machine.speeds(topology)


def schedule_of(case: Simulation) -> Schedule:
    """What the ranks do. Raises ConfigError for a number of ranks that the workload cannot have."""
    work = case.workload
    if isinstance(work, kinds.Replay):
        return _replay(work, case.ranks)
    if case.ranks is None:
        raise ConfigError("ranks is missing: how many run. Give it; only a replay goes without.")
    makers: dict[type, Callable[[Any, int], Schedule]] = {
        kinds.Transposition: _transposition,
        kinds.Alltoall: _alltoall,
        kinds.GridHalo: _grid_halo,
        kinds.MeshHalo: _mesh_halo,
        kinds.Allreduce: _allreduce,
        kinds.Gcr: _gcr,
    }
    return makers[type(work)](work, case.ranks)


def _transposition(work: kinds.Transposition, ranks: int) -> Schedule:
    from halcyon import schedule

    nx, ny, nz = work.grid
    most = min(nx, ny, nz), min(nx, ny)
    shape = divided(ranks, most, ratio=1.0) if work.ranks == "auto" else _given(work.ranks, ranks)
    options = {"algorithm": work.algorithm, "item_bytes": work.item_bytes, "item_s": work.computation}
    return schedule.transposition((nx, ny, nz), shape, **options)


def _alltoall(work: kinds.Alltoall, ranks: int) -> Schedule:
    from halcyon import schedule

    return schedule.alltoall(ranks, work.block_bytes, algorithm=work.algorithm)


def _grid_halo(work: kinds.GridHalo, ranks: int) -> Schedule:
    from halcyon import schedule

    nx, ny, nz = work.grid
    shape = divided(ranks, (nx, ny), ratio=nx / ny) if work.ranks == "auto" else _given(work.ranks, ranks)
    item_bytes = work.item_bytes * nz
    return schedule.grid_halo((nx, ny), shape, width=work.width, item_bytes=item_bytes, order=work.order)


def _mesh_halo(work: kinds.MeshHalo, ranks: int) -> Schedule:
    from halcyon import schedule
    from halcyon.simulate.mesh_volumes import volumes_of

    once = schedule.messages(volumes_of(work, ranks), order=work.order, compute_s=work.computation)
    return once if work.steps == 1 else schedule.repeated(once, work.steps)


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
    from halcyon import schedule

    recorded = schedule.read_record(work.file)
    if ranks not in (None, recorded.n_ranks):
        raise ConfigError(
            f"ranks = {ranks}, but {work.file} has a run of {recorded.n_ranks}. Leave ranks out."
        )
    return recorded


def divided(ranks: int, most: tuple[int, int], *, ratio: float) -> tuple[int, int]:
    """Ranks along x and y, at most so many, whose quotient is as near to `ratio` as can be.

    Raises ConfigError where the number cannot be divided so, naming one that can."""
    found = _division(ranks, most, ratio)
    if found is not None:
        return found
    near = next(
        (n for away in range(1, ranks) for n in (ranks - away, ranks + away) if _division(n, most, ratio)),
        None,
    )
    advice = f" Take {near}." if near else ""
    raise ConfigError(
        f"ranks = {ranks} cannot be divided into at most {most[0]} along x and {most[1]} along y, as the "
        f"grid needs.{advice}"
    )


def _division(ranks: int, most: tuple[int, int], ratio: float) -> tuple[int, int] | None:
    divisors = [d for d in range(1, math.isqrt(ranks) + 1) if ranks % d == 0]
    shapes = {(d, ranks // d) for d in divisors} | {(ranks // d, d) for d in divisors}
    fitting = [(x, y) for x, y in shapes if x <= most[0] and y <= most[1]]
    return min(fitting, key=lambda shape: (abs(math.log(shape[0] / shape[1] / ratio)), shape), default=None)


def _given(shape: list[int], ranks: int) -> tuple[int, int]:
    x, y = shape
    if x < 1 or y < 1 or x * y != ranks:
        raise ConfigError(f"workload.ranks = [{x}, {y}] makes {x * y} ranks, but ranks = {ranks}.")
    return x, y


def _placement(case: Simulation, topology: network.Topology, schedule: Schedule) -> network.Placement:
    from halcyon import network

    wanted, per_node = case.placement or case.machine.placement, case.machine.ranks_per_node
    if isinstance(wanted, GivenPlacement):
        return network.Placement(topology, _nodes_of(wanted.file), per_node)
    if wanted == "random":
        return network.random_placement(topology, schedule.n_ranks, per_node, case.engine.seed)
    if wanted == "mapped":
        return network.mapped_placement(topology, schedule, per_node)
    return network.linear_placement(topology, schedule.n_ranks, per_node)


def _nodes_of(file: Path) -> np.ndarray:
    try:
        return np.array([int(line) for line in file.read_text().split()], np.int32)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{file} gives no placement ({error}). Write the node of each rank, a line a rank."
        ) from None
