"""Fields on faces as they are read: those of UGRID files, of which several may follow each other in time."""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.io.attributes import is_direction
from halcyon.io.vertical_axis import VerticalAxis, axis_of
from halcyon.mesh.cf_file import numbers, open_netcdf, roles
from halcyon.remap import Faces


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
    import xarray as xr

    try:
        with xr.open_dataset(path, engine="netcdf4", decode_cf=False) as file:
            return mesh_of(file) is not None
    except OSError:
        return False


@contextmanager
def open_fields(paths):
    """The fields of UGRID files on one mesh, such as the segments of a run, in the order of their times.

    Raises InputError for a file that cannot be read, was cut short, has no faces, another mesh or other
    variables than the first, or times that another file has too."""
    with ExitStack() as opened:
        yield _source([(path, opened.enter_context(open_netcdf(path))) for path in map(Path, paths)])


def _source(files):
    path, first = files[0]
    faces, fields = faces_of(path, first), tuple(_fields(first))
    for other in files[1:]:
        _check_alike(path, *other, faces, fields)
    times, places, attributes = _times(files, fields)

    def values(field, record):
        file, at = places[record] if field.in_time else (first, None)
        found = file[field.name]
        found = found.isel({found.dims[0]: at}) if field.in_time else found
        return numbers(found.compute().transpose(_face_of(file), ...))

    said = {name: str(value) for name, value in first.attrs.items()}
    return FieldSource(faces, fields, said, times, attributes, values)


def mesh_of(file):
    """The variable of an open file that describes a mesh as UGRID does, or None."""
    return next(iter(file.filter_by_attrs(cf_role="mesh_topology").data_vars.values()), None)


def faces_of(path, file):
    """The `Faces` of an open UGRID file. Raises InputError where its mesh is none."""
    mesh = mesh_of(file)
    if mesh is None:
        raise InputError(
            f"{path} holds no fields on faces: none of its variables has the cf_role mesh_topology. Give a"
            " fields_*.nc file of a run, or another UGRID file."
        )
    try:
        nodes = roles(file[mesh.attrs["node_coordinates"].split()])
        table = file[mesh.attrs["face_node_connectivity"]]
        listed = numbers(table.compute().transpose(_face_of(file), ...)) - table.attrs.get("start_index", 0)
        lon, lat = (numbers(file[nodes[role][0]]) for role in ("longitude", "latitude"))
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: the mesh '{mesh.name}' is not whole: {error}.") from None
    return Faces.of_table(lon, lat, np.nan_to_num(listed, nan=-1).astype(np.int64))


def _face_of(file):
    """The dimension of faces."""
    mesh = mesh_of(file)
    return mesh.attrs.get("face_dimension") or file[mesh.attrs["face_node_connectivity"]].dims[0]


def _fields(file):
    """Variables on faces of the dimensions (face), with a time before it or not, a vertical axis or not."""
    mesh, axis, face = mesh_of(file), axis_of(file), _face_of(file)
    for name, variable in file.variables.items():
        on_faces = (variable.attrs.get("mesh"), variable.attrs.get("location")) == (mesh.name, "face")
        others = [each for each in variable.dims if each != face]
        has_levels = axis is not None and axis.name in others
        n_others = len(others) - has_levels
        if on_faces and (n_others == 0 or (n_others == 1 and others[0] == variable.dims[0])):
            yield Field(name, dict(variable.attrs), n_others == 1, axis if has_levels else None)


def _check_alike(ours, theirs, file, faces, fields):
    other = faces_of(theirs, file)
    if not all(np.array_equal(a, b) for a, b in zip(vars(faces).values(), vars(other).values(), strict=True)):
        raise InputError(f"{theirs} has another mesh than {ours}. Convert files of one mesh at a time.")
    axes = {f.name: f.axis for f in _fields(file)}
    for field in fields:
        if field.axis is not None and not field.axis.same_as(axes.get(field.name, field.axis)):
            raise InputError(f"{theirs} has {field.name} on other levels than {ours}. Convert them apart.")
    missing = {f.name for f in fields} ^ {*axes}
    if missing:
        raise InputError(f"{theirs} and {ours} do not both have {', '.join(sorted(missing))}.")


def _times(files, fields):
    """Times of all files in the units of the first, where each is (file, record), and their attributes."""
    first = files[0][1]
    dimensions = {first[field.name].dims[0] for field in fields if field.in_time}
    if not dimensions:
        return np.empty(0), [], {}
    (name,) = dimensions
    attributes = dict(first[name].attrs)
    rows = [
        (time, path, (file, record))
        for path, file in files
        for record, time in enumerate(_in_units(file[name], attributes))
    ]
    rows.sort(key=lambda row: row[0])
    for (before, ours, _), (time, theirs, _) in pairwise(rows):
        if time == before:
            raise InputError(
                f"{ours} and {theirs} both have the time {time:g} ({attributes['units']}). Give each time"
                " once."
            )
    return np.array([time for time, _, _ in rows]), [place for _, _, place in rows], attributes


def _in_units(time, attributes):
    """Times in the units and calendar of others."""
    from cftime import date2num, num2date

    units, calendar = attributes["units"], attributes.get("calendar", "standard")
    if time.attrs["units"] == units:
        return numbers(time)
    dates = num2date(time.values, time.attrs["units"], time.attrs.get("calendar", "standard"))
    return date2num(dates, units, calendar)
