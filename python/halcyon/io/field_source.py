"""Reads fields on the faces of UGRID files, such as the files of a run, which follow each other in time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.io.attributes import UnknownVariableError, is_direction
from halcyon.io.vertical_axis import VerticalAxis, axis_of
from halcyon.mesh.cf_file import numbers, open_netcdf, positions, reading, roles
from halcyon.mesh.sphere import middle_of
from halcyon.remap import Faces

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.mesh import Mesh


@dataclass(frozen=True)
class Field:
    """A variable on faces.

    axis: its `VerticalAxis`; None if it has no levels."""

    name: str
    attributes: dict[str, Any]
    has_time: bool
    axis: VerticalAxis | None = None

    @property
    def n_maps(self) -> int:
        """Number of horizontal fields per time: 1, or the number of levels."""
        return 1 if self.axis is None else self.axis.size

    @property
    def is_direction(self) -> bool:
        """Whether the field is a direction [degrees], which must be averaged as a vector."""
        return is_direction(self.attributes.get("standard_name", ""))


@dataclass(frozen=True)
class FieldSource:
    """Faces, the fields on them, and a function that reads their values.

    attributes: global attributes of the file; times: float64 (record), empty if no field depends on time;
    time_attributes: attributes of the time variable, with units and calendar; values(field, record) returns
    float64 (face) or (face, level), NaN where missing; middle: of the longitudes in the file [degrees].
    """

    faces: Faces
    fields: tuple[Any, ...]
    attributes: dict[str, Any]
    times: np.ndarray
    time_attributes: dict[str, Any]
    values: Callable[[Field, int], np.ndarray]
    middle: float = 180.0

    def select(self, names: Iterable[str] | None) -> list[Field]:
        """Returns the fields with these names, in their order, and the fields that their vertical axes need;
        all fields if names is None. Raises InputError for unknown names."""
        known = {field.name: field for field in self.fields}
        for name in names or ():
            if name not in known:
                text = f"There is no variable '{name}' on faces. There are {', '.join(known)}."
                raise UnknownVariableError(text, name, known)
        if not names:
            return list(self.fields)
        axes = [known[name].axis for name in names if known[name].axis is not None]
        required = [name for axis in axes for name in axis.required_variables if name in known]
        return [known[name] for name in dict.fromkeys([*names, *required])]


def mesh_source(mesh: Mesh, title: str) -> FieldSource:
    """Returns the `FieldSource` of the depth [m] of a `halcyon.mesh.Mesh`.

    Raises InputError if the mesh has no depths."""
    depth = np.asarray(mesh.bottom_depth)
    if not len(depth):
        raise InputError(f"{title}: the mesh has no depths (bottomDepth), so there is nothing to average.")
    attributes = {
        "standard_name": "sea_floor_depth_below_sea_surface",
        "long_name": "water depth",
        "units": "m",
    }
    field = Field("depth", attributes, has_time=False)
    return FieldSource(
        Faces.of_mesh(mesh),
        (field,),
        {"title": title},
        np.empty(0),
        {},
        lambda field, record: depth,
        middle_of(np.degrees(mesh.vertex_longitude)),
    )


def is_ugrid(path: str | os.PathLike[str]) -> bool:
    """Whether a netCDF file has a UGRID mesh. Raises InputError if the file cannot be read."""
    with open_netcdf(path, as_stored=True) as file:
        return mesh_topology(file) is not None


@contextmanager
def open_fields(paths: Iterable[str | os.PathLike[str]]) -> Iterator[FieldSource]:
    """Opens the fields of UGRID files on one mesh, such as the segments of a run, sorted by time.

    Raises InputError for a file that cannot be read, was cut short, has no faces, differs from the first in
    mesh or variables, or repeats a time."""
    with ExitStack() as opened:
        yield _source([(path, opened.enter_context(open_netcdf(path))) for path in map(Path, paths)])


def _source(files: list[tuple[Path, xr.Dataset]]) -> FieldSource:
    path, first = files[0]
    faces, fields = faces_of(path, first), tuple(_fields(first))
    for other in files[1:]:
        _check_same_mesh_and_variables(path, *other, faces, fields)
    times, records, time_attributes = _times(files, fields)

    def values(field: Field, record: int) -> np.ndarray:
        file, index = records[record] if field.has_time else (first, None)
        variable = file[field.name]
        variable = variable.isel({variable.dims[0]: index}) if field.has_time else variable
        return numbers(variable.transpose(face_dimension(file), ...))

    file_attributes = {name: str(value) for name, value in first.attrs.items()}
    middle = middle_of(_node_coordinates(path, first)[0])
    return FieldSource(faces, fields, file_attributes, times, time_attributes, values, middle)


def mesh_topology(file: xr.Dataset) -> xr.DataArray | None:
    """Returns the mesh topology variable (UGRID) of an open file, or None."""
    return next(iter(file.filter_by_attrs(cf_role="mesh_topology").data_vars.values()), None)


def faces_of(path: Path, file: xr.Dataset) -> Faces:
    """Returns the `Faces` of an open UGRID file. Raises InputError if it has no complete mesh."""
    mesh = mesh_topology(file)
    if mesh is None:
        raise InputError(
            f"{path} holds no fields on faces: no variable has the cf_role mesh_topology. Give a"
            " fields_*.nc file of a run, or another UGRID file."
        )
    try:
        table = file[mesh.attrs["face_node_connectivity"]]
        face_nodes = numbers(table.compute().transpose(face_dimension(file), ...)) - table.attrs.get(
            "start_index", 0
        )
        lon, lat = _node_coordinates(path, file)
        table = np.nan_to_num(face_nodes, nan=-1, posinf=-1).astype(np.int64)
        if table.ndim != 2 or lon.ndim != 1 or lon.shape != lat.shape or table.max(initial=-1) >= lon.size:
            raise ValueError("its faces name nodes that do not exist")
        return Faces.of_table(lon, lat, table)
    except (KeyError, ValueError) as error:
        text = f"there is no {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise InputError(f"{path}: the mesh '{mesh.name}' is incomplete: {text}. Correct the file.") from None


def _node_coordinates(path: Path, file: xr.Dataset) -> list[np.ndarray]:
    """Returns the longitudes and latitudes [degrees] of the nodes."""
    mesh = mesh_topology(file)
    assert mesh is not None
    names_by_role = roles(file[mesh.attrs["node_coordinates"].split()])
    return [positions(path, file[names_by_role[role][0]], role) for role in ("longitude", "latitude")]


def face_dimension(file: xr.Dataset) -> Any:
    """Returns the name of the face dimension."""
    mesh = mesh_topology(file)
    assert mesh is not None
    return mesh.attrs.get("face_dimension") or file[mesh.attrs["face_node_connectivity"]].dims[0]


def _fields(file: xr.Dataset) -> Iterator[Field]:
    """Yields the variables on faces, which may also have a leading time dimension and levels."""
    mesh, axis, face = mesh_topology(file), axis_of(file), face_dimension(file)
    assert mesh is not None
    for name, variable in file.variables.items():
        on_faces = (variable.attrs.get("mesh"), variable.attrs.get("location")) == (mesh.name, "face")
        others = [dimension for dimension in variable.dims if dimension != face]
        has_levels = axis is not None and axis.name in others
        n_leading = len(others) - has_levels  # number of dimensions besides face and level
        if (
            on_faces
            and face in variable.dims
            and (n_leading == 0 or (n_leading == 1 and others[0] == variable.dims[0]))
        ):
            yield Field(str(name), dict(variable.attrs), n_leading == 1, axis if has_levels else None)


def _check_same_mesh_and_variables(
    first_path: Path, path: Path, file: xr.Dataset, faces: Faces, fields: Sequence[Field]
) -> None:
    """Checks that an open file has the mesh and variables of the first file (faces, fields)."""
    other = faces_of(path, file)
    if not all(np.array_equal(a, b) for a, b in zip(vars(faces).values(), vars(other).values(), strict=True)):
        raise InputError(f"{path} has another mesh than {first_path}. Convert files of one mesh at a time.")
    axes = {f.name: f.axis for f in _fields(file)}
    for field in fields:
        if field.axis is not None and not field.axis.same_as(axes.get(field.name, field.axis)):
            raise InputError(
                f"{path} has {field.name} on other levels than {first_path}. Convert each alone."
            )
    differing = {f.name for f in fields} ^ {*axes}
    if differing:
        raise InputError(f"{path} and {first_path} do not both have {', '.join(sorted(differing))}.")


def _times(
    files: list[tuple[Path, xr.Dataset]], fields: Sequence[Field]
) -> tuple[np.ndarray, list[tuple[xr.Dataset, int]], dict[Any, Any]]:
    """Returns the times of all files in the units of the first file, the file and record of each time, and
    the attributes of the first file's time."""
    first = files[0][1]
    dimensions = {first[field.name].dims[0] for field in fields if field.has_time}
    if not dimensions:
        return np.empty(0), [], {}
    (name,) = dimensions
    for path, file in files:
        if "units" not in file[name].attrs:
            raise InputError(f"{path}: the dimension {name} has no coordinate with units. Add the times.")
    attributes = dict(first[name].attrs)
    rows = [
        (time, path, (file, index))
        for path, file in files
        for index, time in enumerate(_in_units(path, file[name], attributes))
    ]
    rows.sort(key=lambda row: row[0])
    for (previous_time, previous_path, _), (time, path, _) in pairwise(rows):
        if time == previous_time:
            raise InputError(
                f"{previous_path} and {path} both have the time {time:g} ({attributes['units']}). Give each"
                " time once."
            )
    return np.array([time for time, _, _ in rows]), [record for _, _, record in rows], attributes


def _in_units(path: Path, time: xr.DataArray, attributes: Mapping[Any, Any]) -> np.ndarray:
    """Converts times to the units and calendar of `attributes`."""
    from cftime import date2num, num2date

    units, calendar = attributes["units"], attributes.get("calendar", "standard")
    if time.attrs["units"] == units:
        return numbers(time)
    with reading(path, f"at the times of {time.name}"):
        dates = num2date(numbers(time), time.attrs["units"], time.attrs.get("calendar", "standard"))
        return date2num(dates, units, calendar)
