"""Meshes of the sphere and its regions, with MPAS' names and conventions."""

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


def make(spec, progress=None):
    """The mesh that a `MeshSpec` asks for; see `halcyon.mesh.making`."""
    from halcyon.mesh.making import make

    return make(spec, progress)


def uniform(level, **options):
    """The converged uniform mesh G<level>, of 10 * 4^level + 2 cells; options of `MeshSpec`.

    Raises ConfigError unless 0 <= level <= 10."""
    return make(MeshSpec(level=level, **options))


def expected_cells(spec):
    """About how many cells the mesh of a `MeshSpec` will have, found without making it."""
    from halcyon.mesh.ground import Ground
    from halcyon.mesh.target import expected_cells

    return expected_cells(spec, Ground(spec))


def write_ugrid(path, mesh, format="netcdf4"):
    """Writes a mesh as a UGRID file, which uxarray and others open; see `halcyon.mesh.ugrid.write_ugrid`."""
    from halcyon.mesh import ugrid

    ugrid.write_ugrid(path, mesh, format)
