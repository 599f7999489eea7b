"""Writes fields on a latitude-longitude grid to a CF netCDF file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from halcyon import __version__
from halcyon._core.mesh import require_space
from halcyon.io.attributes import CONVENTIONS, FILL, axis_attributes
from halcyon.io.vertical_axis import BOUNDS
from halcyon.mesh.atomic_file import write_netcdf

if TYPE_CHECKING:
    import netCDF4

    from halcyon.io.field_source import Field, FieldSource
    from halcyon.io.vertical_axis import VerticalAxis
    from halcyon.remap import Conservative, LatLonGrid


# Attributes that are copied from the source file and from its variables.
FILE_ATTRIBUTES = ("title", "institution", "source", "references", "comment")
VARIABLE_ATTRIBUTES = ("standard_name", "long_name", "units", "units_metadata")


def means_of(source: FieldSource, remap: Conservative, field: Field, record: int) -> np.ndarray:
    """Returns the means of a field at a record, (latitude, longitude) or (level, latitude, longitude);
    directions are averaged as unit vectors."""
    values = source.values(field, record)
    mean = remap.mean_direction if field.is_direction else remap.mean
    return mean(values) if field.axis is None else np.stack([mean(level) for level in values.T])


def write_latlon(
    path: str | os.PathLike[str], source: FieldSource, remap: Conservative, fields: Sequence[Field]
) -> None:
    """Writes the means of fields over the boxes of a grid, at all times, as netCDF-4.

    source: a `FieldSource`; remap: the `Conservative` remapping from the faces of the source to the grid;
    fields: the fields of the source that are written.

    The file is written atomically. Raises RunError if it cannot be written."""
    n_maps = sum(field.n_maps * (len(source.times) if field.has_time else 1) for field in fields)
    n_maps += 1  # the covered fraction
    require_space(str(path), 4 * n_maps * np.prod(remap.grid.shape, dtype=int))
    write_netcdf(path, lambda file: _write(file, source, remap, fields))


def _write(file: netCDF4.Dataset, source: FieldSource, remap: Conservative, fields: Sequence[Field]) -> None:
    _write_attributes(file, source)
    _write_axes(file, remap.grid)
    if len(source.times):
        _write_times(file, source)
    _write_covered(file, remap)
    for axis in {field.axis.name: field.axis for field in fields if field.axis is not None}.values():
        _write_levels(file, axis)
    for field in fields:
        _write_field(file, source, remap, field)


def _write_attributes(file: netCDF4.Dataset, source: FieldSource) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    history = f"{now} averaged conservatively over latitude-longitude boxes by Halcyon {__version__}"
    file.Conventions = CONVENTIONS
    for name in FILE_ATTRIBUTES:
        if name in source.attributes:
            file.setncattr(name, source.attributes[name])
    file.history = "\n".join([history, source.attributes.get("history", "")]).rstrip()


def _write_axes(file: netCDF4.Dataset, grid: LatLonGrid) -> None:
    file.createDimension(BOUNDS, 2)
    for name, edges in (("lat", grid.latitude_edges), ("lon", grid.longitude_edges)):
        file.createDimension(name, len(edges) - 1)
        centres = file.createVariable(name, "f8", (name,))
        centres.setncatts(axis_attributes(name) | {"bounds": f"{name}_bounds"})
        centres[:] = (edges[:-1] + edges[1:]) / 2
        file.createVariable(f"{name}_bounds", "f8", (name, BOUNDS))[:] = np.stack(
            [edges[:-1], edges[1:]], axis=1
        )


def _write_times(file: netCDF4.Dataset, source: FieldSource) -> None:
    file.createDimension("time", None)
    time = file.createVariable("time", "f8", ("time",))
    time.setncatts(source.time_attributes)
    time[:] = source.times


def _write_levels(file: netCDF4.Dataset, axis: VerticalAxis) -> None:
    file.createDimension(axis.name, axis.size)
    for variable in axis.variables:
        dimensions = (axis.name, BOUNDS)[: variable.values.ndim]
        file_variable = file.createVariable(variable.name, "f8", dimensions)
        file_variable.setncatts(variable.attributes)
        file_variable[:] = variable.values


def _write_covered(file: netCDF4.Dataset, remap: Conservative) -> None:
    covered = file.createVariable("covered_fraction", "f4", ("lat", "lon"), zlib=True, complevel=1)
    covered.setncatts({"long_name": "part of the box that cells cover", "units": "1"})
    covered[:] = remap.covered()


def _write_field(file: netCDF4.Dataset, source: FieldSource, remap: Conservative, field: Field) -> None:
    levels = [] if field.axis is None else [field.axis.name]
    dimensions = (*(["time"] if field.has_time else []), *levels, "lat", "lon")
    variable = file.createVariable(
        field.name,
        "f4",
        dimensions,
        zlib=True,
        complevel=1,
        fill_value=FILL,
        chunksizes=(*(1 for _ in dimensions[:-2]), *remap.grid.shape),  # one chunk per map
    )
    attributes = {name: field.attributes[name] for name in VARIABLE_ATTRIBUTES if name in field.attributes}
    methods = f"{field.attributes.get('cell_methods', '')} area: mean".strip()
    variable.setncatts(attributes | {"cell_methods": methods, "ancillary_variables": "covered_fraction"})
    if field.is_direction:
        variable.comment = "direction of the mean of unit vectors"
    for record in range(len(source.times) if field.has_time else 1):
        means = np.ma.masked_invalid(means_of(source, remap, field, record))
        variable[record if field.has_time else ...] = means
