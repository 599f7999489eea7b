"""Global meshes by name: G7 is the uniform mesh of 10 * 4^7 + 2 cells; G8X4 has as many cells as G8 and is
refined around a circle, with a ratio of 4 of coarse to fine spacing."""

from __future__ import annotations

import re

from halcyon import mesh
from halcyon.base import ConfigError
from halcyon.mesh import Mesh, MeshSpec, Zoom

TOLERANCE = 1e-4  # mean move over the local spacing; only adjacency matters here, not exact positions
_LEVEL = re.compile(r"[gG](\d{1,9})(?:[xX](\d{1,9}(?:\.\d{1,9})?))?")


def is_named_mesh(name: str | None) -> bool:
    """Whether `name` is the name of a global mesh, such as G7 or G8X4."""
    return name is not None and _LEVEL.fullmatch(name) is not None


def level_and_ratio(name: str | None) -> tuple[int | None, float | None]:
    """Returns the level of a mesh such as G7 or G8X4, and the ratio of spacings or None. Raises ConfigError
    for other names."""
    if name is None:
        return None, None
    found = _LEVEL.fullmatch(name)
    if found is None:
        raise ConfigError(
            f"'{name}' is neither a file nor the name of a mesh. Give G0..G10, a name such as G8X4, or a "
            "YAML file; or leave it out and give --points or --spacing."
        )
    return int(found[1]), None if found[2] is None else float(found[2])


def named_mesh(name: str) -> Mesh:
    """Generates the mesh with a name such as G7 or G8X4. Raises ConfigError for other names."""
    level, ratio = level_and_ratio(name)
    zoom = None if ratio is None else Zoom(ratio=ratio)
    return mesh.make(MeshSpec(level=level, zoom=zoom, tolerance=TOLERANCE))
