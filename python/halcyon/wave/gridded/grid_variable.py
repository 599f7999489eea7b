"""A gridded variable of a netCDF file: its grid, and access to parts of its records."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import find_variable, numbers, open_netcdf, reading, short_unit, time_of, times_of
from halcyon.wave.gridded.grid import Grid
from halcyon.wave.gridded.netcdf_grid import grids_of

_WRONG_UNIT_REMEDY = "set the option units if the file is wrong."


@dataclass(frozen=True)
class GridVariable:
    """A gridded variable of a file.

    grids: its grid, or one per record if it moves; times: datetime64[ms] UTC (record); time_dimension: its
    name, or None; indices: index along each dimension that is neither time nor horizontal; factor: converts
    the variable's unit to the quantity's; relative_to_grid: whether it is the component of a vector along an
    axis of the grid, None if the file does not say."""

    path: Path
    name: str
    grids: tuple[Grid, ...]
    times: np.ndarray
    time_dimension: str | None
    indices: dict[str, int]
    factor: float
    relative_to_grid: bool | None = None

    def grid_of(self, record):
        """Returns the grid of a record."""
        return self.grids[record if len(self.grids) > 1 else 0]

    def read(self, record, window):
        """Reads a window (row, column) of a record in the quantity's unit, NaN where missing.

        Raises InputError where the file cannot be read."""
        indices = dict(self.indices)
        if self.time_dimension is not None:
            indices[self.time_dimension] = record
        label = f"{self.path}: {self.name}, record {record},"  # begins the error "... cannot be read"
        with reading(label), open_netcdf(self.path) as file:
            return self.factor * self.grid_of(record).read(file[self.name].isel(indices), window).astype(
                float
            )


def grid_variables(path, requested, unit):
    """Returns the `GridVariable` of each quantity in a file, found by name, else by its attributes.

    requested: dict of the variable name of each quantity, None to find it by its attributes; unit: overrides
    the unit in the file, or None. Raises InputError for a file that cannot be read, has several candidates
    for a quantity, or invalid units, axes or times."""
    with open_netcdf(path) as file, reading(path, "as netCDF"):
        variables = {q: _find_variable(path, file, q, name) for q, name in requested.items()}
        variables = {q: variable for q, variable in variables.items() if variable is not None}
        grids = _grids_of_variables(path, file, variables.values())
        return {
            q: _grid_variable(path, file, variable, q, tuple(of_variable), unit)
            for (q, variable), of_variable in zip(variables.items(), grids, strict=True)
        }


def _grids_of_variables(path, file, variables):
    """Yields the grids of each variable; the same objects for variables on the same dimensions."""
    grids = {}
    for variable in variables:
        key = variable.dims, variable.attrs.get("coordinates"), variable.attrs.get("grid_mapping")
        grids[key] = grids.get(key) or grids_of(path, file, variable)
        yield grids[key]


def _find_variable(path, file, quantity, name):
    """Returns the variable of a quantity, or None if the file has none."""
    if name is not None:
        return file.get(name)
    return find_variable(path, file, quantity, "Name one by the option variables.")


def _grid_variable(path, file, variable, quantity, grids, unit):
    label = f"{path}: {variable.name}"
    time = time_of(file, variable)
    if time is None:
        time = _text_times(file, variable)
    if time is None:
        raise InputError(f"{label} has no time coordinate in units such as 'hours since 2022-01-01'.")
    times = times_of(path, time) if time.dtype.kind in "iuf" else _times_of_texts(path, time)
    horizontal = grids[0].dimensions
    if not set(horizontal) <= set(variable.dims):
        raise InputError(f"{label} is not on latitude and longitude, but on {', '.join(variable.dims)}.")
    variable_unit = unit if unit is not None else variable.attrs.get("units")
    if variable_unit is None:
        raise InputError(f"{label} has no units. Set the option units, such as '{quantity.unit}'.")
    time_dimension = time.dims[0] if time.ndim and time.dims[0] in variable.dims else None
    other_dimensions = [name for name in variable.dims if name not in (time_dimension, *horizontal)]
    indices = {name: _index(label, file, name, quantity) for name in other_dimensions}
    remedy = f"Allowed are {', '.join(quantity.units)}; {_WRONG_UNIT_REMEDY}"
    factor = quantity.factor(str(variable_unit), label, remedy)
    return GridVariable(
        path, variable.name, grids, times, time_dimension, indices, factor, _relative_to_grid(variable)
    )


def _text_times(file, variable):
    """Returns the times as texts that WRF writes (variable Times), or None."""
    times = file.get("Times")
    is_text = times is not None and times.dtype.kind in "SU" and times.ndim == 1
    return times if is_text and times.dims[0] in variable.dims else None


def _times_of_texts(path, times):
    """Returns the times, datetime64[ms] UTC, of texts such as 2005-08-28_12:00:00."""
    with reading(f"{path}: {times.name}"):
        texts = [text.decode("ascii", "replace") for text in np.asarray(times.values, "S").tolist()]
        return np.array([text.strip().replace("_", "T") for text in texts], "datetime64[ms]")


def _relative_to_grid(variable):
    """Returns whether a component of a vector is along an axis of its grid, None if the file does not say:
    by the flag of GRIB, the CF standard name (x_wind, eastward_wind), or since WRF wrote it."""
    name, attributes = str(variable.attrs.get("standard_name", "")), variable.attrs
    if "GRIB_uvRelativeToGrid" in attributes:
        return bool(attributes["GRIB_uvRelativeToGrid"])
    if re.search(r"eastward|northward", name):
        return False
    if re.search(r"(^|_)[xy](_|$)", name):
        return True
    return True if "MemoryOrder" in attributes else None


def _index(label, file, dimension, quantity):
    """Returns the index along a dimension that is neither time nor horizontal: 0 if the size is 1, else the
    index of the height or depth of the quantity."""
    size, (requested, tolerance) = file.sizes[dimension], quantity.height
    if size == 1:
        return 0
    heights = file.get(dimension)
    if heights is not None and short_unit(heights) in ("m", ""):
        values = np.abs(numbers(heights))
        nearest = int(np.argmin(np.abs(values - requested)))
        if abs(values[nearest] - requested) <= tolerance:
            return nearest
    raise InputError(
        f"{label} has the dimension {dimension} of size {size}, but no coordinate {dimension} [m] with a"
        f" value near {requested:g} m. Select one level in the file."
    )
