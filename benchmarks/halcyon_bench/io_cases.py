"""Cases of `halcyon bench io`: a field on a mesh that METIS partitions among the ranks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon import graph
from halcyon.base import ConfigError, cache_folder
from halcyon.mesh.named import named_mesh

ORDERS = ("shuffled", "natural")
ITEMS = ("cells", "all")
EDGES, VERTICES = 3, 2  # per cell, on a large closed mesh (Euler)


@dataclass(frozen=True)
class Case:
    """A field, float64 (item, level), on a mesh such as G7 or G8X4, partitioned by METIS.

    Items are the `cells`, or `all`: cells, three times as many edges and twice as many vertices, as in a
    dynamical core. The file stores them along a Hilbert curve (`natural`) or in random order (`shuffled`).
    Raises ConfigError for another order, other items, and counts below 1."""

    mesh: str = "G7"
    levels: int = 6
    order: str = "shuffled"
    ranks: int = 16
    items: str = "cells"

    def __post_init__(self):
        for name, known in (("order", ORDERS), ("items", ITEMS)):
            if getattr(self, name) not in known:
                raise ConfigError(
                    f"{name} is '{getattr(self, name)}', but must be one of {', '.join(known)}."
                )
        for name in ("levels", "ranks"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be at least 1.")

    def __str__(self):
        return f"{self.mesh} x {self.levels}, {self.items}, {self.order}, {self.ranks} ranks"


def request_of(case: Case) -> dict[str, Any]:
    """The description of a case for the ranks; partitions the mesh unless the partition is in the cache.

    Raises ConfigError for an unknown mesh, or one with fewer cells than ranks."""
    return asdict(case) | {"owners": str(_owners_file(case))}


def global_ids(request: Mapping[str, Any], rank: int) -> tuple[np.ndarray, int]:
    """The global ids int64 of a rank's items, and the number of items of all ranks."""
    owners = np.load(request["owners"])
    if request["items"] == "all":
        owners = np.concatenate([owners, np.repeat(owners, EDGES), np.repeat(owners, VERTICES)])
    ids = np.flatnonzero(owners == rank)
    if request["order"] == "shuffled":
        ids = np.random.default_rng(1).permutation(len(owners))[ids]
    return ids.astype(np.int64), len(owners)


def _owners_file(case: Case) -> Path:
    """Path of the cached owner of each cell, int32 (cell)."""
    path = cache_folder() / f"owners_{case.mesh.upper()}_{case.ranks}.npy"
    if not path.exists():
        mesh = named_mesh(case.mesh)
        owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, case.ranks)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.npy")
        np.save(part, np.asarray(owners, np.int32))
        part.rename(path)
    return path
