"""MESH on a command line: a file, the YAML file of a case or a mesh, or the name of a mesh of the globe."""

from __future__ import annotations

from typing import Annotated

import typer

MeshName = Annotated[
    str,
    typer.Argument(
        metavar="MESH",
        help="A mesh file (MPAS, GRIST), a name such as G7 or G8X4, or a YAML file with a mesh.",
        show_default=False,
    ),
]
