"""The options of `halcyon partition`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli.mesh_argument import MeshName


def partition(
    mesh: MeshName,
    parts: Annotated[
        str, typer.Option(metavar="N[,N...]", help="Numbers of parts, such as 8,64.", show_default=False)
    ],
    method: Annotated[str, typer.Option(metavar="METHOD", help="kway or recursive, of METIS.")] = "kway",
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of its random choices.")] = 1,
    contiguous: Annotated[bool, typer.Option("--contiguous", help="Each part in one piece.")] = False,
    ranks_per_node: Annotated[
        int | None,
        typer.Option(metavar="M", min=1, help="Cut among nodes of M ranks first.", show_default=False),
    ] = None,
    cell_weights: Annotated[
        str | None,
        typer.Option(
            metavar="VAR|FILE",
            help="Work of a cell: a variable of MESH, or a text file, a line each.",
            show_default=False,
        ),
    ] = None,
    edge_weights: Annotated[
        str | None,
        typer.Option(metavar="VAR|FILE", help="Traffic across an edge, likewise.", show_default=False),
    ] = None,
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Of the files.")] = Path("."),
) -> None:
    """Share the cells of a mesh out: write graph.info.part.N, and say what each partition is like."""
    from halcyon.cli.partition import partition_mesh

    options = {"method": method, "seed": seed, "contiguous": contiguous}
    weighed = {"cell": cell_weights, "edge": edge_weights}
    partition_mesh(mesh, parts, options, ranks_per_node, output, weighed)
