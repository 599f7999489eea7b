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
GROUPS, BOXES = (2, 4, 8, 16), (2, 4, 8, 16)  # measured group sizes; numbers of I/O ranks of `box`


class IoMethod(Protocol):
    """Writes and reads a field float64 (owned item, level) in one layout. All functions are collective."""

    description: str

    def write(self, path: str, values: np.ndarray) -> None:
        """Writes the values to a new file."""

    def read(self, path: str, values: np.ndarray) -> None:
        """Reads the file into `values`."""


# Arguments: communicator, global ids of the owned items, number of items of all ranks, number of levels.
IoMethodFactory = Callable[["MPI.Comm", np.ndarray, int, int], IoMethod]


class HalcyonIo:
    """`halcyon.io` with given options. The file has checksums, and is flushed to disk before it is renamed to
    its path."""

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
    """Factory of the layout `direct`, `groups of N`, `box of N`, `gather` or `auto`. Raises ConfigError for
    another name."""
    match = re.fullmatch(r"(direct|gather|auto|(groups|box) of ([1-9]\d*))", name)
    if match is None:
        raise ConfigError(f"There is no layout '{name}'. Give direct, groups of N, box of N, gather or auto.")
    settings: dict[str, Any] = {"layout": match[2] or match[1], "background": False}
    if match[2] is not None:
        settings["group_size" if match[2] == "groups" else "ranks"] = int(match[3])
    options = IoOptions(**settings)
    return lambda comm, ids, n_cells, levels: HalcyonIo(comm, ids, n_cells, levels, options)
