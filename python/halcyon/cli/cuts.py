"""Partitions that a command line asks for: made by METIS, or of files `graph.info.part.N`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.mesh import Mesh


def owners_of(
    mesh: Mesh, ranks: Sequence[int], files: Sequence[Path], partition: Mapping[str, Any]
) -> dict[int, np.ndarray]:
    """The rank (cell) that owns each, by the number of ranks: of files where there are any, else of METIS.

    partition: options of `halcyon.graph.partition`. Raises ConfigError for more ranks than cells and two
    files of the same number, InputError for a file that is no partition of the mesh."""
    from halcyon import graph
    from halcyon.mesh import read_partition
    from halcyon.run.prepare import check_ranks

    if not files:
        for n_ranks in ranks:
            check_ranks(n_ranks, mesh.n_cells)
        lists = mesh.cell_offsets, mesh.cells_on_cell
        return {n_ranks: graph.partition(*lists, n_ranks, **partition) for n_ranks in ranks}
    found: dict[int, np.ndarray] = {}
    for file in files:
        owners = np.asarray(read_partition(file, mesh.n_cells))
        n_ranks = int(owners.max()) + 1
        if n_ranks in found:
            raise ConfigError(f"--partition-file {file}: there is another one of {n_ranks} parts. Give one.")
        found[n_ranks] = owners
    return found


def require_one_way(ranks: str | int | None, files: Sequence[Path]) -> None:
    """Raises ConfigError where both a number of ranks and files are given."""
    if ranks is not None and files:
        raise ConfigError(
            f"--ranks {ranks} does not go with --partition-file, which has its parts. Leave one out."
        )
