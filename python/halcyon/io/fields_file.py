"""Fields on the cells of a mesh, in a UGRID and CF netCDF file that all ranks write together."""

from dataclasses import dataclass

import numpy as np

from halcyon._core.io import Placement, Type, Writer
from halcyon.io import attributes
from halcyon.mesh.ugrid import CONVENTIONS, face_nodes, topology

_TYPES = {"i4": Type.int32, "f8": Type.float64}
_CDF2_LIMIT = 2**32 - 4  # bytes of one record of a variable


@dataclass(frozen=True)
class OwnedMesh:
    """The part of a mesh that a rank writes: its cells and vertices by global id.

    cells, vertices: int64 (owned); longitudes and latitudes [degrees]; face_nodes: int32 (owned cell,
    max_nodes), counter-clockwise, -1 behind the last; depth [m] (owned cell).
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
    depth: np.ndarray

    @classmethod
    def of(cls, mesh, cells, vertices):
        """Takes the owned cells and vertices (global ids) out of a `halcyon.mesh.Mesh`."""
        return cls(
            n_cells=mesh.n_cells,
            n_vertices=mesh.n_vertices,
            cells=cells,
            vertices=vertices,
            cell_longitude=np.degrees(mesh.cell_longitude[cells]),
            cell_latitude=np.degrees(mesh.cell_latitude[cells]),
            vertex_longitude=np.degrees(mesh.vertex_longitude[vertices]),
            vertex_latitude=np.degrees(mesh.vertex_latitude[vertices]),
            face_nodes=face_nodes(mesh, cells),
            depth=np.asarray(mesh.bottom_depth)[cells],
        )


class FieldsFile:
    """One segment of a run's fields: `path` appears when it is closed and whole.

    Every method is collective.

    @param comm a `halcyon._core.comm.Communicator`
    @param variables rows of the table of variables, each on cells and one value a time
    @param depth the row of the table for the depth, which does not change
    """

    def __init__(self, comm, path, part, variables, depth, *, start, title, version):
        self.path, self._part, self._variables, self._depth = path, part, variables, depth
        self._on_cells, self._on_vertices = Placement(part.cells), Placement(part.vertices)
        self._n_records = 0
        self._writer = Writer(comm, str(path), 4 * part.n_cells > _CDF2_LIMIT)
        self._define_mesh()
        self._define_data(start)
        for name, text in attributes.of_file(title, version, CONVENTIONS):
            self._writer.attribute("", name, text)
        self._writer.end_definitions()
        self._write_mesh()

    def write(self, hours, values):
        """Adds a record: hours since the start of the run, and one float array (owned cell) a variable."""
        record, self._n_records = self._n_records, self._n_records + 1
        self._writer.write_from_root("time", record, np.array([hours], float))
        for variable in self._variables:
            field = np.asarray(values[variable.name], np.float32)
            filled = np.where(np.isnan(field), np.float32(attributes.FILL), field)
            self._writer.write(variable.name, record, self._on_cells, filled)

    def close(self):
        """Makes the file whole and gives it its name."""
        self._writer.close()

    def _define_mesh(self):
        writer, part = self._writer, self._part
        for name, size in (
            ("time", 0),
            ("face", part.n_cells),
            ("node", part.n_vertices),
            ("max_nodes", part.face_nodes.shape[1]),
        ):
            writer.dimension(name, size)
        for name, type, dimensions, described in topology():
            writer.variable(name, _TYPES[type], list(dimensions))
            for key, value in described.items():
                kind = [Type.int32] if isinstance(value, int) else []
                writer.attribute(name, key, value, *kind)

    def _define_data(self, start):
        writer = self._writer
        writer.variable("time", Type.float64, ["time"])
        for name, text in (
            ("standard_name", "time"),
            ("long_name", "time"),
            ("units", attributes.time_units(start)),
            ("calendar", "standard"),
            ("units_metadata", "leap_seconds: none"),
            ("axis", "T"),
        ):
            writer.attribute("time", name, text)
        self._define_field(self._depth, ["face"])
        for variable in self._variables:
            self._define_field(variable, ["time", "face"])

    def _define_field(self, variable, dimensions):
        writer = self._writer
        writer.variable(variable.name, Type.float32, dimensions)
        for name, text in attributes.of_variable(variable):
            writer.attribute(variable.name, name, text)
        for name, text in (("mesh", "mesh"), ("location", "face"), ("coordinates", "lon lat")):
            writer.attribute(variable.name, name, text)
        if "time" in dimensions:
            if variable.cell_methods:
                writer.attribute(variable.name, "cell_methods", variable.cell_methods)
            writer.attribute(variable.name, "_FillValue", attributes.FILL, Type.float32)

    def _write_mesh(self):
        writer, part = self._writer, self._part
        writer.write_from_root("mesh", -1, np.zeros(1))
        writer.write("node_lon", -1, self._on_vertices, part.vertex_longitude)
        writer.write("node_lat", -1, self._on_vertices, part.vertex_latitude)
        writer.write("lon", -1, self._on_cells, part.cell_longitude)
        writer.write("lat", -1, self._on_cells, part.cell_latitude)
        writer.write("face_nodes", -1, self._on_cells, np.ascontiguousarray(part.face_nodes))
        writer.write(self._depth.name, -1, self._on_cells, part.depth.astype(np.float32))
