"""The fields of runs on the page: which are shown, within the size of the page, and how they are coloured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.config.abbreviations import did_you_mean
from halcyon.io.attributes import is_direction
from halcyon.plot.atmosphere import PREFERRED_VARIABLES
from halcyon.plot.cells import levels_by_preference, open_files, values_of, vertical_dimension
from halcyon.plot.maps import scale_of
from halcyon.plot.run import files_of
from halcyon.plot.view.packing import PackedField, packed_field

if TYPE_CHECKING:
    import xarray as xr

FIRST = ("significant_height", "maximum_significant_height_mean", *PREFERRED_VARIABLES)
BITS = (16, 12, 8)  # of a value, the first that fits
_LARGEST_GAIN = 12.0  # of deflation; larger fields are not tried
_MEMBERS = 30  # largest number of members of an ensemble on a page
_NO_FIELDS = ("lon", "lat", "area")


@dataclass(frozen=True)
class Field:
    """A field of the page: a variable of a run at one level, of one member of an ensemble.

    datasets: the open files in order of time; level: the index along the vertical dimension, or None."""

    datasets: Sequence[xr.Dataset]
    variable: str
    level: int | None = None
    member: str | None = None

    def values(self, stride: int = 1) -> np.ndarray:
        """Values float32 (time, cell), or (1, cell) for a variable without time; every `stride`-th record."""
        parts = []
        for dataset in self.datasets:
            field = dataset[self.variable]
            if self.level is not None:
                field = field.isel({vertical_dimension(dataset, field): self.level})
            parts.append(np.atleast_2d(field.values))
            if "time" not in field.dims:
                break
        return np.concatenate(parts)[::stride]

    @property
    def key(self) -> str:
        """The name of the field on the page."""
        level = "" if self.level is None else f"@{self.level}"
        return f"{self.variable}{level}" + ("" if self.member is None else f"#{self.member}")


def stride_for(field: Field, size: float) -> int:
    """The stride of records with which a field fits into a number of bytes with the fewest bits."""
    return max(1, -(-len(packed_field(field.values(), BITS[-1]).text) // max(int(size), 1)))


def pack(field: Field, stride: int, size: float) -> tuple[PackedField, np.ndarray] | None:
    """The packed field with as many bits as fit into `size` bytes, and its values; None if none do."""
    values = field.values(stride)
    for bits in BITS:
        if values.size * bits / 8 < _LARGEST_GAIN * size:
            packed = packed_field(values, bits)
            if len(packed.text) <= size:
                return packed, values
    return None


def fields_of(folder: Path, variables: Sequence[str] | None) -> list[Field]:
    """The fields of the run or ensemble in a folder, in the order in which they are to be shown: the given
    variables, or all; first each variable at its preferred level, then the other levels, then members.

    Raises InputError if the folder has no fields or lacks a variable."""
    _, _, files = files_of(folder)
    datasets = open_files(files)
    known = [str(name) for name in datasets[0].data_vars if _is_field(datasets[0], str(name))]
    for name in variables or ():
        if name not in known:
            near = did_you_mean(name, known)
            hint = f" Did you mean '{near}'?" if near else ""
            raise InputError(
                f"{folder} has no field '{name}' on its cells.{hint} The fields are {', '.join(known)}."
            )
    if not known:
        raise InputError(f"{folder} has no fields on cells. Name variables in output.variables of the case.")
    names = list(variables or sorted(known, key=lambda name: [*FIRST, name].index(name)))
    first, others = [], []
    for name in names:
        levels = _levels(datasets[0], name)
        first.append(Field(datasets, name, levels[0]))
        others += [Field(datasets, name, level) for level in levels[1:]]
    return first + others + list(_member_fields(folder, datasets[0], names))


def _is_field(dataset: xr.Dataset, name: str) -> bool:
    """Whether a variable is numbers (face) that may also have times and levels."""
    variable = dataset[name]
    others = {*variable.dims} - {"time", "face", vertical_dimension(dataset, variable)}
    is_field = variable.dtype.kind == "f" and name not in _NO_FIELDS
    return is_field and variable.dims[-1:] == ("face",) and not others


def _levels(dataset: xr.Dataset, name: str) -> list[int | None]:
    """Indices of the levels of a variable in order of preference, [None] without levels."""
    dimension = vertical_dimension(dataset, dataset[name])
    if dimension is None:
        return [None]
    values = dataset[dimension].values.tolist()
    return [values.index(level) for level in levels_by_preference(dataset, name)]


def members_of(folder: Path, dataset: xr.Dataset) -> tuple[list[str], list[str]]:
    """The finished members of an ensemble that a page shows, and those that it omits. dataset: the open
    ensemble.nc."""
    finished = str(dataset.attrs.get("members", "")).split()
    shown = [each for each in finished if (folder / f"member_{each}").is_dir()][:_MEMBERS]
    return shown, [each for each in finished if each not in shown]


def _member_fields(folder: Path, dataset: xr.Dataset, names: Sequence[str]) -> Iterator[Field]:
    """The fields of the finished members of an ensemble of which the page has statistics. dataset: the open
    ensemble.nc."""
    stems = {name.removesuffix("_mean").removeprefix("maximum_") for name in names if name.endswith("_mean")}
    for member in members_of(folder, dataset)[0]:
        datasets = open_files(files_of(folder / f"member_{member}")[2])
        for stem in sorted(stems & {*map(str, datasets[0].data_vars)}):
            yield Field(datasets, stem, None, member)


def times_of(datasets: Sequence[xr.Dataset]) -> np.ndarray:
    """Times [s since 1970] of all records."""
    if "time" not in datasets[0].variables:
        return np.zeros(1, np.int64)
    times = [values_of(dataset, "time").values.astype("datetime64[s]") for dataset in datasets]
    return np.concatenate(times).astype(np.int64)


def description(field: Field) -> dict[str, Any]:
    """The texts of a field for the page."""
    dataset = field.datasets[0]
    variable = dataset[field.variable]
    attributes = variable.attrs
    units = str(attributes.get("units", ""))
    dimension = vertical_dimension(dataset, variable)
    found = {
        "variable": field.variable,
        "long_name": str(attributes.get("long_name", field.variable.replace("_", " "))),
        "standard_name": str(attributes.get("standard_name", "")),
        "units": "" if units == "1" else units,
        "is_probability": "threshold" in attributes,
        "is_direction": is_direction(str(attributes.get("standard_name", ""))),
        "member": field.member,
        "level": field.level,
        "level_text": "",
    }
    if dimension is not None:
        axis = dataset[dimension]
        unit = axis.attrs.get("units", "1")
        value = float(axis.values[field.level])
        found["level_text"] = (
            f"{value / 100:g} hPa" if unit == "Pa" else f"{value:.5g} {unit}".removesuffix(" 1")
        )
        found["level_name"] = str(axis.attrs.get("long_name", dimension))
    return found


def scale(values: np.ndarray, text: dict[str, Any]) -> dict[str, Any]:
    """The default colour map and range of values, as on the figures of a run."""
    if text["is_probability"]:
        return {"map": "YlOrRd", "range": [0.0, 1.0]}
    finite = values[np.isfinite(values)]
    lowest, highest = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    levels, name = scale_of(lowest, highest, is_cyclic=text["is_direction"])
    return {"map": name, "range": [float(levels[0]), float(levels[-1])]}
