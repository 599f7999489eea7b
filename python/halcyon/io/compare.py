"""Compares two output files variable by variable, in blocks, so that they can be of any size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.io.attributes import UnknownVariableError, is_direction
from halcyon.io.vertical_axis import axis_of
from halcyon.mesh.cf_file import open_netcdf, reading, times_of
from halcyon.mesh.sphere import position_text

if TYPE_CHECKING:
    import xarray as xr

_BLOCK_BYTES = 2**25
_COORDINATES = "lon", "lat", "node_lon", "node_lat", "face_nodes", "longitude", "latitude"
_BINS = "frequency", "direction"


@dataclass
class Difference:
    """The differences of a variable, second file minus first.

    count: number of values that both files have; missing: number of values that only one file has; total:
    sum of the differences; squares: sum of their squares; largest: largest absolute difference;
    largest_index: index of this difference in the first file; largest_location: text for this index;
    same_bits: whether all bytes are equal.
    """

    name: str
    units: str
    count: int = 0
    missing: int = 0
    total: float = 0.0
    squares: float = 0.0
    largest: float = 0.0
    largest_index: tuple[int, ...] = ()
    largest_location: str = ""
    same_bits: bool = True

    @property
    def bias(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def rms(self) -> float:
        return float(np.sqrt(self.squares / self.count)) if self.count else 0.0

    def is_within(self, tolerance: float) -> bool:
        """Whether all differences are within the tolerance, and no value is missing in one file only."""
        return self.largest <= tolerance and not self.missing


@dataclass(frozen=True)
class Comparison:
    """The differences of each variable, and notes on other differences between the files."""

    differences: list[Difference]
    notes: list[str]


def compare(first: Path, second: Path, names: Sequence[str] | None = None) -> Comparison:
    """Compares variables (`names`, by default all common ones) of two fields, stations or restart files at
    their common times. The difference of two directions is at most 180 degrees.

    Raises InputError for files that cannot be read, for files of different kinds, meshes, stations or levels,
    for files without a common time, and for a variable of `names` that a file does not have."""
    with ComparedFile(Path(first)) as a, ComparedFile(Path(second)) as b:
        _check_comparable(a, b)
        notes: list[str] = []
        records = _common_times(a, b, notes)
        selected = _selected_names(a, b, names, notes)
        return Comparison([_difference(a, b, name, records) for name in selected], notes)


def _check_comparable(a: ComparedFile, b: ComparedFile) -> None:
    if a.kind != b.kind:
        raise InputError(
            f"{a.path} is of the kind {a.kind}, but {b.path} of the kind {b.kind}. Give files of one kind."
        )
    if a.station_names() != b.station_names():
        raise InputError(
            f"{a.path} and {b.path} are of different stations: {a.station_names()}, and {b.station_names()}."
        )
    if not (b.axis is None if a.axis is None else a.axis.same_as(b.axis)):
        raise InputError(f"{a.path} and {b.path} are on different levels: {_levels(a)}, and {_levels(b)}.")
    for name in (*_COORDINATES, *_BINS):
        values_a, values_b = a.values(name), b.values(name)
        if values_a is None or values_b is None:
            is_equal = values_a is None and values_b is None
        else:
            is_equal = np.array_equal(values_a, values_b)
        if not is_equal:
            kind = "spectral grids" if name in _BINS else "meshes or positions"
            raise InputError(
                f"{a.path} and {b.path} are on different {kind}: their '{name}' differs. Convert them"
                " to one grid first (halcyon convert --to latlon)."
            )


def _levels(file: ComparedFile) -> str:
    if file.axis is None:
        return "none"
    return f"{file.axis.name} {', '.join(f'{value:g}' for value in file.axis.coordinate.values)}"


def _common_times(a: ComparedFile, b: ComparedFile, notes: list[str]) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns the record indices of both files at their common times; None if they have no records."""
    times_a, times_b = a.times(), b.times()
    if times_a is None or times_b is None:
        return None
    if a.kind == "restart":
        if times_a[0] != times_b[0]:
            notes.append(f"the states are of different times: {times_a[0]}, and {times_b[0]}")
        return None
    common, records_a, records_b = np.intersect1d(times_a, times_b, return_indices=True)
    if not len(common):
        raise InputError(
            f"{a.path} ({times_a[0]} to {times_a[-1]}) and {b.path} ({times_b[0]} to {times_b[-1]}) have no"
            " time in common."
        )
    if len(common) < max(len(times_a), len(times_b)):
        notes.append(f"{len(common)} times are compared; the files have {len(times_a)} and {len(times_b)}")
    return records_a, records_b


def _selected_names(
    a: ComparedFile, b: ComparedFile, names: Sequence[str] | None, notes: list[str]
) -> list[str]:
    names_a, names_b = a.variables(), b.variables()
    for name in names or ():
        for file, known in ((a, names_a), (b, names_b)):
            if name not in known:
                text = f"{file.path} has no variable '{name}'. It has {', '.join(known)}."
                raise UnknownVariableError(text, name, known)
    if names:
        return list(names)
    notes += [f"only {a.path.name} has {name}" for name in names_a if name not in names_b]
    notes += [f"only {b.path.name} has {name}" for name in names_b if name not in names_a]
    return [name for name in names_a if name in names_b]


def _difference(
    a: ComparedFile, b: ComparedFile, name: str, records: tuple[np.ndarray, np.ndarray] | None
) -> Difference:
    variable_a, variable_b = a.variable(name), b.variable(name)
    if variable_a.dims != variable_b.dims or _fixed_shape(variable_a) != _fixed_shape(variable_b):
        raise InputError(
            f"{name} has different shapes in {a.path} ({variable_a.shape}) and {b.path} ({variable_b.shape})."
        )
    result = Difference(name, variable_a.attrs.get("units", ""))
    circular = is_direction(variable_a.attrs.get("standard_name", ""))
    for indices, x, y in _blocks(variable_a, variable_b, records):
        _accumulate(result, x, y, (_missing_in(variable_a, x), _missing_in(variable_b, y)), circular, indices)
    pairs = zip(variable_a.dims, result.largest_index, strict=False)
    result.largest_location = ", ".join(a.describe_index(str(name), index) for name, index in pairs)
    return result


def _fixed_shape(variable: xr.DataArray) -> list[int]:
    return [n for name, n in variable.sizes.items() if name != "time"]


def _blocks(
    variable_a: xr.DataArray, variable_b: xr.DataArray, records: tuple[np.ndarray, np.ndarray] | None
) -> Iterator[tuple[Any, ...]]:
    """Yields blocks of values: the indices in the first file, one list per dimension, and the values of each
    file.

    records: the record indices of both files at their common times, or None."""
    if records is None or "time" not in variable_a.dims:
        yield from _split_blocks(variable_a, variable_b, {})
    elif variable_a.dims[0] == "time" and variable_a.ndim > 1:
        for i, j in zip(*records, strict=True):
            yield from _split_blocks(variable_a.isel(time=[i]), variable_b.isel(time=[j]), {"time": [i]})
    else:
        of_a, of_b = (
            v.compute().isel(time=i) for v, i in zip((variable_a, variable_b), records, strict=True)
        )
        yield from _split_blocks(of_a, of_b, {"time": records[0]})


def _split_blocks(
    variable_a: xr.DataArray, variable_b: xr.DataArray, indices: dict[Any, Any]
) -> Iterator[tuple[Any, ...]]:
    """Yields blocks of about 32 MiB of two variables of equal shape, split along their slowest dimension.

    indices: for a dimension, its indices in the first file, if these are not 0, 1, 2, ..."""
    split_dimension = next((name for name, n in variable_a.sizes.items() if n > 1), variable_a.dims[0])
    step = max(1, _BLOCK_BYTES * variable_a.sizes[split_dimension] // max(1, variable_a.nbytes))
    for begin in range(0, variable_a.sizes[split_dimension], step):
        part = {split_dimension: slice(begin, begin + step)}
        sizes = variable_a.sizes.items()
        block_indices = [indices.get(name, range(n))[part.get(name, slice(None))] for name, n in sizes]
        yield block_indices, variable_a.isel(part).values, variable_b.isel(part).values


def _missing_in(variable: xr.DataArray, values: np.ndarray) -> np.ndarray:
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    fill = variable.attrs.get("_FillValue")
    return missing if fill is None else missing | (values == fill)


def _accumulate(
    result: Difference,
    x: np.ndarray,
    y: np.ndarray,
    missing: tuple[np.ndarray, np.ndarray],
    circular: bool,
    indices: list[Any],
) -> None:
    """Adds the differences of a block, values x of the first file and y of the second, to a result.

    missing: flags of the missing values of x, and of y; circular: whether values are directions [degrees];
    indices: the block's indices in the first file, one list per dimension."""
    result.same_bits &= x.dtype == y.dtype and x.tobytes() == y.tobytes()
    in_both = ~missing[0] & ~missing[1]
    result.missing += int(np.count_nonzero(missing[0] != missing[1]))
    difference = np.subtract(y, x, out=np.zeros(x.shape), where=in_both & (x != y), dtype=float)
    if circular:
        difference = (difference + 180) % 360 - 180
    result.count += int(np.count_nonzero(in_both))
    result.total += float(difference.sum())
    result.squares += float((difference**2).sum())
    position = int(np.argmax(np.abs(difference))) if difference.size else 0
    if difference.size and abs(difference.flat[position]) > result.largest:
        result.largest = float(abs(difference.flat[position]))
        block_index = np.unravel_index(position, difference.shape)
        result.largest_index = tuple(
            int(of_dimension[i]) for of_dimension, i in zip(indices, block_index, strict=True)
        )


_REFERENCING_ATTRIBUTES = (
    "coordinates",
    "node_coordinates",
    "face_coordinates",
    "face_node_connectivity",
    "bounds",
)


class ComparedFile:
    """An open output file, closed at the end of a with-block.

    axis: its `VerticalAxis`, or None. Raises InputError if the file cannot be read or was cut short."""

    def __init__(self, path: Path) -> None:
        self.path, self._file = path, open_netcdf(path, as_stored=True)
        self.axis = axis_of(self._file)

    def __enter__(self) -> ComparedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def kind(self) -> str:
        """Kind of the file: fields, stations, restart, or other."""
        if "halcyon_state" in self._file.attrs:
            return "restart"
        if self._file.filter_by_attrs(cf_role="mesh_topology").data_vars:
            return "fields"
        return "stations" if self._file.attrs.get("featureType") == "timeSeries" else "other"

    def variables(self) -> list[str]:
        """Names of the data variables: numeric arrays except coordinates and their auxiliary variables."""
        coordinates = {*self._file.dims}
        if self.axis is not None:
            coordinates.update(variable.name for variable in self.axis.variables)
        for name, variable in self._file.variables.items():
            if "cf_role" in variable.attrs:
                coordinates.add(name)
            for key in _REFERENCING_ATTRIBUTES:
                coordinates.update(variable.attrs.get(key, "").split())
        variables = self._file.variables.items()
        return [
            str(name) for name, v in variables if v.ndim and v.dtype.kind in "fiu" and name not in coordinates
        ]

    def variable(self, name: str) -> xr.DataArray:
        """Returns a variable with its values as stored. Raises InputError if it is packed."""
        found = self._file[name]
        if {"scale_factor", "add_offset"} & {*found.attrs}:
            raise InputError(f"{self.path}: '{name}' is packed (scale_factor). Unpack it first.")
        return found

    def values(self, name: str) -> np.ndarray | None:
        """Returns all values of a variable; None if it does not exist."""
        return self._file[name].values if name in self._file.variables else None

    def station_names(self) -> list[str] | None:
        """Returns the names of the stations; None for a file without stations."""
        if "station" in self._file.variables and "names" in self._file["station"].attrs:
            names: list[str] = self._from_json(self._file["station"].attrs["names"], list)
            return names
        rows = self.values("station_name")
        return None if rows is None else [b"".join(row).rstrip(b"\0 ").decode() for row in rows]

    def times(self) -> np.ndarray | None:
        """Returns the times of the records, or of a restart, datetime64[ms] (time); None if unknown."""
        if self.kind == "restart":
            state = self._from_json(self._file.attrs["halcyon_state"], dict)
            with reading(self.path, "as a restart file"):
                return np.array([str(state.get("time"))], "datetime64[ms]")
        return times_of(self.path, self._file["time"]) if "time" in self._file.variables else None

    def _from_json(self, text: str, type: type) -> Any:
        """Returns the value of an attribute in JSON. Raises InputError if it is not of a type."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, type):
            raise InputError(f"{self.path}: the attribute '{text[:40]}' is not valid JSON. Replace the file.")
        return value

    def describe_index(self, dimension: str, index: int) -> str:
        """Returns a text for an index of a dimension: a time, a cell with its coordinates, a station."""
        if dimension == "time":
            times = self.times()
            assert times is not None
            return str(times[index].astype("datetime64[s]"))
        if dimension == "station":
            return str((self.station_names() or [])[index])
        if self.axis is not None and dimension == self.axis.name:
            return self.axis.level_label(index)
        if dimension in ("face", "cell") and "lon" in self._file.variables:
            lon, lat = (float(self._file[name][index]) for name in ("lon", "lat"))
            return f"cell {index} ({position_text(lon, lat)})"
        return f"{dimension} {index}"
