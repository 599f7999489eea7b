"""Methods to write and read a field on many ranks: the layouts of `halcyon.io`."""

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


class IoMethod(Protocol):
    """Writes and reads a field in one layout. All functions are collective."""

    description: str

    def write(self, path: str, values: np.ndarray) -> None:
        """Writes a file of values float64 (owned cell, level)."""

    def read(self, path: str, values: np.ndarray) -> None:
        """Reads the values of the owned cells."""


IoMethodFactory = Callable[["MPI.Comm", np.ndarray, int, int], IoMethod]


class HalcyonIo:
    """`halcyon.io` with some options; the file has checksums and is on disk when it is renamed to its
    path."""

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, n_cells: int, levels: int, options: IoOptions):
        from halcyon.comm import communicator

        self._ranks = io_ranks(communicator(comm), options, n_bytes=8 * n_cells * levels)
        self._placement = Placement(self._ranks, ids, n_cells)
        self._schema = Schema()
        self._schema.dimension("cell", n_cells)
        self._schema.dimension("level", levels)
        self._schema.variable(FIELD, Type.float64, ["cell", "level"])
        self.description = self._ranks.description

    def write(self, path: str, values: np.ndarray) -> None:
        writer = Writer(self._ranks, path, self._schema, 0)
        writer.write(-1, self._placement, [(FIELD, values)])
        writer.close()
        writer.wait()

    def read(self, path: str, values: np.ndarray) -> None:
        reader = Reader(self._ranks, path)
        reader.read(-1, self._placement, [(FIELD, values)])
        reader.close()


def layout_names(ranks: int) -> list[str]:
    """Names of all layouts that `ranks` ranks can use."""
    groups = [f"groups of {n}" for n in GROUPS if n <= ranks]
    return ["direct", *groups, *(f"box of {n}" for n in BOXES if n <= ranks), "gather", "auto"]


def factory_named(name: str) -> IoMethodFactory:
    """Factory of `direct`, `groups of N`, `box of N`, `gather` or `auto`. Raises ConfigError for another
    name."""
    found = re.fullmatch(r"(direct|gather|auto|(groups|box) of ([1-9]\d*))", name)
    if found is None:
        raise ConfigError(f"There is no layout '{name}'. Give direct, groups of N, box of N, gather or auto.")
    chosen: dict[str, Any] = {"layout": found[2] or found[1], "background": False}
    if found[2] is not None:
        chosen["group_size" if found[2] == "groups" else "ranks"] = int(found[3])
    options = IoOptions(**chosen)
    return lambda comm, ids, n_cells, levels: HalcyonIo(comm, ids, n_cells, levels, options)
