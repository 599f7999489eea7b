"""Ways to write and read a field on many ranks: each layout of the room `io`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halcyon.base import ConfigError
from halcyon.io import IoOptions, Placement, Reader, Schema, Type, Writer, io_ranks

if TYPE_CHECKING:
    from mpi4py import MPI


FIELD = "field"
GROUPS, BOXES = (2, 4, 8, 16), (2, 4, 8, 16)


class Way(Protocol):
    """A way to write and read a field, on one rank. Made and called by all ranks together."""

    said: str

    def write(self, path: str, values: np.ndarray) -> None:
        """Makes a file of values float64 (owned cell, level)."""

    def read(self, path: str, values: np.ndarray) -> None:
        """Fills the values of the owned cells."""


Maker = Callable[["MPI.Comm", np.ndarray, int, int], Way]


class Ours:
    """The room `io` with some options: a file that is verified, and on the disk when it has its name."""

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, n_cells: int, levels: int, options: IoOptions):
        from halcyon.comm import communicator

        self._ranks = io_ranks(communicator(comm), options, n_bytes=8 * n_cells * levels)
        self._placement = Placement(self._ranks, ids, n_cells)
        self._schema = Schema()
        self._schema.dimension("cell", n_cells)
        self._schema.dimension("level", levels)
        self._schema.variable(FIELD, Type.float64, ["cell", "level"])
        self.said = self._ranks.description

    def write(self, path: str, values: np.ndarray) -> None:
        writer = Writer(self._ranks, path, self._schema, 0)
        writer.write(-1, self._placement, [(FIELD, values)])
        writer.close()
        writer.wait()

    def read(self, path: str, values: np.ndarray) -> None:
        reader = Reader(self._ranks, path)
        reader.read(-1, self._placement, [(FIELD, values)])
        reader.close()


def way_names(ranks: int) -> list[str]:
    """Of all layouts that so many ranks may have."""
    groups = [f"groups of {n}" for n in GROUPS if n <= ranks]
    return ["direct", *groups, *(f"box of {n}" for n in BOXES if n <= ranks), "gather", "auto"]


def maker_of(name: str) -> Maker:
    """Of the way `direct`, `groups of 8`, `box of 2`, `gather` or `auto`. Raises ConfigError for another."""
    found = re.fullmatch(r"(direct|gather|auto|(groups|box) of ([1-9]\d*))", name)
    if found is None:
        raise ConfigError(f"There is no layout '{name}'. Give direct, groups of N, box of N, gather or auto.")
    chosen: dict[str, Any] = {"layout": found[2] or found[1], "background": False}
    if found[2] is not None:
        chosen["group_size" if found[2] == "groups" else "ranks"] = int(found[3])
    options = IoOptions(**chosen)
    return lambda comm, ids, n_cells, levels: Ours(comm, ids, n_cells, levels, options)
