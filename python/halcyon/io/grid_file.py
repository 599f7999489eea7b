"""Fields on a Gaussian grid, in a CF netCDF file that all ranks write together."""

from dataclasses import dataclass

import numpy as np

from halcyon._core.io import Placement, Type
from halcyon.io.attributes import CONVENTIONS
from halcyon.io.fields_file import FieldsFile, filled
from halcyon.io.latlon_axes import AXES
from halcyon.io.vertical_axis import LEVEL


@dataclass(frozen=True)
class OwnedGrid:
    """The points of a grid that a rank writes, and all of its latitudes and longitudes.

    points: int64 (owned point), as the grid counts them; latitude, longitude [degrees]; fixed (owned point):
    a field that does not change; whole_rows: whether all ranks have whole rows, one after the other.
    """

    points: np.ndarray
    latitude: np.ndarray
    longitude: np.ndarray
    fixed: np.ndarray
    whole_rows: bool

    @property
    def n_columns(self):
        """Places of all ranks that fields have values at."""
        return len(self.latitude) * len(self.longitude)


class GridFile(FieldsFile):
    """As FieldsFile, with the dimensions time, that of the levels, lat and lon, in this order; `part` is an
    `OwnedGrid`, and values are (owned point), or (owned point, level)."""

    _conventions = CONVENTIONS
    _horizontal = ("lat", "lon")
    _located = ()

    def write(self, hours, values):
        flat = [row for row in self._variables if LEVEL not in row.dimensions]
        self._add(hours, [(row.name, filled(values[row.name])) for row in flat])
        deep = [
            (row.name, filled(np.transpose(values[row.name]))) for row in self._variables if row not in flat
        ]
        if deep:
            self._writer.write(self._n_records - 1, self._on_levels, deep)

    def _dimensions(self, levels):
        return [*levels, *self._horizontal]

    def _placement_of(self, ranks):
        """Rows, or points; those of each level for fields with levels."""
        length = len(self._part.longitude) if self._part.whole_rows else 1
        items, n = np.ascontiguousarray(self._part.points[::length] // length), self._part.n_columns // length
        if self._vertical is not None:
            n_levels = self._vertical.size
            ids = np.arange(n_levels, dtype=np.int64)[:, None] * n + items
            self._on_levels = Placement(ranks, np.ascontiguousarray(ids).ravel(), n_levels * n)
        return Placement(ranks, items, n)

    def _define_places(self):
        schema = self._schema
        schema.dimension("time", 0)
        for name, values in self._axes():
            schema.dimension(name, len(values))
            schema.variable(name, Type.float64, [name])
            standard_name, units, axis = AXES[name]
            for key, text in (
                ("standard_name", standard_name),
                ("long_name", standard_name),
                ("units", units),
                ("axis", axis),
            ):
                schema.attribute(name, key, text)

    def _write_places(self, ranks):
        self._writer.write_root(-1, [*self._axes(), *self._axis_values()])

    def _axes(self):
        return [("lat", self._part.latitude), ("lon", self._part.longitude)]
