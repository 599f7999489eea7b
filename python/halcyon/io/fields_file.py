"""Fields on the cells of a mesh, in a UGRID and CF netCDF file that all ranks write together."""

from dataclasses import dataclass

import numpy as np

from halcyon._core.io import Placement, Schema, Type
from halcyon.base import InternalError
from halcyon.io import attributes
from halcyon.io.records_file import RecordsFile
from halcyon.io.vertical_axis import BOUNDS, LEVEL
from halcyon.mesh.ugrid import CELLS, CONVENTIONS, NOTHING, face_nodes, topology

_TYPES = {"i4": Type.int32, "f8": Type.float64}


@dataclass(frozen=True)
class OwnedMesh:
    """The part of a mesh that a rank writes: its cells and vertices by global id.

    cells, vertices: int64 (owned); longitudes and latitudes [degrees]; face_nodes: int32 (owned cell,
    max_nodes), counter-clockwise, -1 behind the last; fixed (owned cell): a field that does not change;
    described: what the cells are.
    """

    n_cells: int
    n_vertices: int
    cells: np.ndarray
    vertices: np.ndarray
    cell_longitude: np.ndarray
    cell_latitude: np.ndarray
    vertex_longitude: np.ndarray
    vertex_latitude: np.ndarray
    face_nodes: np.ndarray
    fixed: np.ndarray
    described: str = CELLS

    @property
    def n_columns(self):
        """Places of all ranks that fields have values at."""
        return self.n_cells

    @classmethod
    def of(cls, local, fixed=None):
        """Takes the owned cells and vertices out of a `halcyon.decomposition.LocalMesh`.

        fixed (owned cell); by default the depths of the mesh"""
        mesh, cells, vertices = local.mesh, local.part.cells, local.part.vertices
        n_cells, n_vertices = cells.n_owned, vertices.n_owned
        nodes = face_nodes(mesh, np.arange(n_cells), local.most_edges)
        return cls(
            n_cells=local.n_items[0],
            n_vertices=local.n_items[2],
            cells=cells.to_global[:n_cells],
            vertices=vertices.to_global[:n_vertices],
            cell_longitude=np.degrees(mesh.cell_longitude[:n_cells]),
            cell_latitude=np.degrees(mesh.cell_latitude[:n_cells]),
            vertex_longitude=np.degrees(mesh.vertex_longitude[:n_vertices]),
            vertex_latitude=np.degrees(mesh.vertex_latitude[:n_vertices]),
            face_nodes=np.where(nodes == NOTHING, nodes, vertices.to_global[nodes]).astype(np.int32),
            fixed=np.asarray(mesh.bottom_depth if fixed is None else fixed)[:n_cells],
        )


class FieldsFile(RecordsFile):
    """One segment of a run's fields: `path` appears when it is closed and whole.

    Every method is collective.

    @param ranks `Ranks` that touch the file
    @param variables rows of the table of variables on cells, of one value a time or, with the dimension
        `level`, of one on each of the axis
    @param fixed the row of the table for what does not change
    @param origin `attributes.Origin` of the run
    @param n_records that are expected: their space is reserved
    @param progress from where the segment that an earlier run left is continued, as `sync` gave it
    @param compression 1 to 9: makes it a netCDF-4 file when it is closed; 0: CDF-2 or CDF-5
    @param vertical the `VerticalAxis` of variables with levels, where there are any
    """

    _conventions = CONVENTIONS
    _horizontal = ("face",)
    _located = (("mesh", "mesh"), ("location", "face"), ("coordinates", "lon lat"))

    def __init__(
        self,
        ranks,
        path,
        part,
        variables,
        fixed,
        *,
        start,
        origin,
        n_records,
        progress=None,
        compression=0,
        vertical=None,
    ):
        self._part, self._variables, self._fixed = part, variables, fixed
        with_levels = [row.name for row in variables if LEVEL in row.dimensions]
        if with_levels and vertical is None:
            raise InternalError(f"{', '.join(with_levels)} have levels, but no vertical axis was given.")
        self._vertical = vertical if with_levels else None
        self._schema = Schema()
        self._define_places()
        self._define_data(start)
        for name, text in attributes.of_file(origin, self._conventions):
            self._schema.attribute("", name, text)
        placement = self._placement_of(ranks)
        super().__init__(ranks, path, self._schema, placement, n_records, progress, compression)
        if progress is None:
            self._write_places(ranks)
            self._writer.write(
                -1, self._placement, [(fixed.name, np.ascontiguousarray(part.fixed, np.float32))]
            )

    def write(self, hours, values):
        """Adds a record: hours since the start of the run, and one float array (owned cell) a variable, or
        (owned cell, level)."""
        self._add(hours, [(each.name, filled(values[each.name])) for each in self._variables])

    def _dimensions(self, levels):
        """Of a record of a field, by the name of its vertical one in a list, or none."""
        return [*self._horizontal, *levels]

    def _placement_of(self, ranks):
        """Of the items that this rank writes."""
        return Placement(ranks, self._part.cells, self._part.n_cells)

    def _define_places(self):
        schema, part = self._schema, self._part
        for name, size in (
            ("time", 0),
            ("face", part.n_cells),
            ("node", part.n_vertices),
            ("max_nodes", part.face_nodes.shape[1]),
        ):
            schema.dimension(name, size)
        for name, type, dimensions, described in topology(part.described):
            schema.variable(name, _TYPES[type], list(dimensions))
            for key, value in described.items():
                kind = [Type.int32] if isinstance(value, int) else []
                schema.attribute(name, key, value, *kind)

    def _define_data(self, start):
        schema = self._schema
        schema.variable("time", Type.float64, ["time"])
        for name, text in (*attributes.of_time(start), ("axis", "T")):
            schema.attribute("time", name, text)
        self._define_vertical()
        self._define_field(self._fixed, [*self._horizontal])
        for variable in self._variables:
            levels = [self._vertical.name] if LEVEL in variable.dimensions else []
            self._define_field(variable, ["time", *self._dimensions(levels)])

    def _define_vertical(self):
        schema, vertical = self._schema, self._vertical
        if vertical is None:
            return
        schema.dimension(vertical.name, vertical.size)
        if vertical.has_bounds:
            schema.dimension(BOUNDS, 2)
        for variable in vertical.variables:
            on = [vertical.name, BOUNDS][: variable.values.ndim]
            schema.variable(variable.name, Type.float64, on)
            for name, text in variable.attributes:
                schema.attribute(variable.name, name, text)

    def _define_field(self, variable, dimensions):
        schema = self._schema
        schema.variable(variable.name, Type.float32, dimensions)
        for name, text in attributes.of_variable(variable):
            schema.attribute(variable.name, name, text)
        for name, text in self._located:
            schema.attribute(variable.name, name, text)
        if "time" in dimensions:
            if variable.cell_methods:
                schema.attribute(variable.name, "cell_methods", variable.cell_methods)
            schema.attribute(variable.name, "_FillValue", attributes.FILL, Type.float32)

    def _axis_values(self):
        axis = () if self._vertical is None else self._vertical.variables
        return [(each.name, each.values) for each in axis]

    def _write_places(self, ranks):
        writer, part = self._writer, self._part
        on_vertices = Placement(ranks, part.vertices, part.n_vertices)
        writer.write_root(-1, [("mesh", np.zeros(1, np.int32)), *self._axis_values()])
        writer.write(
            -1, on_vertices, [("node_lon", part.vertex_longitude), ("node_lat", part.vertex_latitude)]
        )
        writer.write(
            -1,
            self._placement,
            [
                ("lon", part.cell_longitude),
                ("lat", part.cell_latitude),
                ("face_nodes", np.ascontiguousarray(part.face_nodes)),
            ],
        )


def filled(field):
    """Numbers as files have them: 32 bits, a fill for NaN."""
    field = np.asarray(field, np.float32)
    return np.ascontiguousarray(np.where(np.isnan(field), np.float32(attributes.FILL), field))
