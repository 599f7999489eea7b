"""Functions that several commands use: tables, lists of numbers, and partitions by METIS or from files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from halcyon import graph
from halcyon.base import ConfigError, InputError, printable

if TYPE_CHECKING:
    from halcyon.mesh import Mesh


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table that fits the terminal; plain columns if the output is not a terminal."""
    rows = [[*map(printable, row)] for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*titles, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*row)
        Console(markup=False).print(table)
        return
    lines = [titles, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        typer.echo("  ".join(cells).rstrip())


def print_rows(rows: Iterable[Mapping[str, str]]) -> None:
    """Prints rows (title -> cell) as a table; all rows have the same titles."""
    table = list(rows)
    print_table(list(table[0]), [list(row.values()) for row in table])


def whole_numbers(option: str, text: str) -> list[int]:
    """The numbers of `8,64,512` without duplicates. Raises ConfigError for numbers below 1."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and len(word) < 19 and int(word) > 0 for word in words):
        raise ConfigError(f"{option} {text}: give whole numbers from 1 on with commas between, such as 8,64.")
    return list(dict.fromkeys(map(int, words)))


def owners_of(
    mesh: Mesh, ranks: Sequence[int], files: Sequence[Path], partition: Mapping[str, Any]
) -> dict[int, np.ndarray]:
    """Returns the owner of each cell for each number of ranks: read from `files`, or without files computed
    by METIS.

    partition: options of `halcyon.graph.partition`. Raises ConfigError for more ranks than cells and for two
    files with the same number of ranks, InputError for a file that is not a partition of the mesh."""
    from halcyon.mesh import read_partition
    from halcyon.run.prepare import check_ranks

    if not files:
        for n_ranks in ranks:
            check_ranks(n_ranks, mesh.n_cells)
        adjacency = mesh.cell_offsets, mesh.cells_on_cell
        return {n_ranks: graph.partition(*adjacency, n_ranks, **partition) for n_ranks in ranks}
    owners_by_ranks: dict[int, np.ndarray] = {}
    for file in files:
        owners = np.asarray(read_partition(file, mesh.n_cells))
        n_ranks = int(owners.max()) + 1
        if n_ranks in owners_by_ranks:
            raise ConfigError(
                f"--partition-file {file}: another file has {n_ranks} parts, too. Give only one of them."
            )
        owners_by_ranks[n_ranks] = owners
    return owners_by_ranks


def require_one_source(ranks: str | int | None, files: Sequence[Path]) -> None:
    """Raises ConfigError if both a number of ranks and partition files are given."""
    if ranks is not None and files:
        raise ConfigError(
            f"--ranks {ranks} does not go with --partition-file, which fixes the number of ranks. Leave one "
            "out."
        )


@contextmanager
def suggesting_variables(option: str) -> Iterator[None]:
    """Adds the option and the variable that was probably meant to the error of an unknown variable."""
    from halcyon.config.abbreviations import did_you_mean
    from halcyon.io.attributes import UnknownVariableError

    try:
        yield
    except UnknownVariableError as error:
        similar = did_you_mean(error.name, error.known)
        hint = f" Did you mean '{similar}'?" if similar else ""  # the error lists the known names
        raise InputError(f"{option} {error.name}: {error}{hint}") from None


def is_netcdf(path: Path) -> bool:
    """Whether a file begins with the signature of netCDF-3, CDF-5 or HDF5."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4).startswith((b"CDF", b"\x89HDF"))
