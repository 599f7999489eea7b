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
EDGES, VERTICES = 3, 2  # per cell, on a large closed mesh (Euler's formula)


@dataclass(frozen=True)
class Case:
    """A field, float64 (item, level), on a mesh that METIS partitions among the ranks.

    Raises ConfigError for an unknown order or kind of items, and for counts below 1."""

    mesh: str = "G7"  # name of the mesh, such as G7 or G8X4
    levels: int = 6
    order: str = "shuffled"  # of items in the file: along a Hilbert curve (natural), or random (shuffled)
    ranks: int = 16
    items: str = "cells"  # cells; or all: cells, 3 edges and 2 vertices per cell, as in a dynamical core

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
    """The case as a dictionary for the ranks of the job, with the path of the file of cell owners. Partitions
    the mesh unless the partition is in the cache.

    Raises ConfigError for an unknown mesh, or one with fewer cells than ranks."""
    return asdict(case) | {"owners": str(_owners_file(case))}


def global_ids(request: Mapping[str, Any], rank: int) -> tuple[np.ndarray, int]:
    """The positions of a rank's items in the file, int64, and the number of items of all ranks."""
    owners = np.load(request["owners"])
    if request["items"] == "all":
        owners = np.concatenate([owners, np.repeat(owners, EDGES), np.repeat(owners, VERTICES)])
    ids = np.flatnonzero(owners == rank)
    if request["order"] == "shuffled":
        ids = np.random.default_rng(1).permutation(len(owners))[ids]
    return ids.astype(np.int64), len(owners)


def _owners_file(case: Case) -> Path:
    """Path of the cached file with the owner rank of each cell, int32 (cell)."""
    path = cache_folder() / f"owners_{case.mesh.upper()}_{case.ranks}.npy"
    if not path.exists():
        mesh = named_mesh(case.mesh)
        owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, case.ranks)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}.npy")
        np.save(unfinished, np.asarray(owners, np.int32))
        unfinished.rename(path)
    return path
