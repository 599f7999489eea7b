"""A gridded variable of a netCDF file: its grid, and access to parts of its records."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core.mesh import require_complete
from halcyon.base import ChoiceError, InputError
from halcyon.mesh.cf_file import find_variable, numbers, reading, short_unit, time_of, times_of
from halcyon.mesh.data_file import coordinate_values, open_data, values_text
from halcyon.wave.gridded.grid import Grid
from halcyon.wave.gridded.netcdf_grid import grids_of
from halcyon.wave.gridded.quantity import DIRECTION, SPEED, WIND

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.wave.gridded.grid import Window
    from halcyon.wave.gridded.quantity import Quantity


_WRONG_UNIT_REMEDY = "set the option units if the file is wrong."
# Kinds of level of GRIB at which winds, ice, currents and water levels are.
_SURFACES = ("surface", "meanSea", "heightAboveGround", "depthBelowSea", "depthBelowSeaLayer", "oceanSurface")
PRESSURES = ("pa", "hpa", "mbar", "mb", "millibar", "millibars")  # units, as `short_unit` spells them
_RECORD_KEYS = ("number", "expver", "dataType", "dataDate", "dataTime", "step", "level", "time")


@dataclass(frozen=True, eq=False)
class GridVariable:
    """A gridded variable of a file.

    data: the variable, whose values are read by index; grids: its grid, or one per record if it moves; times:
    datetime64[ms] UTC (record); record_dimensions: dimensions of the records, none or several for a single
    time or forecasts; record_indices: indices along these (record, dimension); indices: index along each
    other dimension that is not horizontal; merged: dimension of which the first value that is not missing
    counts, or None; factor: converts the variable's unit to the quantity's; relative_to_grid: whether it is
    the component of a vector along an axis of the grid, None if the file does not say; keys: what
    distinguishes records of the same time, values (record) by name."""

    path: Path
    data: Any
    grids: tuple[Grid, ...]
    times: np.ndarray
    record_dimensions: tuple[str, ...]
    record_indices: np.ndarray
    indices: dict[str, int]
    merged: str | None
    factor: float
    relative_to_grid: bool | None = None
    keys: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name in the file."""
        return self.data.name

    def grid_of(self, record: int) -> Grid:
        """Returns the grid of a record."""
        return self.grids[record if len(self.grids) > 1 else 0]

    def read(self, record: int, window: Window) -> np.ndarray:
        """Reads a window (row, column) of a record in the quantity's unit, NaN where missing.

        Raises InputError where the file cannot be read."""
        with reading(f"{self.path}: {self.name}, record {record},"):  # begins the error "... cannot be read"
            values = self.grid_of(record).read(self._record(record), window).astype(float)
        if self.merged is not None:
            first, *others = values
            for other in others:
                first = np.where(np.isnan(first), other, first)
            values = first
        return self.factor * values

    def raw(self, record: int) -> np.ndarray:
        """Reads all values of a record as they are in the file."""
        with reading(f"{self.path}: {self.name}, record {record},"):
            return self._record(record).values

    def _record(self, record: int) -> xr.DataArray:
        if self.path.is_file():
            require_complete(str(self.path))  # of a file cut short in the meantime, netCDF returns zeros
        return self.data.isel(
            self.indices | dict(zip(self.record_dimensions, self.record_indices[record], strict=True))
        )


@dataclass(frozen=True, eq=False)
class WindComponent(GridVariable):
    """A component of a wind whose speed and direction are in a file. The other members are those of the
    speed.

    direction: of the wind; component: np.sin for the eastward, np.cos for the northward; sign: -1 for a
    direction from which the wind comes, clockwise from north."""

    direction: Any = None  # a GridVariable
    component: Any = None
    sign: int = -1

    @property
    def name(self) -> str:
        return f"{self.data.name} and {self.direction.name}"

    def read(self, record: int, window: Window) -> np.ndarray:
        speed, degrees = super().read(record, window), self.direction.read(record, window)
        lowest, highest = DIRECTION.limits
        values = self.sign * speed * self.component(np.radians(degrees))
        values = np.where((speed < 0) | (degrees < lowest) | (degrees > highest), np.inf, values)
        return np.where(speed == 0, 0.0, values)  # a calm may have no direction

    def raw(self, record: int) -> np.ndarray:
        return np.stack([super().raw(record), self.direction.raw(record)])


def grid_variables(
    path: Path,
    requested: Mapping[Quantity, str | None],
    unit: str | None,
    *,
    select: Mapping[str, Any] | None = None,
    means: bool = False,
) -> Mapping[Quantity, GridVariable]:
    """Returns the `GridVariable` of each quantity in a file, found by name, else by its attributes. In files
    without components of the wind these are made of its speed and direction.

    requested: dict of the variable name of each quantity, None to find it by its attributes; unit: overrides
    the unit in the file, or None; select: values of keys or coordinates (dict), see `open_data`; means:
    whether means over time intervals are taken. Raises InputError for a file that cannot be read, has several
    candidates for a quantity, or invalid units, axes or times."""
    with open_data(path, select) as file, reading(path):
        found = _found_variables(path, file, requested, unit, means)
        if found or {*requested} != {*WIND} or any(requested.values()):
            return found
        return _components(path, _found_variables(path, file, {SPEED: None, DIRECTION: None}, unit, means))


def _found_variables(
    path: Path, file: xr.Dataset, requested: Mapping[Quantity, str | None], unit: str | None, means: bool
) -> dict[Quantity, GridVariable]:
    found = {q: _find_variable(path, file, q, name, means) for q, name in requested.items()}
    variables = {q: variable for q, variable in found.items() if variable is not None}
    _require_unswapped(path, requested, variables)
    grids = _grids_of_variables(path, file, variables.values())
    return {
        q: _grid_variable(path, file, variable, q, tuple(of_variable), None if q is DIRECTION else unit)
        for (q, variable), of_variable in zip(variables.items(), grids, strict=True)
    }


def _components(path: Path, found: Mapping[Quantity, GridVariable]) -> Mapping[Quantity, GridVariable]:
    """Returns both components of a wind from the speed and the direction that were found; without one of
    these, none."""
    if len(found) < 2:
        return {}
    speed, direction = found[SPEED], found[DIRECTION]
    if not np.array_equal(speed.times, direction.times) or not speed.grids[0].is_read_as(direction.grids[0]):
        raise InputError(
            f"{path}: {speed.name} and {direction.name} are on different grids or at different times. Give"
            " eastward and northward components of the wind."
        )
    members = {each.name: getattr(speed, each.name) for each in fields(GridVariable)}
    members |= {"relative_to_grid": False, "direction": direction}
    sign = 1 if direction.data.attrs.get("standard_name") == "wind_to_direction" else -1
    return {
        quantity: WindComponent(**members, component=component, sign=sign)
        for quantity, component in zip(WIND, (np.sin, np.cos), strict=True)
    }


def unsuitable_text(path: Path, quantity: Quantity, select: Mapping[str, Any] | None) -> str:
    """Returns a text on variables of a file that are the quantity at other heights, or its means; empty if
    there are none."""
    with open_data(path, select) as file:
        found = [
            file[name]
            for name, v in file.variables.items()
            if v.attrs.get("standard_name") in quantity.standard_names or _names(v, name) & {*quantity.names}
        ]
        texts = [f"{v.name} ({_level_text(path, file, v)})" for v in found]
    if not texts:
        return ""
    return f" Not at {quantity.height[0]:g} m, or not at an instant: {', '.join(texts)}."


def _level_text(path: Path, file: xr.Dataset, variable: xr.DataArray) -> str:
    kind, step = variable.attrs.get("GRIB_typeOfLevel"), variable.attrs.get("GRIB_stepType", "instant")
    vertical = [str(name) for name in variable.dims if name == kind or _is_above_surface(file, name)]
    levels = [values_text(coordinate_values(path, file, name)) for name in vertical]
    levels += [str(variable.attrs[key]) for key in ["GRIB_level"] if key in variable.attrs and not levels]
    return " ".join(
        filter(None, [str(kind or "".join(vertical)), *levels, step if step != "instant" else ""])
    )


def _grids_of_variables(
    path: Path, file: xr.Dataset, variables: Iterable[xr.DataArray]
) -> Iterator[list[Grid]]:
    """Yields the grids of each variable; the same objects for variables on the same dimensions."""
    grids: dict[Any, list[Grid]] = {}
    for variable in variables:
        key = variable.dims, variable.attrs.get("coordinates"), variable.attrs.get("grid_mapping")
        grids[key] = grids.get(key) or grids_of(path, file, variable)
        yield grids[key]


def _find_variable(
    path: Path, file: xr.Dataset, quantity: Quantity, name: str | None, means: bool
) -> xr.DataArray | None:
    """Returns the variable of a quantity, or None if the file has none."""
    if name is not None:
        return file.get(name)

    def fits(variable: xr.Variable | xr.DataArray) -> bool:
        return (means or variable.attrs.get("GRIB_stepType", "instant") == "instant") and _is_at_height(
            file, variable, quantity
        )

    return find_variable(path, file, quantity, "Name one by the option variables.", fits)


def _require_unswapped(
    path: Path, requested: Mapping[Quantity, str | None], variables: Mapping[Quantity, xr.DataArray]
) -> None:
    """Raises InputError where a named variable is the other component of the vector, by its standard name,
    or without one by its name."""
    if len(requested) != 2 or not all(requested.values()):
        return
    for quantity, other in permutations(requested):
        if quantity not in variables:
            continue
        variable = variables[quantity]
        standard_name = variable.attrs.get("standard_name")
        if standard_name in other.standard_names or (
            standard_name is None and _names(variable, variable.name) & {*other.names}
        ):
            east, north = requested.values()
            reason = f"its standard_name is {standard_name}" if standard_name else "by its name"
            remedy = f"set variables: {{eastward: {north}, northward: {east}}}"
            raise InputError(
                f"{path}: {variable.name} is {other.name} ({reason}), but the option variables names it as"
                f" {quantity.name}. {'Name two variables.' if east == north else f'Mend it: {remedy}.'}"
            )


def _is_at_height(file: xr.Dataset, variable: xr.Variable | xr.DataArray, quantity: Quantity) -> bool:
    """Returns whether a variable may be at the height of a quantity: not on levels of pressure or of a
    model."""
    kind, level = (variable.attrs.get(f"GRIB_{key}") for key in ("typeOfLevel", "level"))
    requested, tolerance = quantity.height
    if kind is not None and (kind not in _SURFACES):
        return False
    if kind in ("heightAboveGround", "depthBelowSea") and level is not None:
        return abs(level - requested) <= tolerance
    return not any(_is_above_surface(file, name) for name in variable.dims)


def _is_above_surface(file: xr.Dataset, dimension: Hashable) -> bool:
    """Returns whether the levels of a dimension are pressures, or numbers of a model's levels."""
    levels = file.variables.get(dimension)
    return levels is not None and (
        levels.attrs.get("standard_name") in ("air_pressure", "atmosphere_hybrid_sigma_pressure_coordinate")
        or short_unit(str(levels.attrs.get("units", ""))) in PRESSURES
    )


def _names(variable: xr.Variable | xr.DataArray, name: Hashable) -> set[str]:
    return {str(name).lower(), str(variable.attrs.get("GRIB_cfVarName", "")).lower()}


def _grid_variable(
    path: Path,
    file: xr.Dataset,
    variable: xr.DataArray,
    quantity: Quantity,
    grids: tuple[Grid, ...],
    unit: str | None,
) -> GridVariable:
    label = f"{path}: {variable.name}"
    horizontal = grids[0].dimensions
    if not set(horizontal) <= set(variable.dims):
        raise InputError(
            f"{label} is not on latitude and longitude, but on {', '.join(map(str, variable.dims))}."
        )
    times, dimensions, record_indices = _records(path, file, variable)
    variable_unit = unit if unit is not None else variable.attrs.get("units")
    if variable_unit is None:
        raise InputError(f"{label} has no units. Set the option units, such as '{quantity.unit}'.")
    others = [str(name) for name in variable.dims if name not in (*dimensions, *horizontal)]
    merged = next((name for name in others if name == "expver" and file.sizes[name] > 1), None)
    if merged is not None:  # final fields (1) before preliminary ones (5)
        versions = [str(version) for version in coordinate_values(path, file, merged)]
        variable = variable.isel({merged: np.argsort(versions, kind="stable")})
    indices = {name: _index(path, file, variable, name, quantity) for name in others if name != merged}
    remedy = f"Allowed are {', '.join(quantity.units)}; {_WRONG_UNIT_REMEDY}"
    factor = quantity.factor(str(variable_unit), label, remedy)
    return GridVariable(
        path=path,
        data=variable.reset_coords(drop=True),
        grids=grids,
        times=times,
        record_dimensions=dimensions,
        record_indices=record_indices,
        indices=indices,
        merged=merged,
        factor=factor,
        relative_to_grid=_relative_to_grid(variable),
        keys=_record_keys(path, file, dimensions, record_indices),
    )


def _records(
    path: Path, file: xr.Dataset, variable: xr.DataArray
) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """Returns the times (record), the dimensions of the records, and the indices along these (record,
    dimension).

    A valid time of two dimensions, as of forecasts (time, step), is preferred."""
    of_forecasts = [
        file[name]
        for name, v in file.variables.items()
        if v.ndim == 2
        and "since" in str(v.attrs.get("units"))
        and set(v.dims) <= set(variable.dims)
        and v.attrs.get("standard_name") != "forecast_reference_time"
    ]
    time = of_forecasts[0] if of_forecasts else time_of(file, variable)
    if time is None:
        time = _text_times(file, variable)
    if time is None:
        raise InputError(
            f"{path}: {variable.name} has no time coordinate in units such as 'hours since 2022-01-01'."
        )
    times = times_of(path, time) if time.dtype.kind in "iuf" else _times_of_texts(path, time)
    dimensions = tuple(map(str, time.dims)) if set(time.dims) <= set(variable.dims) else ()
    shape = [file.sizes[name] for name in dimensions]
    return times, dimensions, np.array([*np.ndindex(*shape)], int).reshape(len(times), len(shape))


def _record_keys(
    path: Path, file: xr.Dataset, dimensions: Sequence[str], record_indices: np.ndarray
) -> dict[str, list[Any]]:
    """Returns what distinguishes the records: values (record) of the one-dimensional coordinates of
    _RECORD_KEYS on their dimensions."""
    keys = {}
    for name, v in file.variables.items():
        key = v.attrs.get("GRIB_key", name)
        if v.ndim == 1 and key in _RECORD_KEYS and v.dims[0] in dimensions:
            values = coordinate_values(path, file, str(name))
            keys[key] = [values[row[dimensions.index(v.dims[0])]] for row in record_indices]
    return keys if len(dimensions) > 1 else {key: v for key, v in keys.items() if key != "time"}


def _text_times(file: xr.Dataset, variable: xr.DataArray) -> xr.DataArray | None:
    """Returns the times as texts that WRF writes (variable Times), or None."""
    times = file.get("Times")
    is_text = times is not None and times.dtype.kind in "SU" and times.ndim == 1
    return times if times is not None and is_text and times.dims[0] in variable.dims else None


def _times_of_texts(path: Path, times: xr.DataArray) -> np.ndarray:
    """Returns the times, datetime64[ms] UTC, of texts such as 2005-08-28_12:00:00."""
    with reading(f"{path}: {times.name}"):
        texts = [text.decode("ascii", "replace") for text in np.asarray(times.values, "S").tolist()]
        return np.array([text.strip().replace("_", "T") for text in texts], "datetime64[ms]")


def _relative_to_grid(variable: xr.DataArray) -> bool | None:
    """Returns whether a component of a vector is along an axis of its grid, None if the file does not say:
    by the flag of GRIB, the CF standard name (x_wind, eastward_wind), or since WRF wrote it."""
    name, attributes = str(variable.attrs.get("standard_name", "")), variable.attrs
    if "GRIB_uvRelativeToGrid" in attributes:  # ecCodes' standard names say eastward also of those of a grid
        return bool(attributes["GRIB_uvRelativeToGrid"])
    if re.search(r"eastward|northward", name):
        return False
    if re.search(r"(^|_)[xy](_|$)", name):
        return True
    return True if "MemoryOrder" in attributes else None


def _are_heights(coordinate: xr.DataArray) -> bool:
    """Returns whether a coordinate has heights or depths, not numbers of members or categories: by its unit,
    or without one by what it says of its direction, or its name."""
    if short_unit(coordinate) == "m":
        return True
    is_vertical = "positive" in coordinate.attrs or re.match("height|depth", str(coordinate.name).lower())
    return short_unit(coordinate) == "" and bool(is_vertical)


def _index(path: Path, file: xr.Dataset, variable: xr.DataArray, dimension: str, quantity: Quantity) -> int:
    """Returns the index along a dimension that is neither time nor horizontal: 0 if the size is 1, else the
    index of the height or depth of the quantity."""
    size, (requested, tolerance) = file.sizes[dimension], quantity.height
    if size == 1:
        return 0
    heights = file.get(dimension)
    if heights is not None and heights.dtype.kind in "iuf" and _are_heights(heights):
        values = np.abs(numbers(heights))
        nearest = int(np.argmin(np.abs(values - requested)))
        if abs(values[nearest] - requested) <= tolerance:
            return nearest
    values = coordinate_values(path, file, dimension)
    missing = f", but no coordinate {dimension} [m] with a value near {requested:g} m"
    raise ChoiceError(
        f"{path}: {variable.name} has the dimension {dimension} of size {size}"
        f"{'' if dimension in _RECORD_KEYS else missing} ({values_text(values)}). Choose one: select:"
        f" {{{dimension}: {values_text(values[:1])}}}.",
        select={dimension: values[0]},
    )
