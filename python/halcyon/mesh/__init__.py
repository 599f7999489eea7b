"""Meshes of the sphere and its regions, with MPAS' names and conventions."""

from halcyon._core.mesh import (
    Identities,
    Mesh,
    Quality,
    Triangulation,
    clean,
    cut,
    identities,
    ordered,
    quality,
    read_mpas,
    require_whole,
    select,
    triangulation_of,
    voronoi_mesh,
    write_mpas,
)
from halcyon.mesh.spec import Coast, Depth, MeshSpec, Region, Spacing

__all__ = [
    "Coast",
    "Depth",
    "Identities",
    "Mesh",
    "MeshSpec",
    "Quality",
    "Region",
    "Spacing",
    "Triangulation",
    "clean",
    "cut",
    "identities",
    "ordered",
    "quality",
    "read_mpas",
    "regional_mesh",
    "require_whole",
    "select",
    "triangulation_of",
    "uniform",
    "voronoi_mesh",
    "write_mpas",
]


def uniform(level, **options):
    """The converged uniform mesh G<level>, of 10 * 4^level + 2 cells; options as `halcyon.mesh.scvt.uniform`.

    Raises ConfigError unless 0 <= level <= 10."""
    from halcyon.mesh import scvt

    return voronoi_mesh(scvt.uniform(level, **options))


def regional_mesh(spec, progress=None):
    """The mesh of the sea of a region; see `halcyon.mesh.region.regional_mesh`."""
    from halcyon.mesh import region

    return region.regional_mesh(spec, progress)
