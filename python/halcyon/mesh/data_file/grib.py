"""Opens GRIB files of edition 1 and 2 as datasets: the messages with the same parameter, kind of level, kind
of step and grid are one variable."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import AbsentError, InputError, require_memory, require_regular_file
from halcyon.mesh.cf_file import reading
from halcyon.mesh.data_file.grib_grid import (
    ONE_DIMENSIONAL,
    PROJECTED,
    REDUCED,
    TURNED,
    axes_of,
    points_of,
    shape_of,
)
from halcyon.mesh.file_reader import ask, lazy_array
from halcyon.mesh.reader_process import version_of

if TYPE_CHECKING:
    import xarray as xr


SHOWN_VALUES = 8
MOST_VARIABLES = 3000
_BYTES_PER_POSITION = 100  # with those of the projection
# Keys in which records of the same valid time may differ.
RECORD_KEYS = ("number", "expver", "dataType", "dataDate", "dataTime", "step")
UNITS_OF_LEVELS = {
    **{"isobaricInhPa": "hPa", "isobaricInPa": "Pa", "hybrid": "1"},
    **dict.fromkeys(["heightAboveGround", "heightAboveSea", "depthBelowSea", "oceanSurface"], "m"),
}
LATITUDE_OF_POINTS, LONGITUDE_OF_POINTS = (0, 191, 1), (0, 191, 2)  # discipline, category and number (DWD)
_PRESSURE, _LOG_PRESSURE = "sp", "lnsp"  # names of the surface pressure and its logarithm
_EPOCH = np.datetime64("1970-01-01T00:00:00")


def is_grib(path: str | os.PathLike[str]) -> bool:
    """Returns whether a file begins with a GRIB message, possibly after a header of a bulletin."""
    require_regular_file(path, "netCDF or GRIB")
    with open(path, "rb") as file:
        head = file.read(128)
    return b"GRIB" in head and not head.startswith(b"CDF")  # netCDF with attributes of cfgrib


@dataclass(frozen=True)
class Field:
    """A field of a file. header: keys and values; grid: its number; reference_s: reference time [s since
    1970]; place: where it is in the file."""

    header: dict[str, Any]
    grid: int
    reference_s: int
    place: tuple[int, int, int]

    @property
    def valid_s(self) -> int:
        return self.reference_s + self.header["step_s"]

    def value(self, key: str) -> Any:
        """The value of a key, None if the field has no such key."""
        if key not in ("dataDate", "dataTime", "step"):
            return self.header.get(key)
        if key == "step":
            return self.header["step_s"] / 3600  # [h]
        date, time = str(_EPOCH + np.timedelta64(self.reference_s, "s")).split("T")
        return int(date.replace("-", "")) if key == "dataDate" else int(time[:5].replace(":", ""))

    @property
    def parameter(self) -> tuple[int | None, ...]:
        return tuple(self.header.get(k) for k in ("discipline", "parameterCategory", "parameterNumber"))

    @property
    def name(self) -> str:
        """The name of the variable in netCDF."""
        if (name := self.header.get("cfVarName", "unknown")) != "unknown":
            return name
        if None not in self.parameter:
            return "parameter_{}_{}_{}".format(*self.parameter)
        return "parameter_{table2Version}_{indicatorOfParameter}".format_map(defaultdict(int, self.header))

    @property
    def group(self) -> tuple[Any, ...]:
        """What fields of the same variable have in common."""
        return self.name, self.header.get("typeOfLevel"), self.header.get("stepType"), self.grid


def open_grib(path: str | os.PathLike[str], select: Mapping[str, Any]) -> xr.Dataset:
    """Returns the xarray dataset of a file: variables with the dimensions time (valid time), level if there
    are several, and those of the grid, whose latitudes and longitudes are one- or two-dimensional, or of
    points. Their attributes that begin with GRIB_ are the keys of ecCodes.

    select: values of keys of ecCodes (dict), or of dataDate (yyyymmdd), dataTime (hhmm), step [h]; other
    messages are left out. Raises InputError for a file that cannot be read, and a value that no message
    has."""
    fields, grids = fields_of(path, select)
    groups = defaultdict(list)
    for field in fields:
        groups[field.group].append(field)
    if len(groups) > MOST_VARIABLES:
        raise InputError(
            f"{path} has {len(groups)} variables; at most {MOST_VARIABLES} are supported. Extract those"
            " that are needed (grib_copy -w)."
        )
    try:
        with reading(path, "as GRIB"):
            return _Dataset(path, grids, groups).file
    except (LookupError, ArithmeticError) as error:
        raise InputError(f"{path}: its grid is incomplete or invalid ({error}). Replace the file.") from None


def fields_of(
    path: str | os.PathLike[str], select: Mapping[str, Any], keys: Sequence[str] = ()
) -> tuple[list[Field], list[dict[str, Any]]]:
    """Returns the fields (`Field`) of a file that have the selected values, and its grids. keys: further keys
    of ecCodes in the headers. Raises InputError as `open_grib`."""
    headers, grids, rows = _index(str(path), (*select, *keys), version_of(path))
    fields = [Field(headers[k], headers[k]["grid"], t, tuple(place)) for k, t, *place in rows.tolist()]
    for key, value in select.items():
        fields = _selected(path, fields, key, value)
    return fields, grids


@lru_cache(maxsize=8)
def _index(
    path: str, keys: tuple[str, ...], version: tuple[Any, ...]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], np.ndarray]:
    """The headers of a file; version: of the file, so that a file that changes is read again."""
    return ask("grib index", path, keys)


def _selected(path: str | os.PathLike[str], fields: list[Field], key: str, value: Any) -> list[Field]:
    values = [field.value(key) for field in fields]
    found = [field for field, other in zip(fields, values, strict=True) if is_value(other, value)]
    if found:
        return found
    existing = sorted(set(values) - {None}, key=lambda each: (isinstance(each, str), each))
    if not existing:
        differing = [k for k in RECORD_KEYS if len({field.value(k) for field in fields} - {None}) > 1]
        remedy = f"Keys that differ between messages: {', '.join(differing) or 'none'}."
        raise InputError(f"{path}: no message has the key {key} of 'select'. {remedy}")
    raise AbsentError(
        f"{path}: {key} {value} of 'select' does not exist. Give one of {values_text(existing)}."
    )


def is_value(value: Any, requested: Any) -> bool:
    """Returns whether a value of a file is the requested one, as numbers or as texts: '0001' is 1."""
    if value is None:
        return False
    try:
        return float(value) == float(requested)
    except (TypeError, ValueError):
        return str(value).strip() == str(requested).strip()


def values_text(values: Iterable[Any]) -> str:
    """Returns a list of values, shortened, for errors."""
    texts = [f"{each:g}" if isinstance(each, float) else str(each) for each in values]
    if len(texts) > SHOWN_VALUES:
        texts = [*texts[: SHOWN_VALUES - 1], "...", texts[-1]]
    return ", ".join(texts).replace(", ..., ", " ... ")


class _Dataset:
    """Builds the dataset of the fields of a file."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        grids: list[dict[str, Any]],
        groups: Mapping[tuple[Any, ...], list[Field]],
    ) -> None:
        self._path, self._grids, self._groups = path, grids, groups
        self._dimensions: defaultdict[str, dict[Hashable, str]] = defaultdict(
            dict
        )  # by base name: dimension by its coordinates
        self._variables: dict[str, xr.Variable] = {}
        self._set_points()
        for group, fields in groups.items():
            self._add_variable(self._name(group), fields)

    @property
    def file(self) -> xr.Dataset:
        """The dataset."""
        import xarray as xr

        return xr.Dataset(self._variables)

    def _name(self, group: tuple[Any, ...]) -> str:
        """The name of the variable of a group: with the kinds of level and step, and the grid, where other
        variables differ from it in these."""
        name, *kinds = group
        others = [other[1:] for other in self._groups if other[0] == name]
        parts = [k for i, k in enumerate(kinds) if any(other[i] != k for other in others)]
        is_only_instant = kinds[1] == "instant" and sum(other[1] == "instant" for other in others) == 1
        return "_".join(map(str, [name] if is_only_instant else [name, *parts]))

    def _add_variable(self, name: str, fields: list[Field]) -> None:
        import xarray as xr

        records, levels, table = _arranged(fields)
        header, grid = fields[0].header, fields[0].grid
        shape = shape_of(self._path, self._grids[grid])
        dimensions, places = [self._time_dimension(records)], np.array(table)
        if len(levels) > 1:
            dimensions.append(self._level_dimension(header, levels))
        else:
            places = places[:, 0]
        dimensions += self._grid_dimensions(grid, shape)
        read = partial(_read, str(self._path), places)
        attributes = _attributes(header, self._grids[grid], levels)
        if name == _LOG_PRESSURE and _PRESSURE not in (group[0] for group in self._groups):
            name, read = _PRESSURE, partial(_read_exponential, read)
            attributes |= {"units": "Pa", "standard_name": "surface_air_pressure"}
        values = lazy_array((*places.shape[:-1], *shape), np.dtype(float), read)
        self._variables[name] = xr.Variable(dimensions, values, attributes)

    def _set_points(self) -> None:
        """Finds the fields with the positions of the points of unstructured grids."""
        self._points: dict[Any, Any] = {}
        for fields in self._groups.values():
            first = fields[0]
            if first.parameter in (LATITUDE_OF_POINTS, LONGITUDE_OF_POINTS):
                self._points.setdefault(first.grid, {})[first.parameter] = first

    def _dimension(self, base: str, coordinates: Hashable) -> tuple[str, bool]:
        """The name of a dimension with these coordinates, and whether it is new."""
        known = self._dimensions[base]
        is_new = coordinates not in known
        return known.setdefault(coordinates, f"{base}_{len(known) + 1}" if known else base), is_new

    def _time_dimension(self, records: list[Any]) -> str:
        name, is_new = self._dimension("time", tuple(records))
        if is_new:
            times = np.array([record[0] for record in records], np.int64)
            attributes = {"units": "seconds since 1970-01-01", "standard_name": "time"}
            self._add_coordinate(name, (name,), times, attributes)
            for key, *values in zip((*RECORD_KEYS, "level"), *(record[1] for record in records), strict=True):
                if None not in values and (key == "number" or len(set(values)) > 1):
                    of_key = name.replace("time", key, 1)
                    self._add_coordinate(of_key, (name,), np.array(values), {"GRIB_key": key})
        return name

    def _level_dimension(self, header: Mapping[str, Any], levels: list[Any]) -> str:
        kind = str(header["typeOfLevel"])
        name, is_new = self._dimension(kind, (kind, tuple(levels)))
        if is_new:
            attributes = {"units": UNITS_OF_LEVELS.get(kind, "1")}
            if kind.startswith("isobaric"):
                attributes["standard_name"] = "air_pressure"
            if kind == "hybrid":
                attributes |= self._hybrid_terms(name, header["pv"], np.array(levels, int))
            self._add_coordinate(name, (name,), np.array(levels, float), attributes)
        return name

    def _hybrid_terms(self, name: str, pv: Sequence[float], levels: np.ndarray) -> dict[str, str]:
        """Adds ap [Pa] and b of p = ap + b ps at hybrid levels, whose pressure is the mean of the pressures
        of their two interfaces (IFS documentation CY45R1, part III, section 2.2.1); returns the attributes of
        the levels. pv: ap, then b, of the interfaces."""
        n = len(pv) // 2
        if n < 2 or levels.min() < 1 or levels.max() >= n:
            return {}
        for term, values in zip(("ap", "b"), np.array(pv).reshape(2, n), strict=True):
            at_levels = (values[levels - 1] + values[levels]) / 2
            self._add_coordinate(
                f"{term}_{name}", (name,), at_levels, {"units": "Pa" if term == "ap" else "1"}
            )
        terms = f"ap: ap_{name} b: b_{name} ps: {_PRESSURE}"
        return {"standard_name": "atmosphere_hybrid_sigma_pressure_coordinate", "formula_terms": terms}

    def _grid_dimensions(self, number: int, shape: tuple[int, ...]) -> list[str]:
        grid = self._grids[number]
        kind = grid.get("gridType")
        is_1d = kind in ONE_DIMENSIONAL
        bases = ("point",) if len(shape) == 1 else ("latitude", "longitude") if is_1d else ("y", "x")
        named = [self._dimension(base, number) for base in bases]
        names, suffix = [name for name, _ in named], named[0][0].removeprefix(bases[0])
        if not named[0][1]:
            return names
        n_positions = sum(shape) if is_1d else math.prod(shape)
        require_memory(
            _BYTES_PER_POSITION * n_positions, f"{self._path}: its grid of {n_positions} positions"
        )
        if is_1d:
            dimensions = [names[:1], names[1:]]
            positions: Sequence[np.ndarray] | np.ndarray = axes_of(grid)
        else:
            dimensions, positions = [names, names], self._positions(number, grid)
        for base, of_base, values in zip(("latitude", "longitude"), dimensions, positions, strict=False):
            unit = {"units": "degrees_north" if base == "latitude" else "degrees_east", "standard_name": base}
            self._add_coordinate(base + suffix, of_base, values, unit)
        return names

    def _positions(self, number: int, grid: Mapping[str, Any]) -> Sequence[np.ndarray] | np.ndarray:
        """Latitudes and longitudes of a grid that is not along latitudes and longitudes, or none."""
        kind = grid.get("gridType")
        if kind in (*TURNED, *PROJECTED):
            return _points_of_grid(tuple(grid.items()))
        if kind in (*REDUCED, "healpix"):
            field = next(f for fields in self._groups.values() for f in fields if f.grid == number)
            return _points_of_field(str(self._path), field.place, tuple(grid.items()))
        fields = self._points.get(number, {})
        if len(fields) < 2:
            return ()
        pair = (fields[parameter] for parameter in (LATITUDE_OF_POINTS, LONGITUDE_OF_POINTS))
        return [_read(str(self._path), np.array(field.place), (slice(None),)) for field in pair]

    def _add_coordinate(
        self, name: str, dimensions: Sequence[str], values: np.ndarray, attributes: Mapping[str, Any]
    ) -> None:
        import xarray as xr

        self._variables[name] = xr.Variable(dimensions, values, attributes)


@lru_cache(maxsize=4)
def _points_of_grid(items: tuple[tuple[str, Any], ...]) -> tuple[np.ndarray, np.ndarray]:
    return points_of(dict(items))


@lru_cache(maxsize=4)
def _points_of_field(path: str, place: tuple[int, ...], items: tuple[tuple[str, Any], ...]) -> np.ndarray:
    """Latitudes and longitudes of a grid; items: identify the grid."""
    return ask("grib points", path, place)


def _read(path: str, places: np.ndarray, key: tuple[Any, ...]) -> np.ndarray:
    """Returns the values of fields at `places` (record, level, 3) at a key of their dimensions and the
    grid's."""
    n = places.ndim - 1
    for axis in reversed(range(n)):
        places = places[(slice(None),) * axis + (key[axis],)]
    parts = [ask("grib field", path, tuple(place.tolist()), key[n:]) for place in places.reshape(-1, 3)]
    if places.ndim == 1:
        return parts[0]
    return np.array(parts).reshape(*places.shape[:-1], *(parts[0].shape if parts else ()))


def _read_exponential(read: Callable[[Any], np.ndarray], key: Any) -> np.ndarray:
    return np.exp(read(key))


def _arranged(fields: list[Field]) -> tuple[list[Any], list[Any], list[Any]]:
    """Returns records, levels, and the places (record, level, 3) of fields of a variable.

    A record is its valid time [s since 1970] and the values of RECORD_KEYS and of the level, None where the
    fields have records at each level. Messages that are repeated are further records."""
    table: dict[Any, Any] = {}
    repetitions: defaultdict[Any, int] = defaultdict(int)
    levels = sorted({field.header.get("level", 0) for field in fields})
    for field in fields:
        record = field.valid_s, tuple(field.value(key) for key in RECORD_KEYS)
        level = field.header.get("level", 0)
        count = repetitions[record, level] = repetitions[record, level] + 1
        table[record, count, level] = field.place
    records = sorted(dict.fromkeys(key[:2] for key in table), key=lambda each: (each[0][0], each[1]))
    if len(table) == len(records) * len(levels):
        places = [[table[*record, level] for level in levels] for record in records]
        return [(valid, (*keys, None)) for (valid, keys), _ in records], levels, places
    flat = sorted(table, key=lambda key: (key[0][0], key[1:]))
    return [(valid, (*keys, level)) for (valid, keys), _, level in flat], [None], [[table[k]] for k in flat]


def _attributes(header: Mapping[str, Any], grid: Mapping[str, Any], levels: list[Any]) -> dict[str, Any]:
    names = ("shortName", "cfVarName", "paramId", "typeOfLevel", "stepType", "uvRelativeToGrid")
    keys = {f"GRIB_{name}": header[name] for name in names if name in header}
    attributes = {"units": header.get("units", ""), "long_name": header.get("name", ""), **keys}
    if header.get("cfName", "unknown") != "unknown":
        attributes["standard_name"] = header["cfName"]
    if header.get("pv"):
        attributes["GRIB_pv"] = np.array(header["pv"])
    if len(levels) == 1 and levels[0] is not None:
        attributes["GRIB_level"] = levels[0]
    scanning = {"GRIB_iScansNegatively": int(grid.get("iScansNegatively", 0))}
    return attributes | {"GRIB_gridType": str(grid.get("gridType"))} | scanning
