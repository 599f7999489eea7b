"""Opens files of gridded data as xarray datasets of one form: netCDF, GRIB of edition 1 and 2, Zarr
stores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from halcyon.mesh.cf_file import open_netcdf
from halcyon.mesh.data_file.grib import RECORD_KEYS, fields_of, is_grib, open_grib, values_text
from halcyon.mesh.data_file.selection import coordinate_values, select_from
from halcyon.mesh.data_file.zarr_store import is_zarr, open_zarr

if TYPE_CHECKING:
    import xarray as xr


__all__ = [
    "RECORD_KEYS",
    "coordinate_values",
    "fields_of",
    "is_grib",
    "is_zarr",
    "open_data",
    "select_from",
    "values_text",
]


def open_data(path: str | os.PathLike[str], select: Mapping[str, Any] | None = None) -> xr.Dataset:
    """Returns the xarray dataset of a file or a Zarr store. Values are read by index in a process of its own,
    unpacked, NaN where missing, also after the dataset is closed; times are numbers.

    select: values of keys of GRIB messages, or of coordinates (dict), which select a part, see `open_grib`
    and `select_from`. Raises InputError if the file cannot be read, and for values that the file does not
    have."""
    if os.path.isfile(path) and is_grib(path):
        return open_grib(path, select or {})
    file = open_zarr(path) if os.path.isdir(path) else open_netcdf(path, guarded=True)
    try:
        return select_from(path, file, select or {})
    except BaseException:
        file.close()
        raise
