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
PLACES = {"cells": "cell", "edges": "edge", "vertices": "vertex"}


@dataclass(frozen=True)
class Exchange:
    """What is exchanged: `bins` values of `bytes_per_value` at each cell of a halo of `layers` (or each edge
    or vertex: `on`), at each of `steps` steps.

    Raises ConfigError for numbers below 1 and beyond MOST, and where `on` is none of PLACES."""

    bins: int = 1260
    bytes_per_value: int = 4
    layers: int = 1
    steps: int = 60
    on: str = "cells"

    def __post_init__(self):
        for name, most in MOST.items():
            value = getattr(self, name)
            if not 1 <= value <= most:
                raise ConfigError(f"{name} is {value}, but must be at least 1, at most {most:,}.")
        if self.on not in PLACES:
            raise ConfigError(f"on is '{self.on}', but must be one of {', '.join(PLACES)}.")

    @property
    def item_bytes(self) -> int:
        """At a cell, edge or vertex."""
        return self.bins * self.bytes_per_value

    def volumes(self, mesh: Mesh, owners: np.ndarray, ranks: int) -> Volumes:
        """Of one step."""
        item = {f"{PLACES[self.on]}_bytes": self.item_bytes}
        return halo_volumes(mesh, owners, ranks, layers=self.layers, **item)

    def owned(self, mesh: Mesh, owners: np.ndarray, ranks: int) -> np.ndarray:
        """The cells, edges or vertices (rank) of each rank; the smallest that owns a cell there has it."""
        if self.on == "cells":
            return np.bincount(owners, minlength=ranks)
        cells = np.asarray(mesh.cells_on_edge if self.on == "edges" else mesh.cells_on_vertex)
        ranks_there = np.where(cells >= 0, owners[cells], ranks)
        return np.bincount(ranks_there.min(axis=1), minlength=ranks)


def cost(owned: np.ndarray, volumes: Volumes, exchange: Exchange) -> dict[str, Any]:
    """What the ranks of a run hold and receive, in numbers that JSON takes. owned (rank): see `Exchange`.

    Each of `cells_owned`, `cells_halo` (`edges_owned`, ... where the exchange is on these), `messages`,
    `bytes_received` and `bytes_sent` (a rank and step) is {min, mean, max} over ranks. `bytes_total`: of all
    ranks and steps. `imbalance_cells` and `imbalance_bytes`: the most of a rank over the mean."""
    received = volumes.received(volumes.bytes)
    return {
        "ranks": volumes.n_ranks,
        f"{exchange.on}_owned": spread(owned),
        f"{exchange.on}_halo": spread(received // exchange.item_bytes),
        "messages": spread(volumes.received(volumes.messages)),
        "bytes_received": spread(received),
        "bytes_sent": spread(volumes.sent(volumes.bytes)),
        "bytes_total": int(received.sum()) * exchange.steps,
        f"imbalance_{exchange.on}": over_mean(owned),
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
