"""Selection of parts of a dataset by the values of coordinates, such as a member of an ensemble."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import AbsentError, InputError
from halcyon.mesh.cf_file import format_time, times_of
from halcyon.mesh.data_file.grib import is_value, values_text

if TYPE_CHECKING:
    import xarray as xr


def select_from(path: str | os.PathLike[str], file: xr.Dataset, select: Mapping[str, Any]) -> xr.Dataset:
    """Returns the part of an xarray dataset at which coordinates have given values; values of a dimension
    without a coordinate are its indices, from 0. The dimensions remain.

    select: values by coordinate or dimension; times as texts of ISO 8601. Raises InputError for names and
    values that the file does not have."""
    for name, value in select.items():
        if name not in file.variables and name not in file.sizes:
            scalars = [str(key) for key, v in file.variables.items() if v.ndim == 0]
            raise InputError(
                f"{path} has no dimension or coordinate {name}, which 'select' names. It has"
                f" {', '.join([*map(str, file.sizes), *scalars])}."
            )
        variable = file.variables.get(name)
        if variable is not None and variable.ndim > 1:
            dimensions = ", ".join(map(str, variable.dims))
            raise InputError(f"{path}: {name} of 'select' has the dimensions {dimensions}. Name one.")
        values = coordinate_values(path, file, name)
        chosen = np.flatnonzero([_is_value(each, value) for each in values])
        if not len(chosen):
            existing = [format_time(v) if isinstance(v, np.datetime64) else v for v in values]
            raise AbsentError(
                f"{path}: {name} {value} of 'select' does not exist. Give one of {values_text(existing)}."
            )
        if variable is None or variable.ndim:
            file = file.isel({name if variable is None else variable.dims[0]: chosen})
    return file


def coordinate_values(path: str | os.PathLike[str], file: xr.Dataset, name: str) -> list[Any]:
    """Returns the values of a coordinate with at most one dimension as a list: numbers, texts or times; the
    indices of a dimension without a coordinate."""
    variable = file.variables.get(name)
    if variable is None:
        return list(range(file.sizes[name]))
    if "since" in str(variable.attrs.get("units")):
        return list(times_of(path, file[name]))
    return [v.decode() if isinstance(v, bytes) else v for v in np.atleast_1d(variable.values).tolist()]


def _is_value(value: Any, requested: Any) -> bool:
    if not isinstance(value, np.datetime64):
        return is_value(value, requested)
    try:
        return value == np.datetime64(str(requested).strip().removesuffix("Z"), "ms")
    except ValueError:
        return False
