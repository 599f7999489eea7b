"""Meshes of the sphere and its regions, with MPAS' names and conventions."""

from halcyon._core.mesh import (
    Identities,
    Mesh,
    Quality,
    cut,
    identities,
    quality,
    read_grist,
    read_mesh,
    read_mpas,
    require_whole,
    voronoi_mesh,
    write_graph_info,
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
    "cut",
    "identities",
    "quality",
    "read_grist",
    "read_mesh",
    "read_mpas",
    "regional_mesh",
    "require_whole",
    "uniform",
    "voronoi_mesh",
    "write_graph_info",
    "write_mpas",
    "write_ugrid",
]


def uniform(level, **options):
    """The converged uniform mesh G<level>, of 10 * 4^level + 2 cells; options as `halcyon.mesh.scvt.uniform`.

    Raises ConfigError unless 0 <= level <= 9."""
    from halcyon.mesh import region, scvt

    return region.sphere_mesh(scvt.uniform(level, **options))


def regional_mesh(spec, progress=None):
    """The mesh of the sea of a region; see `halcyon.mesh.region.regional_mesh`."""
    from halcyon.mesh import region

    return region.regional_mesh(spec, progress)


def write_ugrid(path, mesh, format="netcdf4"):
    """Writes a mesh as a UGRID file, which uxarray and others open; see `halcyon.mesh.ugrid.write_ugrid`."""
    from halcyon.mesh import ugrid

    ugrid.write_ugrid(path, mesh, format)
