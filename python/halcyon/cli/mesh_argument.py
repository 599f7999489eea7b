"""MESH on a command line: a file, the YAML file of a case or a mesh, or the name of a mesh of the globe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

TOLERANCE = 1e-4  # of named meshes: which cells are neighbours counts, not where they are to the metre

MeshName = Annotated[
    str,
    typer.Argument(
        metavar="MESH",
        help="A mesh file (MPAS, GRIST), a name such as G7 or G8X4, or a YAML file with a mesh.",
        show_default=False,
    ),
]


def mesh_of(what: str) -> Mesh:
    """The mesh of a file (MPAS, GRIST), of a YAML file (made, or found in the cache), or else of a name such
    as G7 or G8X4.

    Raises InputError for a file that has none, ConfigError for other names and a YAML file's mistakes."""
    from halcyon.base import ConfigError
    from halcyon.cli.mesh_options import is_level
    from halcyon.mesh import read_mesh

    if is_level(what) and not Path(what).exists():
        return named_mesh(what)
    if not Path(what).exists():
        raise ConfigError(f"'{what}' is neither a file nor the name of a mesh. Give one such as G7 or G8X4.")
    return _described_mesh(Path(what)) if what.endswith((".yaml", ".yml")) else read_mesh(Path(what))


def _described_mesh(path: Path) -> Mesh:
    """That of a case, or of a file that has only `mesh:`."""
    from halcyon.config.load import load_case, load_mesh
    from halcyon.mesh import read_mesh
    from halcyon.mesh.cache import mesh_for
    from halcyon.run.prepare import prepare_mesh

    alone = load_mesh(path)
    if alone is not None:
        return read_mesh(mesh_for(alone.spec()))
    return read_mesh(prepare_mesh(load_case(path), lambda text: None))


def named_mesh(name: str) -> Mesh:
    """The mesh of a name such as G7 or G8X4. Raises ConfigError for another name."""
    from halcyon.cli.mesh_options import level_and_ratio
    from halcyon.mesh import MeshSpec, Zoom, make

    level, ratio = level_and_ratio(name)
    zoom = None if ratio is None else Zoom(ratio=ratio)
    return make(MeshSpec(level=level, zoom=zoom, tolerance=TOLERANCE))
