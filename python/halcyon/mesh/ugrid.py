"""Meshes in the conventions UGRID 1.0 and CF 1.11, as uxarray, xugrid, iris and plotting programs read them.

Source: UGRID conventions 1.0 (ugrid-conventions.github.io), mesh topology of flexible polygons."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__
from halcyon._core.mesh import format_named, require_space
from halcyon.base import EARTH_RADIUS
from halcyon.mesh.atomic_file import write_netcdf
from halcyon.mesh.sphere import middle_of, wrapped

if TYPE_CHECKING:
    import netCDF4

    from halcyon._core.mesh import Mesh


_Variable = tuple[str, str, tuple[str, ...], dict[str, Any]]  # name, type, dimensions, attributes
CONVENTIONS = "CF-1.11 UGRID-1.0"
CELLS_LONG_NAME = "Voronoi cells of the sphere"
NOTHING = -1  # pads short lists, and stands for the missing cell beyond the outer boundary
FORMATS = {"cdf5": "NETCDF3_64BIT_DATA", "netcdf4": "NETCDF4"}  # as `netCDF4.Dataset` calls them
_LOCATIONS = {
    "node": ("node_", "cell corners"),
    "face": ("", "cell centres"),
    "edge": ("edge_", "edges, halfway between cell centres"),
}


def topology(described: str = CELLS_LONG_NAME, *, edges: bool = False) -> Iterator[_Variable]:
    """Yields the variables of a mesh as tuples (name, type, dimensions, attributes).

    Nodes are the corners of cells, faces the cells. The dimensions are node, face and max_nodes (corners of
    a cell), and with `edges` also edge and two. described: long_name of the mesh. Indices start from 0."""
    lists = [("face_nodes", ("face", "max_nodes"), "face_node", "corners of each cell, counter-clockwise")]
    mesh: dict[str, Any] = {
        "cf_role": "mesh_topology",
        "long_name": described,
        "node_coordinates": "node_lon node_lat",
        "face_node_connectivity": "face_nodes",
        "face_dimension": "face",
        "face_coordinates": "lon lat",
        "topology_dimension": 2,
    }
    if edges:
        mesh |= {
            "edge_node_connectivity": "edge_nodes",
            "edge_face_connectivity": "edge_faces",
            "edge_dimension": "edge",
            "edge_coordinates": "edge_lon edge_lat",
        }
        lists += [
            ("edge_nodes", ("edge", "two"), "edge_node", "ends of each edge"),
            (
                "edge_faces",
                ("edge", "two"),
                "edge_face",
                "cells on both sides of each edge, on its left first",
            ),
        ]
    locations = ("node", "face", "edge") if edges else ("node", "face")
    yield "mesh", "i4", (), mesh
    for location in locations:
        yield from _coordinates(location)
    for name, dimensions, role, meaning in lists:
        of_list = {"cf_role": f"{role}_connectivity", "long_name": meaning}
        yield name, "i4", dimensions, of_list | {"start_index": 0, "_FillValue": NOTHING}


def _coordinates(location: str) -> Iterator[_Variable]:
    prefix, meaning = _LOCATIONS[location]
    for name, standard_name, units in (
        ("lon", "longitude", "degrees_east"),
        ("lat", "latitude", "degrees_north"),
    ):
        attributes: dict[str, Any] = {
            "standard_name": standard_name,
            "long_name": f"{standard_name} of {meaning}",
            "units": units,
        }
        yield prefix + name, "f8", (location,), attributes


def face_nodes(mesh: Mesh, cells: np.ndarray | None = None, max_nodes: int | None = None) -> np.ndarray:
    """Returns the corners of cells (default all), counter-clockwise: int32 (cell, max_nodes), padded with
    -1. max_nodes: by default the largest number of corners of a cell of the mesh."""
    starts, ends = mesh.cell_offsets[:-1], mesh.cell_offsets[1:]
    max_nodes = max_nodes or int((ends - starts).max())
    if cells is not None:
        starts, ends = starts[cells], ends[cells]
    entries = starts[:, None] + np.arange(max_nodes, dtype=np.int32)
    nodes = mesh.vertices_on_cell[np.minimum(entries, len(mesh.vertices_on_cell) - 1)]
    return np.where(entries < ends[:, None], nodes, np.int32(NOTHING))


def write_ugrid(path: str | os.PathLike[str], mesh: Mesh, format: str = "netcdf4") -> None:
    """Writes a mesh with its edges, the areas of cells [m2] and, if the mesh has depths, depths [m].

    format: "netcdf4" or "cdf5". The file is written atomically. Raises ConfigError for another format,
    RunError if the file cannot be written."""
    format_named(format)
    values = _values(mesh)
    require_space(str(path), sum(array.nbytes for array in values.values()))
    write_netcdf(path, lambda file: _write(file, mesh, values), FORMATS[format])


def _write(file: netCDF4.Dataset, mesh: Mesh, values: Mapping[str, Any]) -> None:
    file.Conventions = CONVENTIONS
    file.title = f"Voronoi mesh of {mesh.n_cells} cells"
    file.source = f"Halcyon {__version__}"
    for name, size in (
        ("node", mesh.n_vertices),
        ("face", mesh.n_cells),
        ("edge", mesh.n_edges),
        ("max_nodes", values["face_nodes"].shape[1]),
        ("two", 2),
    ):
        file.createDimension(name, size)
    for name, type, dimensions, attributes in (*topology(edges=True), *_data(mesh)):
        fill = attributes.pop("_FillValue", False)
        variable = file.createVariable(name, type, dimensions, fill_value=fill)
        variable.setncatts({k: np.int32(v) if isinstance(v, int) else v for k, v in attributes.items()})
        variable[...] = values[name]


def _data(mesh: Mesh) -> Iterator[_Variable]:
    """Yields the variables of cell areas and depths, as tuples like `topology`."""
    location = {"mesh": "mesh", "location": "face", "coordinates": "lon lat"}
    area = f"area of the cell on a sphere of radius {EARTH_RADIUS:.0f} m"
    yield (
        "cell_area",
        "f8",
        ("face",),
        {"standard_name": "cell_area", "long_name": area, "units": "m2"} | location,
    )
    if len(mesh.bottom_depth):
        depth = {"standard_name": "sea_floor_depth_below_sea_surface", "long_name": "water depth"}
        yield "depth", "f8", ("face",), depth | {"units": "m"} | location


def _values(mesh: Mesh) -> dict[str, Any]:
    values = {
        "mesh": np.int32(0),
        "face_nodes": face_nodes(mesh),
        "edge_nodes": mesh.vertices_on_edge,
        "edge_faces": mesh.cells_on_edge,
        "cell_area": np.asarray(mesh.area_cell) * EARTH_RADIUS**2,
        "depth": np.asarray(mesh.bottom_depth),
    }
    middle = middle_of(np.degrees(mesh.cell_longitude))
    for location, entity in (("node", "vertex"), ("face", "cell"), ("edge", "edge")):
        prefix = _LOCATIONS[location][0]
        values[f"{prefix}lon"] = wrapped(np.degrees(getattr(mesh, f"{entity}_longitude")), middle)
        values[f"{prefix}lat"] = np.degrees(getattr(mesh, f"{entity}_latitude"))
    return values
