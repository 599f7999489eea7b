"""Cost of the halo exchanges of a run: numbers of cells, messages and bytes, in total and between nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError
from halcyon.decomposition.nodes import traffic
from halcyon.decomposition.volumes import Volumes, halo_volumes

if TYPE_CHECKING:
    from halcyon.mesh import Mesh


# Maximum of each numeric member of Exchange.
MAXIMA = {"bins": 10**6, "bytes_per_value": 1000, "layers": 100, "steps": 10**9}
# Values of Exchange.on, and the singular of each.
LOCATIONS = {"cells": "cell", "edges": "edge", "vertices": "vertex"}


@dataclass(frozen=True)
class Exchange:
    """Definition of a halo exchange: `bins` values of `bytes_per_value` bytes at each cell, edge or vertex
    (`on`) of a halo of `layers` layers, in each of `steps` time steps.

    Raises ConfigError for numbers below 1 or above MAXIMA, and for an unknown location `on`."""

    bins: int = 1260
    bytes_per_value: int = 4
    layers: int = 1
    steps: int = 60
    on: str = "cells"

    def __post_init__(self) -> None:
        for name, maximum in MAXIMA.items():
            value = getattr(self, name)
            if not 1 <= value <= maximum:
                raise ConfigError(f"{name} is {value}, but must be at least 1, at most {maximum:,}.")
        if self.on not in LOCATIONS:
            raise ConfigError(f"on is '{self.on}', but must be one of {', '.join(LOCATIONS)}.")

    @property
    def item_bytes(self) -> int:
        """Bytes per cell, edge or vertex."""
        return self.bins * self.bytes_per_value

    def volumes(self, mesh: Mesh, owners: np.ndarray, ranks: int) -> Volumes:
        """Returns the messages and bytes of one time step."""
        item = {f"{LOCATIONS[self.on]}_bytes": self.item_bytes}
        return halo_volumes(mesh, owners, ranks, layers=self.layers, **item)

    def owned(self, mesh: Mesh, owners: np.ndarray, ranks: int) -> np.ndarray:
        """Returns the number of cells, edges or vertices that each rank owns, (rank). An edge or vertex is
        owned by the lowest rank that owns a cell on it."""
        if self.on == "cells":
            return np.bincount(owners, minlength=ranks)
        cells = np.asarray(mesh.cells_on_edge if self.on == "edges" else mesh.cells_on_vertex)
        cell_owners = np.where(cells >= 0, owners[cells], ranks)
        return np.bincount(cell_owners.min(axis=1), minlength=ranks)


def cost(owned: np.ndarray, volumes: Volumes, exchange: Exchange) -> dict[str, Any]:
    """Returns the cost of an exchange, for JSON. owned, volumes: results of `Exchange.owned` and `volumes`.

    `cells_owned`, `cells_halo` (`edges_owned`, ... for an exchange on edges), `messages`, `bytes_received`
    and `bytes_sent` (per rank and step) are {min, mean, max} over ranks. `bytes_total`: sum over all ranks
    and steps. `imbalance_cells` and `imbalance_bytes`: maximum over mean. `symmetric`: whether every rank
    receives from exactly the ranks to which it sends."""
    received = volumes.received(volumes.bytes)
    return {
        "ranks": volumes.n_ranks,
        f"{exchange.on}_owned": spread(owned),
        f"{exchange.on}_halo": spread(received // exchange.item_bytes),
        "messages": spread(volumes.received(volumes.messages)),
        "bytes_received": spread(received),
        "bytes_sent": spread(volumes.sent(volumes.bytes)),
        "bytes_total": int(received.sum()) * exchange.steps,
        f"imbalance_{exchange.on}": max_over_mean(owned),
        "imbalance_bytes": max_over_mean(received),
        "symmetric": volumes.is_symmetric(),
    }


def between_nodes(volumes: Volumes, node_of: np.ndarray) -> dict[str, Any]:
    """Returns the traffic between nodes per step, for JSON: see `Traffic`. node_of: node of each rank."""
    result = traffic(volumes, node_of)
    return {
        "nodes": len(result.node_bytes),
        "links": result.links,
        "node_links": spread(result.node_links),
        "bytes_between": result.bytes_between,
        "bytes_within": result.bytes_within,
        "node_bytes": spread(result.node_bytes),
        "busiest": result.busiest,
    }


def spread(values: np.ndarray) -> dict[str, float]:
    """Returns the minimum, mean and maximum."""
    return {"min": int(values.min()), "mean": float(values.mean()), "max": int(values.max())}


def max_over_mean(values: np.ndarray) -> float:
    """Returns the maximum over the mean; 1 if all values are 0."""
    return float(values.max() / values.mean()) if values.any() else 1.0
