"""Fields on faces as they are read: those of UGRID files, of which several may follow each other in time."""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.io.attributes import is_direction
from halcyon.io.vertical_axis import VerticalAxis, axis_of
from halcyon.mesh.whole_file import open_netcdf
from halcyon.remap import Faces

ROLES = {"longitude": "degrees_east", "latitude": "degrees_north"}


@dataclass(frozen=True)
class Field:
    """A variable on faces: its name, its attributes, whether it has a value a time, and the `VerticalAxis` of
    one with levels."""

    name: str
    attributes: dict
    in_time: bool
    axis: VerticalAxis | None = None

    @property
    def n_maps(self):
        """At one time."""
        return 1 if self.axis is None else self.axis.size

    @property
    def is_direction(self):
        """Whether its values [degrees] are to be averaged as vectors: its standard name tells."""
        return is_direction(self.attributes.get("standard_name", ""))


@dataclass(frozen=True)
class FieldSource:
    """Faces, what is known on them, and how to read it.

    attributes: those of the file; times: float64 (record), empty where nothing changes; time_attributes: of
    their variable, with units and calendar; values(field, record) gives float64 (face), NaN where missing.
    """

    faces: Faces
    fields: tuple
    attributes: dict
    times: np.ndarray
    time_attributes: dict
    values: object

    def chosen(self, names):
        """The fields of these names, in their order, and those that place their levels; all where that is
        None. Raises InputError."""
        known = {field.name: field for field in self.fields}
        for name in names or ():
            if name not in known:
                raise InputError(f"There is no variable '{name}' on faces. There are {', '.join(known)}.")
        if not names:
            return list(self.fields)
        axes = [known[name].axis for name in names if known[name].axis is not None]
        placing = [name for axis in axes for name in axis.needs if name in known]
        return [known[name] for name in dict.fromkeys([*names, *placing])]


def mesh_source(mesh, title):
    """The depth [m] of a `halcyon.mesh.Mesh`. Raises InputError where it has none."""
    depth = np.asarray(mesh.bottom_depth)
    if not len(depth):
        raise InputError(f"{title}: the mesh has no depths (bottomDepth), so there is nothing to average.")
    attributes = {
        "standard_name": "sea_floor_depth_below_sea_surface",
        "long_name": "water depth",
        "units": "m",
    }
    field = Field("depth", attributes, in_time=False)
    return FieldSource(
        Faces.of_mesh(mesh), (field,), {"title": title}, np.empty(0), {}, lambda field, record: depth
    )


def is_ugrid(path):
    """Whether a file is netCDF and describes a mesh as UGRID does."""
    from netCDF4 import Dataset

    try:
        with Dataset(path) as file:
            return mesh_of(file) is not None
    except OSError:
        return False


@contextmanager
def open_fields(paths):
    """The fields of UGRID files on one mesh, such as the segments of a run, in the order of their times.

    Raises InputError for a file that cannot be read, was cut short, has no faces, another mesh or other
    variables than the first, or times that another file has too."""
    with ExitStack() as opened:
        yield _source([opened.enter_context(open_netcdf(path)) for path in map(Path, paths)])


def _source(files):
    first = files[0]
    faces, fields = faces_of(first), tuple(_fields(first))
    for file in files[1:]:
        _check_alike(first, file, faces, fields)
    times, places, attributes = _times(files, fields)

    def values(field, record):
        file, at = places[record] if field.in_time else (first, ...)
        found = np.ma.filled(np.ma.asarray(file[field.name][at], float), np.nan)
        return found if _levels_are_last(file, field) else found.T

    said = {name: str(first.getncattr(name)) for name in first.ncattrs()}
    return FieldSource(faces, fields, said, times, attributes, values)


def mesh_of(file):
    """The variable of an open netCDF file that describes a mesh as UGRID does, or None."""
    found = [v for v in file.variables.values() if getattr(v, "cf_role", "") == "mesh_topology"]
    return found[0] if found else None


def faces_of(file):
    """The `Faces` of an open UGRID file. Raises InputError where its mesh is none."""
    mesh = mesh_of(file)
    if mesh is None:
        raise InputError(
            f"{file.filepath()} holds no fields on faces: none of its variables has the cf_role "
            "mesh_topology. Give a fields_*.nc file of a run, or another UGRID file."
        )
    try:
        nodes = {_role(file[name]): file[name][:] for name in mesh.node_coordinates.split()}
        table = file[mesh.face_node_connectivity]
        start = int(getattr(table, "start_index", 0))
        listed = np.ma.filled(table[:].astype(np.int64), start - 1) - start
        if table.dimensions[0] != getattr(mesh, "face_dimension", table.dimensions[0]):
            listed = listed.T
        return Faces.of_table(nodes["longitude"], nodes["latitude"], listed)
    except (AttributeError, IndexError, KeyError) as error:
        raise InputError(f"{file.filepath()}: the mesh '{mesh.name}' is not whole: {error}.") from None


def _role(variable):
    """longitude or latitude."""
    said = getattr(variable, "standard_name", ""), getattr(variable, "units", "")
    return next((role for role, unit in ROLES.items() if role == said[0] or unit == said[1]), "")


def _fields(file):
    """Variables on faces of the dimensions (face), with a time before it or not, a vertical axis or not."""
    mesh, axis = mesh_of(file), axis_of(file)
    face = getattr(mesh, "face_dimension", file[mesh.face_node_connectivity].dimensions[0])
    for variable in file.variables.values():
        on_faces = (getattr(variable, "mesh", ""), getattr(variable, "location", "")) == (mesh.name, "face")
        others = [name for name in variable.dimensions if name != face]
        has_levels = axis is not None and axis.name in others
        in_time = len(others) - has_levels == 1
        if (
            on_faces
            and len(others) - has_levels in (0, 1)
            and (not in_time or others[0] == variable.dimensions[0])
        ):
            attributes = {name: variable.getncattr(name) for name in variable.ncattrs()}
            yield Field(variable.name, attributes, in_time, axis if has_levels else None)


def _levels_are_last(file, field):
    return field.axis is None or file[field.name].dimensions[-1] == field.axis.name


def _check_alike(first, file, faces, fields):
    ours, theirs = first.filepath(), file.filepath()
    other = faces_of(file)
    if not all(np.array_equal(a, b) for a, b in zip(vars(faces).values(), vars(other).values(), strict=True)):
        raise InputError(f"{theirs} has another mesh than {ours}. Convert files of one mesh at a time.")
    axes = {f.name: f.axis for f in _fields(file)}
    for field in fields:
        if field.axis is not None and not field.axis.same_as(axes.get(field.name, field.axis)):
            raise InputError(f"{theirs} has {field.name} on other levels than {ours}. Convert them apart.")
    missing = {f.name for f in fields} ^ {f.name for f in _fields(file)}
    if missing:
        raise InputError(f"{theirs} and {ours} do not both have {', '.join(sorted(missing))}.")


def _times(files, fields):
    """Times of all files in the units of the first, where each is (file, record), and their attributes."""
    dimensions = {files[0][field.name].dimensions[0] for field in fields if field.in_time}
    if not dimensions:
        return np.empty(0), [], {}
    (name,) = dimensions
    attributes = {key: files[0][name].getncattr(key) for key in files[0][name].ncattrs()}
    rows = [
        (time, (file, record))
        for file in files
        for record, time in enumerate(_in_units(file[name], attributes))
    ]
    rows.sort(key=lambda row: row[0])
    for (before, (ours, _)), (time, (theirs, _)) in pairwise(rows):
        if time == before:
            raise InputError(
                f"{ours.filepath()} and {theirs.filepath()} both have the time {time:g} "
                f"({attributes['units']}). Give each time once."
            )
    return np.array([time for time, _ in rows]), [place for _, place in rows], attributes


def _in_units(variable, attributes):
    """The times of a variable in the units and calendar of others."""
    from cftime import date2num, num2date

    units, calendar = attributes["units"], attributes.get("calendar", "standard")
    if variable.units == units:
        return np.ma.filled(variable[:].astype(float), np.nan)
    dates = num2date(variable[:], variable.units, getattr(variable, "calendar", "standard"))
    return date2num(dates, units, calendar)
