"""How a quantity lies in a netCDF file: its variable, its axes, and how a part of a record is read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.grid_file import LATITUDES, LONGITUDES, find_axis
from halcyon.wave.gridded.axes import Axes
from halcyon.wave.gridded.times import time_variable

_HEIGHTS = ("m", "meter", "meters", "metre", "metres", "")


@dataclass(frozen=True)
class GridVariable:
    """A variable of a file: what each of its dimensions is, "time", "latitude", "longitude", or the index
    that is taken of it; factor: into the unit of the quantity."""

    path: Path
    name: str
    roles: tuple[str | int, ...]
    factor: float

    def read(self, record, axes, window):
        """A window (row, column) of a record in the quantity's unit, NaN where missing.

        Raises InputError where the file cannot be read."""
        from netCDF4 import Dataset

        rows, pieces = axes.file_rows(window), axes.file_columns(window)
        try:
            with Dataset(self.path) as file:
                parts = [self._part(file[self.name], record, rows, columns) for columns in pieces]
        except (OSError, RuntimeError, IndexError) as error:
            raise InputError(f"{self.path}: {self.name}, record {record}, cannot be read: {error}.") from None
        values = np.concatenate(parts, axis=1)
        return self.factor * (values[::-1] if axes.rows_descend else values)

    def _part(self, variable, record, rows, columns):
        taken = {"time": record, "latitude": rows, "longitude": columns}
        index = tuple(taken[role] if isinstance(role, str) else role for role in self.roles)
        values = np.ma.filled(np.ma.asarray(variable[index], float), np.nan)
        return values if self.roles.index("latitude") < self.roles.index("longitude") else values.T


def find_variable(path, file, quantity, name):
    """The variable of a quantity: the named one; else that of the standard name; else one of a known name.
    None where the file has none; raises InputError where it has several."""
    if name is not None:
        return file.variables.get(name)
    by_name = [v for v in file.variables.values() if v.name.lower() in quantity.names]
    standard = [v for v in file.variables.values() if _standard_name(v) in quantity.standard_names]
    found = standard if len(standard) == 1 else [v for v in standard if v in by_name] or standard or by_name
    if len(found) > 1:
        raise InputError(
            f"{path} has {len(found)} variables that may be {quantity.name}: "
            f"{', '.join(v.name for v in found)}. Name one by the option variables."
        )
    return found[0] if found else None


def _standard_name(variable):
    return getattr(variable, "standard_name", "")


def axes_of(path, file):
    """The longitudes and latitudes of a file's fields. Raises InputError where they are no one-dimensional
    axes."""
    lat = find_axis(path, file, "latitude", LATITUDES, "degrees_north")
    lon = find_axis(path, file, "longitude", LONGITUDES, "degrees_east")
    found = Axes.of(path, _numbers(lat), _numbers(lon))
    return found, (lat.dimensions[0], lon.dimensions[0])


def laid_out(path, file, variable, quantity, dimensions, unit):
    """The `GridVariable` of a variable on the dimensions of latitude and longitude; unit: as an option says,
    or None. Raises InputError for units that are none, and for a dimension of which no index is plain."""
    time = time_variable(file, variable)
    known = dict(zip(dimensions, ("latitude", "longitude"), strict=True))
    if time is not None and time.ndim == 1 and time.dimensions[0] in variable.dimensions:
        known[time.dimensions[0]] = "time"
    place = f"{path}: {variable.name}"
    if not set(dimensions) <= set(variable.dimensions):
        raise InputError(
            f"{place} is not on latitude and longitude, but on {', '.join(variable.dimensions)}."
        )
    given = unit if unit is not None else getattr(variable, "units", None)
    if given is None:
        raise InputError(f"{place} has no units. Name them by the option units, such as '{quantity.unit}'.")
    roles = tuple(known.get(name) or _index(place, file, name, quantity) for name in variable.dimensions)
    return GridVariable(Path(path), variable.name, roles, quantity.factor(str(given), place))


def _index(place, file, dimension, quantity):
    """The index that is taken of a dimension that is neither time nor place: the only one, or that of the
    wanted height."""
    if len(file.dimensions[dimension]) == 1:
        return 0
    wanted, slack = quantity.height
    heights = file.variables.get(dimension)
    if heights is not None and getattr(heights, "units", "?").strip().lower() in _HEIGHTS:
        values = np.abs(_numbers(heights))
        nearest = int(np.argmin(np.abs(values - wanted)))
        if abs(values[nearest] - wanted) <= slack:
            return nearest
    raise InputError(
        f"{place} has the dimension {dimension} of {len(file.dimensions[dimension])}, of which none is "
        f"plainly at {wanted:g} m. Select one in the file."
    )


def _numbers(variable):
    return np.ma.filled(np.ma.asarray(variable[:], float), np.nan)
