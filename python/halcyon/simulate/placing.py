"""Where the ranks of a simulation run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon import network
from halcyon.base import ConfigError, InputError
from halcyon.config.network import GivenPlacement
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import about

if TYPE_CHECKING:
    from halcyon.schedule import Schedule


def placement_of(
    case: Simulation, topology: network.Topology, n_ranks: int, schedule: Schedule | None = None
) -> network.Placement:
    """Where ranks run; without a schedule as `network.make_placement` does it then."""
    wanted, per_node = case.placement or case.machine.placement, case.machine.ranks_per_node
    with about("ranks"):
        if isinstance(wanted, GivenPlacement):
            return _given_placement(case, wanted.file, topology, n_ranks)
        return network.make_placement(wanted, topology, n_ranks, per_node, case.engine.seed, schedule)


def _given_placement(
    case: Simulation, file: Path, topology: network.Topology, n_ranks: int
) -> network.Placement:
    with about(*(["placement"] if case.placement else ["machine", "placement"])):
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
