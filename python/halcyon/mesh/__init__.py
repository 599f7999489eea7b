"""Meshes of the sphere and its regions, with MPAS' names and conventions.

What makes meshes, by geometries of shapely, is imported when it is first used.
"""

from importlib import import_module

from halcyon._core.mesh import (
    Identities,
    Mesh,
    Quality,
    Triangulation,
    clean,
    cut,
    identities,
    is_plain,
    ordered,
    quality,
    read_grist,
    read_mesh,
    read_mpas,
    read_partition,
    require_whole,
    select,
    triangulation_of,
    voronoi_mesh,
    write_graph_info,
    write_mpas,
    write_partition,
)
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
    "clean",
    "cut",
    "expected_cells",
    "identities",
    "is_plain",
    "make",
    "ordered",
    "quality",
    "read_grist",
    "read_mesh",
    "read_mpas",
    "read_partition",
    "require_whole",
    "select",
    "triangulation_of",
    "uniform",
    "voronoi_mesh",
    "write_graph_info",
    "write_mpas",
    "write_partition",
    "write_ugrid",
]


_LOADED_AT_USE = {
    "expected_cells": "halcyon.mesh.target",
    "make": "halcyon.mesh.making",
    "uniform": "halcyon.mesh.making",
    "write_ugrid": "halcyon.mesh.ugrid",
}


def __getattr__(name):
    if name not in _LOADED_AT_USE:
        raise AttributeError(f"module 'halcyon.mesh' has no attribute '{name}'")
    return getattr(import_module(_LOADED_AT_USE[name]), name)
