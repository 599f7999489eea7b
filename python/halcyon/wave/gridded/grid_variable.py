"""How a quantity lies in a netCDF file: its variable, its axes, and how a part of a record is read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import find, numbers, open_netcdf, plain_unit, reading, time_of, times_of
from halcyon.wave.gridded.interpolation import Axes

_REMEDY = "name them by the option units where the file is wrong."


@dataclass(frozen=True)
class GridVariable:
    """A variable of a file on axes: its times, datetime64[ms] UTC (record), and their dimension, None where
    it has none; taken: the indices that are taken of others; factor: into the unit of the quantity."""

    path: Path
    name: str
    axes: Axes
    times: np.ndarray
    time: str | None
    taken: dict[str, int]
    factor: float

    def read(self, record, window):
        """A window (row, column) of a record in the quantity's unit, NaN where missing.

        Raises InputError where the file cannot be read."""
        taken = self.taken if self.time is None else self.taken | {self.time: record}
        with reading(f"{self.path}: {self.name}, record {record},"), open_netcdf(self.path) as file:
            return self.factor * self.axes.read(file[self.name].isel(taken), window).astype(float)


def grid_variables(path, wanted, unit):
    """The `GridVariable` that a file has of each quantity: the named one, else the one that is plainly it.

    wanted: a name, or None, by quantity; unit: as an option says, or None. Raises InputError for a file that
    cannot be read, has several of a quantity, or units, axes or times that are none."""
    with open_netcdf(path) as file, reading(path, "as netCDF"):
        held = {q: _variable(path, file, q, name) for q, name in wanted.items()}
        held = {q: variable for q, variable in held.items() if variable is not None}
        axes = Axes.of(path, file) if held else None
        return {q: _laid_out(path, file, variable, q, axes, unit) for q, variable in held.items()}


def _variable(path, file, quantity, name):
    if name is not None:
        return file.get(name)
    return find(path, file, quantity, "Name one by the option variables.")


def _laid_out(path, file, variable, quantity, axes, unit):
    time, place = time_of(file, variable), f"{path}: {variable.name}"
    if time is None:
        raise InputError(f"{place} has no times, in units like 'hours since 2022-01-01'.")
    times = times_of(path, time)
    if not set(axes.dimensions) <= set(variable.dims):
        raise InputError(f"{place} is not on latitude and longitude, but on {', '.join(variable.dims)}.")
    given = unit if unit is not None else variable.attrs.get("units")
    if given is None:
        raise InputError(f"{place} has no units. Name them by the option units, such as '{quantity.unit}'.")
    along = time.dims[0] if time.ndim and time.dims[0] in variable.dims else None
    others = [name for name in variable.dims if name not in (along, *axes.dimensions)]
    taken = {name: _index(place, file, name, quantity) for name in others}
    remedy = f"Known are {', '.join(quantity.units)}; {_REMEDY}"
    factor = quantity.factor(str(given), place, remedy)
    return GridVariable(path, variable.name, axes, times, along, taken, factor)


def _index(place, file, dimension, quantity):
    """The index that is taken of a dimension that is neither time nor place: the only one, or that of the
    wanted height."""
    size, (wanted, slack) = file.sizes[dimension], quantity.height
    if size == 1:
        return 0
    heights = file.get(dimension)
    if heights is not None and plain_unit(heights) in ("m", ""):
        values = np.abs(numbers(heights))
        nearest = int(np.argmin(np.abs(values - wanted)))
        if abs(values[nearest] - wanted) <= slack:
            return nearest
    raise InputError(
        f"{place} has the dimension {dimension} of {size}, of which none is plainly at {wanted:g} m. Select"
        " one in the file."
    )
