"""Compares two output files variable by variable, in blocks, so that they can be of any size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import InputError
from halcyon.io.attributes import is_direction
from halcyon.io.vertical_axis import axis_of
from halcyon.mesh.cf_file import open_netcdf, times_of

if TYPE_CHECKING:
    import xarray as xr

_PIECE_BYTES = 2**25
_COORDINATES = "lon", "lat", "node_lon", "node_lat", "face_nodes", "longitude", "latitude"
_BINS = "frequency", "direction"


@dataclass
class Difference:
    """The differences of a variable, second file minus first.

    count: values that both files have; missing: values that only one has; largest: largest absolute
    difference, at the index `at` of the first file, described by `where`; same_bits: whether all bytes are
    equal.
    """

    name: str
    units: str
    count: int = 0
    missing: int = 0
    total: float = 0.0
    squares: float = 0.0
    largest: float = 0.0
    at: tuple[int, ...] = ()
    where: str = ""
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
    """The differences by variable, and notes on other differences of the files."""

    differences: list[Difference]
    notes: list[str]


def compare(first: Path, second: Path, names: Sequence[str] | None = None) -> Comparison:
    """Compares variables (`names`, by default all common ones) of two fields, stations or restart files at
    their common times. Directions differ by at most 180 degrees.

    Raises InputError for files that cannot be read, have different kinds, meshes, stations or levels, have no
    common time, or lack a variable of `names`."""
    with ComparedFile(Path(first)) as a, ComparedFile(Path(second)) as b:
        _check_comparable(a, b)
        notes: list[str] = []
        records = _common_times(a, b, notes)
        chosen = _chosen(a, b, names, notes)
        return Comparison([_difference(a, b, name, records) for name in chosen], notes)


def _check_comparable(a: ComparedFile, b: ComparedFile) -> None:
    if a.kind != b.kind:
        raise InputError(f"{a.path} holds {a.kind}, {b.path} {b.kind}: they cannot be compared.")
    if a.station_names() != b.station_names():
        raise InputError(
            f"{a.path} and {b.path} are of different stations: {a.station_names()}, and {b.station_names()}."
        )
    if not (b.axis is None if a.axis is None else a.axis.same_as(b.axis)):
        raise InputError(f"{a.path} and {b.path} are on different levels: {_levels(a)}, and {_levels(b)}.")
    for name in (*_COORDINATES, *_BINS):
        ours, theirs = a.values(name), b.values(name)
        if (ours is None) != (theirs is None) or not np.array_equal(ours, theirs):
            grids = "spectral grids" if name in _BINS else "meshes or places"
            raise InputError(
                f"{a.path} and {b.path} are on different {grids}: their '{name}' differs. Convert them"
                " to one grid first (halcyon convert --to latlon)."
            )


def _levels(file: ComparedFile) -> str:
    if file.axis is None:
        return "none"
    return f"{file.axis.name} {', '.join(f'{value:g}' for value in file.axis.coordinate.values)}"


def _common_times(a: ComparedFile, b: ComparedFile, notes: list[str]) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns the record indices of both files at their common times; None if they have no records."""
    ours, theirs = a.times(), b.times()
    if ours is None or theirs is None:
        return None
    if a.kind == "restart":
        if ours[0] != theirs[0]:
            notes.append(f"the states are of different times: {ours[0]}, and {theirs[0]}")
        return None
    common, in_a, in_b = np.intersect1d(ours, theirs, return_indices=True)
    if not len(common):
        raise InputError(
            f"{a.path} ({ours[0]} to {ours[-1]}) and {b.path} ({theirs[0]} to {theirs[-1]}) have no time in"
            " common."
        )
    if len(common) < max(len(ours), len(theirs)):
        notes.append(f"{len(common)} times are compared; the files have {len(ours)} and {len(theirs)}")
    return in_a, in_b


def _chosen(a: ComparedFile, b: ComparedFile, names: Sequence[str] | None, notes: list[str]) -> list[str]:
    ours, theirs = a.variables(), b.variables()
    for name in names or ():
        for file, known in ((a, ours), (b, theirs)):
            if name not in known:
                raise InputError(f"{file.path} has no variable '{name}'. It has {', '.join(known)}.")
    if names:
        return list(names)
    notes += [f"only {a.path.name} has {name}" for name in ours if name not in theirs]
    notes += [f"only {b.path.name} has {name}" for name in theirs if name not in ours]
    return [name for name in ours if name in theirs]


def _difference(a: ComparedFile, b: ComparedFile, name: str, records) -> Difference:
    ours, theirs = a.variable(name), b.variable(name)
    if ours.dims != theirs.dims or _fixed_shape(ours) != _fixed_shape(theirs):
        raise InputError(
            f"{name} has different shapes in {a.path} ({ours.shape}) and {b.path} ({theirs.shape})."
        )
    found = Difference(name, ours.attrs.get("units", ""))
    circular = is_direction(ours.attrs.get("standard_name", ""))
    for at, x, y in _pieces(ours, theirs, records):
        _accumulate(found, x, y, (_missing_in(ours, x), _missing_in(theirs, y)), circular, at)
    found.where = ", ".join(a.describe_index(*pair) for pair in zip(ours.dims, found.at, strict=False))
    return found


def _fixed_shape(variable) -> list[int]:
    return [n for name, n in variable.sizes.items() if name != "time"]


def _pieces(ours, theirs, records) -> Iterator[tuple]:
    """Yields blocks: the indices in `ours` by dimension, and the values of both files."""
    if records is None or "time" not in ours.dims:
        yield from _rows(ours, theirs, {})
    elif ours.dims[0] == "time" and ours.ndim > 1:
        for i, j in zip(*records, strict=True):
            yield from _rows(ours.isel(time=[i]), theirs.isel(time=[j]), {"time": [i]})
    else:
        both = (each.compute().isel(time=at) for each, at in zip((ours, theirs), records, strict=True))
        yield from _rows(*both, {"time": records[0]})


def _rows(ours, theirs, at: dict) -> Iterator[tuple]:
    """As `_pieces` for variables of equal shape, split along their slowest dimension into about 32 MiB."""
    along = next((name for name, n in ours.sizes.items() if n > 1), ours.dims[0])
    step = max(1, _PIECE_BYTES * ours.sizes[along] // max(1, ours.nbytes))
    for begin in range(0, ours.sizes[along], step):
        part = {along: slice(begin, begin + step)}
        indices = [at.get(name, range(n))[part.get(name, slice(None))] for name, n in ours.sizes.items()]
        yield indices, ours.isel(part).values, theirs.isel(part).values


def _missing_in(variable, values: np.ndarray) -> np.ndarray:
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    fill = variable.attrs.get("_FillValue")
    return missing if fill is None else missing | (values == fill)


def _accumulate(found: Difference, x, y, missing, circular: bool, indices) -> None:
    found.same_bits &= x.dtype == y.dtype and x.tobytes() == y.tobytes()
    both = ~missing[0] & ~missing[1]
    found.missing += int(np.count_nonzero(missing[0] != missing[1]))
    difference = np.subtract(y, x, out=np.zeros(x.shape), where=both & (x != y), dtype=float)
    if circular:
        difference = (difference + 180) % 360 - 180
    found.count += int(np.count_nonzero(both))
    found.total += float(difference.sum())
    found.squares += float((difference**2).sum())
    most = int(np.argmax(np.abs(difference))) if difference.size else 0
    if difference.size and abs(difference.flat[most]) > found.largest:
        found.largest = float(abs(difference.flat[most]))
        at = np.unravel_index(most, difference.shape)
        found.at = tuple(int(some[i]) for some, i in zip(indices, at, strict=True))


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
        axes = {*self._file.dims}
        if self.axis is not None:
            axes.update(variable.name for variable in self.axis.variables)
        for name, variable in self._file.variables.items():
            if "cf_role" in variable.attrs:
                axes.add(name)
            for key in _REFERENCING_ATTRIBUTES:
                axes.update(variable.attrs.get(key, "").split())
        found = self._file.variables.items()
        return [name for name, v in found if v.ndim and v.dtype.kind in "fiu" and name not in axes]

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
            return json.loads(self._file["station"].attrs["names"])
        rows = self.values("station_name")
        return None if rows is None else [b"".join(row).rstrip(b"\0 ").decode() for row in rows]

    def times(self) -> np.ndarray | None:
        """Returns the times of the records, or of a restart, datetime64[ms] (time); None if unknown."""
        if self.kind == "restart":
            return np.array([json.loads(self._file.attrs["halcyon_state"])["time"]], "datetime64[ms]")
        return times_of(self.path, self._file["time"]) if "time" in self._file.variables else None

    def describe_index(self, dimension: str, index: int) -> str:
        """Returns a text for an index of a dimension: a time, a cell with its coordinates, a station."""
        if dimension == "time":
            return str(self.times()[index].astype("datetime64[s]"))
        if dimension == "station":
            return str((self.station_names() or {})[index])
        if self.axis is not None and dimension == self.axis.name:
            return self.axis.level_label(index)
        if dimension in ("face", "cell") and "lon" in self._file.variables:
            lon, lat = (float(self._file[name][index]) for name in ("lon", "lat"))
            return f"cell {index} ({lon:.2f} E {lat:.2f} N)"
        return f"{dimension} {index}"
