"""CF netCDF files of fields on the cells of a mesh (UGRID) or on a Gaussian grid, written by all ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core.io import Placement, Schema
from halcyon.base import InternalError
from halcyon.io.attributes import CONVENTIONS as CF_CONVENTIONS
from halcyon.io.attributes import (
    FILL,
    axis_attributes,
    cell_methods_of,
    file_attributes,
    time_attributes,
    variable_attributes,
)
from halcyon.io.vertical_axis import BOUNDS, LEVEL
from halcyon.io.writing import WITHOUT_TIME, RecordsFile, add_attributes, define_variable
from halcyon.mesh.sphere import wrapped
from halcyon.mesh.ugrid import CELLS_LONG_NAME, NOTHING, face_nodes, topology
from halcyon.mesh.ugrid import CONVENTIONS as UGRID_CONVENTIONS

if TYPE_CHECKING:
    from halcyon._core.decomposition import LocalMesh
    from halcyon._core.fields import Variable
    from halcyon._core.io import Progress, Ranks
    from halcyon.io.attributes import Origin
    from halcyon.io.vertical_axis import VerticalAxis


@dataclass(frozen=True)
class OwnedMesh:
    """The part of a mesh that a rank writes.

    n_cells, n_vertices: counts in the whole mesh; cells, vertices: global ids, int64 (owned); longitudes and
    latitudes [degrees]; face_nodes: global ids of the vertices of each cell, int32 (owned cell, max_nodes),
    counter-clockwise, padded with -1; fixed (owned cell): the time-invariant field; long_name: attribute
    long_name of the mesh."""

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
    long_name: str = CELLS_LONG_NAME

    @property
    def n_columns(self) -> int:
        """Number of cells of the whole mesh; each is a column of levels."""
        return self.n_cells

    @classmethod
    def of(cls, local: LocalMesh, fixed: np.ndarray | None = None, *, middle: float = 180.0) -> Self:
        """Returns the owned part of a `halcyon.decomposition.LocalMesh`.

        fixed (owned cell): the time-invariant field; by default the depths of the mesh. middle: longitudes
        are within 180 degrees of it [degrees]; see `halcyon.mesh.sphere.wrapped`."""
        mesh, cells, vertices = local.mesh, local.part.cells, local.part.vertices
        n_owned_cells, n_owned_vertices = cells.n_owned, vertices.n_owned
        n_mesh_cells, _, n_mesh_vertices = local.n_items  # counts in the whole mesh; _: edges
        nodes = face_nodes(mesh, np.arange(n_owned_cells), local.most_edges)
        return cls(
            n_cells=n_mesh_cells,
            n_vertices=n_mesh_vertices,
            cells=cells.to_global[:n_owned_cells],
            vertices=vertices.to_global[:n_owned_vertices],
            cell_longitude=wrapped(np.degrees(mesh.cell_longitude[:n_owned_cells]), middle),
            cell_latitude=np.degrees(mesh.cell_latitude[:n_owned_cells]),
            vertex_longitude=wrapped(np.degrees(mesh.vertex_longitude[:n_owned_vertices]), middle),
            vertex_latitude=np.degrees(mesh.vertex_latitude[:n_owned_vertices]),
            face_nodes=np.where(nodes == NOTHING, nodes, vertices.to_global[nodes]).astype(np.int32),
            fixed=np.asarray(mesh.bottom_depth if fixed is None else fixed)[:n_owned_cells],
        )


@dataclass(frozen=True)
class OwnedGrid:
    """The points of a grid that a rank writes, and all latitudes and longitudes of the grid.

    points: global indices, int64 (owned point); latitude, longitude [degrees]; fixed (owned point): the
    time-invariant field; whole_rows: whether every rank has complete rows, with contiguous points.
    """

    points: np.ndarray
    latitude: np.ndarray
    longitude: np.ndarray
    fixed: np.ndarray
    whole_rows: bool

    @property
    def n_columns(self) -> int:
        """Number of points of the whole grid; each is a column of levels."""
        return len(self.latitude) * len(self.longitude)


class FieldsFile(RecordsFile):
    """The fields of a run, or of a segment of it (some consecutive records). The file is written as
    `path`.part, and renamed when it is closed.

    Every method is collective.

    @param ranks the I/O ranks
    @param part the `OwnedMesh` or `OwnedGrid` that this rank writes
    @param variables entries of the model's table of variables (name, units, dimensions, ...); where a
        variable has the dimension `level`, the file has the dimension named by `vertical`
    @param fixed the entry for the time-invariant field
    @param start start of the run (datetime, UTC)
    @param origin `attributes.Origin` of the run
    @param n_records expected number of records, for which disk space is reserved
    @param progress the state that `sync` returned, if an interrupted file is continued; else None
    @param compression 1 to 9: level; `close` converts the file to netCDF-4. 0: CDF-2 or CDF-5
    @param vertical the `VerticalAxis` of variables with levels, if there are any
    """

    _conventions = UGRID_CONVENTIONS
    _horizontal: tuple[str, ...] = ("face",)
    _location_attributes: ClassVar = {"mesh": "mesh", "location": "face", "coordinates": "lon lat"}

    def __init__(
        self,
        ranks: Ranks,
        path: Path,
        part: Any,
        variables: Sequence[Variable],
        fixed: Variable,
        *,
        start: datetime,
        origin: Origin,
        n_records: int,
        progress: Progress | None = None,
        compression: int = 0,
        vertical: VerticalAxis | None = None,
    ) -> None:
        self._part, self._variables, self._fixed = part, variables, fixed
        with_levels = [variable.name for variable in variables if LEVEL in variable.dimensions]
        if with_levels and vertical is None:
            raise InternalError(f"{', '.join(with_levels)} have levels, but no vertical axis was given.")
        self._vertical = vertical if with_levels else None
        self._schema = Schema()
        self._define_coordinates()
        self._define_data(start)
        # xarray makes the variables that this file attribute names coordinates, to which open_mfdataset adds
        # no time. The variable mesh is left out, since uxarray finds it only among data variables.
        coordinates = {"coordinates": " ".join([*self._static_coordinates(), fixed.name])}
        add_attributes(self._schema, "", file_attributes(origin, self._conventions) | coordinates)
        placement = self._placement_of(ranks)
        super().__init__(ranks, path, self._schema, placement, n_records, progress, compression)
        if progress is None:
            self._write_coordinates(ranks)
            fixed_values = np.ascontiguousarray(part.fixed, np.float32)
            self._writer.write(WITHOUT_TIME, self._placement, [(fixed.name, fixed_values)])

    def write(self, hours: float, values: Mapping[str, np.ndarray]) -> None:
        """Appends a record: hours since the start of the run, and one float array (owned cell) or
        (owned cell, level) per variable."""
        self._append(hours, [(v.name, with_fill_values(values[v.name])) for v in self._variables])

    def _dimensions(self, levels: list[str]) -> list[str]:
        """Returns the dimensions of a record of a field; levels: [name of the vertical dimension], or []."""
        return [*self._horizontal, *levels]

    def _placement_of(self, ranks: Ranks) -> Placement:
        """Returns the placement of the items that this rank writes."""
        return Placement(ranks, self._part.cells, self._part.n_cells)

    def _static_coordinates(self) -> list[str]:
        """Returns the names of the variables without time that are no axes and that no variable names as its
        coordinates."""
        mesh = [name for name, *_ in topology() if name not in ("mesh", "lon", "lat")]
        return [*mesh, *self._vertical_coordinates()]

    def _vertical_coordinates(self) -> list[str]:
        return [
            name for name, _ in self._axis_values() if self._vertical is None or name != self._vertical.name
        ]

    def _define_coordinates(self) -> None:
        part = self._part
        sizes = ("time", 0), ("face", part.n_cells), ("node", part.n_vertices)
        for name, size in (*sizes, ("max_nodes", part.face_nodes.shape[1])):
            self._schema.dimension(name, size)
        for name, type, dimensions, attributes in topology(part.long_name):
            define_variable(self._schema, name, type, dimensions, attributes)

    def _define_data(self, start: datetime) -> None:
        define_variable(self._schema, "time", "f8", ["time"], time_attributes(start) | {"axis": "T"})
        self._define_vertical()
        self._define_field(self._fixed, self._horizontal)
        for variable in self._variables:
            vertical = self._vertical
            levels = [vertical.name] if vertical is not None and LEVEL in variable.dimensions else []
            attributes = cell_methods_of(variable) | {"_FillValue": FILL}
            self._define_field(variable, ["time", *self._dimensions(levels)], attributes)

    def _define_field(
        self,
        variable: Variable,
        dimensions: Sequence[str],
        attributes: Mapping[str, str | float] | None = None,
    ) -> None:
        common = variable_attributes(variable) | self._location_attributes
        define_variable(self._schema, variable.name, "f4", dimensions, {**common, **(attributes or {})})

    def _define_vertical(self) -> None:
        schema, vertical = self._schema, self._vertical
        if vertical is None:
            return
        schema.dimension(vertical.name, vertical.size)
        if vertical.has_bounds:
            schema.dimension(BOUNDS, 2)
        for variable in vertical.variables:
            dimensions = [vertical.name, BOUNDS][: variable.values.ndim]
            define_variable(schema, variable.name, "f8", dimensions, variable.attributes)

    def _axis_values(self) -> list[tuple[str, np.ndarray]]:
        variables = () if self._vertical is None else self._vertical.variables
        return [(variable.name, variable.values) for variable in variables]

    def _write_coordinates(self, ranks: Ranks) -> None:
        writer, part = self._writer, self._part
        on_vertices = Placement(ranks, part.vertices, part.n_vertices)
        writer.write_root(WITHOUT_TIME, [("mesh", np.zeros(1, np.int32)), *self._axis_values()])
        writer.write(
            WITHOUT_TIME,
            on_vertices,
            [("node_lon", part.vertex_longitude), ("node_lat", part.vertex_latitude)],
        )
        writer.write(
            WITHOUT_TIME,
            self._placement,
            [
                ("lon", part.cell_longitude),
                ("lat", part.cell_latitude),
                ("face_nodes", np.ascontiguousarray(part.face_nodes)),
            ],
        )


def with_fill_values(field: ArrayLike) -> np.ndarray:
    """Converts a field to 32-bit floats with the fill value instead of NaN."""
    field = np.asarray(field, np.float32)
    return np.ascontiguousarray(np.where(np.isnan(field), np.float32(FILL), field))


class GridFile(FieldsFile):
    """The fields of a run on a longitude-latitude grid, with the dimensions (time, level, lat, lon). `part`
    is an `OwnedGrid`; `write` takes arrays (owned point) or (owned point, level)."""

    _conventions = CF_CONVENTIONS
    _horizontal = ("lat", "lon")
    _location_attributes: ClassVar = {}

    def write(self, hours: float, values: Mapping[str, np.ndarray]) -> None:
        without_levels = [v for v in self._variables if LEVEL not in v.dimensions]
        self._append(hours, [(v.name, with_fill_values(values[v.name])) for v in without_levels])
        with_levels = [
            (v.name, with_fill_values(np.transpose(values[v.name])))
            for v in self._variables
            if v not in without_levels
        ]
        if with_levels:
            self._writer.write(self._n_records - 1, self._level_placement, with_levels)

    def _static_coordinates(self) -> list[str]:
        return self._vertical_coordinates()

    def _dimensions(self, levels: list[str]) -> list[str]:
        return [*levels, *self._horizontal]

    def _placement_of(self, ranks: Ranks) -> Placement:
        """Returns the placement of fields without levels, and sets that of fields with levels. Without levels
        each item is one grid row, or one point if ranks do not have whole rows. With levels each item is one
        row (or point) at one level."""
        length = len(self._part.longitude) if self._part.whole_rows else 1
        items, n = np.ascontiguousarray(self._part.points[::length] // length), self._part.n_columns // length
        if self._vertical is not None:
            n_levels = self._vertical.size
            ids = np.arange(n_levels, dtype=np.int64)[:, None] * n + items
            self._level_placement = Placement(ranks, np.ascontiguousarray(ids).ravel(), n_levels * n)
        return Placement(ranks, items, n)

    def _define_coordinates(self) -> None:
        self._schema.dimension("time", 0)
        for name, values in self._axes():
            self._schema.dimension(name, len(values))
            define_variable(self._schema, name, "f8", [name], axis_attributes(name))

    def _write_coordinates(self, ranks: Ranks) -> None:
        self._writer.write_root(WITHOUT_TIME, [*self._axes(), *self._axis_values()])

    def _axes(self) -> list[tuple[str, np.ndarray]]:
        return [("lat", self._part.latitude), ("lon", self._part.longitude)]
