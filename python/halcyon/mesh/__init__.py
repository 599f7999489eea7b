"""Meshes of the sphere and its regions, with MPAS' names and conventions.

The mesh generator, which needs shapely, is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from halcyon._core.mesh import (
    Identities,
    Mesh,
    Quality,
    Triangulation,
    clean_selection,
    cut,
    identities,
    is_canonical,
    ordered,
    quality,
    require_complete,
    select,
    triangulation_of,
    voronoi_mesh,
    write_graph_info,
    write_mpas,
    write_partition,
)
from halcyon._core.mesh import read_grist as _read_grist
from halcyon._core.mesh import read_mesh as _read_mesh
from halcyon._core.mesh import read_mpas as _read_mpas
from halcyon._core.mesh import read_partition as _read_partition
from halcyon.deprecated import provide
from halcyon.mesh.file_reader import guarded
from halcyon.mesh.spacing_spec import Box, ByDepth, ByField, Circle, Spacing, Stretch, Zoom
from halcyon.mesh.spec import Coast, Depth, MeshSpec, Region

__all__ = [
    "Box",
    "ByDepth",
    "ByField",
    "Circle",
    "Coast",
    "Depth",
    "Identities",
    "Mesh",
    "MeshSpec",
    "Quality",
    "Region",
    "Spacing",
    "Stretch",
    "Triangulation",
    "Zoom",
    "clean_selection",
    "cut",
    "expected_cells",
    "identities",
    "is_canonical",
    "make",
    "ordered",
    "quality",
    "read_grist",
    "read_mesh",
    "read_mpas",
    "read_partition",
    "require_complete",
    "select",
    "triangulation_of",
    "uniform",
    "voronoi_mesh",
    "write_graph_info",
    "write_mpas",
    "write_partition",
    "write_ugrid",
]


read_grist = guarded(_read_grist)
read_mesh = guarded(_read_mesh)
read_mpas = guarded(_read_mpas)
read_partition = guarded(_read_partition)

_LOADED_AT_USE = {
    "expected_cells": "halcyon.mesh.target",
    "make": "halcyon.mesh.generate",
    "uniform": "halcyon.mesh.generate",
    "write_ugrid": "halcyon.mesh.ugrid",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_AT_USE:
        raise AttributeError(f"module 'halcyon.mesh' has no attribute '{name}'")
    return getattr(import_module(_LOADED_AT_USE[name]), name)


provide(__name__)
