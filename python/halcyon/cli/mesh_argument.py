"""MESH on a command line: a file, or the name of a mesh of the globe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

TOLERANCE = 1e-4  # of named meshes: which cells are neighbours counts, not where they are to the metre


def mesh_of(what: str) -> Mesh:
    """The mesh of a file (MPAS, GRIST), or else of a name such as G7 or G8X4.

    Raises InputError for a file that has none, ConfigError for other names."""
    from halcyon.cli.mesh_options import is_level
    from halcyon.mesh import read_mesh

    if is_level(what) and not Path(what).exists():
        return named_mesh(what)
    if not Path(what).exists():
        raise ConfigError(f"'{what}' is neither a file nor the name of a mesh. Give one such as G7 or G8X4.")
    return read_mesh(Path(what))


def named_mesh(name: str) -> Mesh:
    """The mesh of a name such as G7 or G8X4. Raises ConfigError for another name."""
    from halcyon.cli.mesh_options import level_and_ratio
    from halcyon.mesh import MeshSpec, Zoom, make

    level, ratio = level_and_ratio(name)
    zoom = None if ratio is None else Zoom(ratio=ratio)
    return make(MeshSpec(level=level, zoom=zoom, tolerance=TOLERANCE))
