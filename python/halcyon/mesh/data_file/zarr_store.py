"""Opens Zarr stores, folders on a local disk, of version 2 or 3, consolidated or not."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from halcyon.base import InputError
from halcyon.mesh.cf_file import unpacked
from halcyon.mesh.file_reader import ask, lazy_array

if TYPE_CHECKING:
    import xarray as xr


_METADATA = (".zgroup", ".zmetadata", "zarr.json")


def is_zarr(path: str | os.PathLike[str]) -> bool:
    """Returns whether a folder is a Zarr store."""
    return any(os.path.isfile(os.path.join(path, name)) for name in _METADATA)


def open_zarr(path: str | os.PathLike[str]) -> xr.Dataset:
    """Returns the xarray dataset of a store, as `open_netcdf` does of a file. Raises InputError if the folder
    is not a store, or cannot be read."""
    import xarray as xr

    if not is_zarr(path):
        raise InputError(
            f"{path} is a folder, but not a Zarr store. Give files, or a pattern such as '{path}/*.nc'."
        )
    variables, attributes = ask("zarr variables", str(path))
    found = {}
    for name, (dimensions, dtype, shape, of_variable, chunks) in variables.items():
        values = lazy_array(shape, dtype, partial(ask, "values", str(path), name))
        sizes = [chunks.get(each, 1) for each in dimensions] if chunks else None
        found[name] = xr.Variable(dimensions, values, of_variable, {"chunksizes": sizes})
    return unpacked(path, xr.Dataset(found, attrs=attributes))
