"""`halcyon schedule`: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli.mesh_argument import MeshName

Layers = Annotated[int, typer.Option(metavar="L", help="Layers of halo cells.")]
Method = Annotated[str, typer.Option(metavar="METHOD", help="Of METIS: kway or recursive.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=2**31 - 1, help="Of METIS.")]
PartitionFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--partition-file",
        metavar="FILE",
        help="Take the parts of a file graph.info.part.N instead of METIS'; may be repeated.",
        show_default=False,
    ),
]


def schedule(
    mesh: MeshName,
    ranks: Annotated[
        str | None, typer.Option(metavar="N,N,...", help="Numbers of ranks; by default 8,64,512.")
    ] = None,
    partition_files: PartitionFiles = None,
    bins: Annotated[int, typer.Option(metavar="N", help="Values of a cell: 35 x 36 of a spectrum.")] = 1260,
    bytes_per_value: Annotated[int, typer.Option(metavar="N", help="4 for float, 8 for double.")] = 4,
    on: Annotated[str, typer.Option(help="Where values live: cells, edges or vertices.")] = "cells",
    layers: Layers = 1,
    steps: Annotated[int, typer.Option(metavar="N", help="Exchanges, one a step.")] = 60,
    ranks_per_node: Annotated[
        int | None,
        typer.Option(metavar="N", help="Tell what goes between nodes of so many ranks.", show_default=False),
    ] = None,
    method: Method = "kway",
    seed: Seed = 1,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Draw volumes.png and distribution.png there.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Tell what runs on many ranks would exchange: cells, messages and bytes a rank.

    The mesh is cut by METIS, or as files say, and the halo exchange of every rank is counted here, without
    any run."""
    from halcyon.cli.schedule import tell
    from halcyon.decomposition.cost import Exchange

    exchange = Exchange(bins=bins, bytes_per_value=bytes_per_value, layers=layers, steps=steps, on=on)
    partition = {"method": method, "seed": seed}
    tell(
        mesh,
        ranks,
        partition_files or [],
        exchange,
        partition,
        ranks_per_node=ranks_per_node,
        folder=plot,
        as_json=as_json,
    )
