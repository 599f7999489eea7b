"""What a run on so many ranks exchanges: cells, messages, bytes, and what of it goes between nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError
from halcyon.decomposition.nodes import traffic
from halcyon.decomposition.volumes import Volumes, halo_volumes

if TYPE_CHECKING:
    from halcyon.mesh import Mesh


MOST = {"bins": 10**6, "bytes_per_value": 1000, "layers": 100, "steps": 10**9}


@dataclass(frozen=True)
class Exchange:
    """What is exchanged: `bins` values of `bytes_per_value` at each cell of a halo of `layers`, at each of
    `steps` steps. Raises ConfigError for numbers below 1 and beyond MOST."""

    bins: int = 1260
    bytes_per_value: int = 4
    layers: int = 1
    steps: int = 60

    def __post_init__(self):
        for name, value in vars(self).items():
            if not 1 <= value <= MOST[name]:
                raise ConfigError(f"{name} is {value}, but must be at least 1, at most {MOST[name]:,}.")

    @property
    def cell_bytes(self) -> int:
        return self.bins * self.bytes_per_value

    def volumes(self, mesh: Mesh, owners: np.ndarray, ranks: int) -> Volumes:
        """Of one step."""
        return halo_volumes(mesh, owners, ranks, layers=self.layers, cell_bytes=self.cell_bytes)


def cost(owners: np.ndarray, volumes: Volumes, exchange: Exchange) -> dict[str, Any]:
    """What the ranks of a run hold and receive, in numbers that JSON takes.

    Each of `cells_owned`, `cells_halo`, `messages`, `bytes_received` and `bytes_sent` (a rank and step) is
    {min, mean, max} over ranks. `bytes_total`: of all ranks and steps. `imbalance_cells` and
    `imbalance_bytes`: the most of a rank over the mean."""
    owned = np.bincount(owners, minlength=volumes.n_ranks)
    received = volumes.received(volumes.bytes)
    return {
        "ranks": volumes.n_ranks,
        "cells_owned": spread(owned),
        "cells_halo": spread(received // exchange.cell_bytes),
        "messages": spread(volumes.received(volumes.messages)),
        "bytes_received": spread(received),
        "bytes_sent": spread(volumes.sent(volumes.bytes)),
        "bytes_total": int(received.sum()) * exchange.steps,
        "imbalance_cells": over_mean(owned),
        "imbalance_bytes": over_mean(received),
        "symmetric": volumes.is_symmetric(),
    }


def between_nodes(volumes: Volumes, node_of: np.ndarray) -> dict[str, Any]:
    """What goes between nodes in a step, in numbers that JSON takes: see `traffic`."""
    found = traffic(volumes, node_of)
    return {
        "nodes": len(found.node_bytes),
        "links": found.links,
        "node_links": spread(found.node_links),
        "bytes_between": found.bytes_between,
        "bytes_within": found.bytes_within,
        "node_bytes": spread(found.node_bytes),
        "busiest": found.busiest,
    }


def spread(values: np.ndarray) -> dict[str, float]:
    """The least, the mean and the most."""
    return {"min": int(values.min()), "mean": float(values.mean()), "max": int(values.max())}


def over_mean(values: np.ndarray) -> float:
    """The most over the mean; 1 where all are 0."""
    return float(values.max() / values.mean()) if values.any() else 1.0
