"""Opens files of gridded data as xarray datasets of one form: netCDF, GRIB of edition 1 and 2, Zarr
stores."""

import os

from halcyon.mesh.cf_file import open_netcdf
from halcyon.mesh.data_file.grib import is_grib, open_grib
from halcyon.mesh.data_file.zarr_store import is_zarr, open_zarr

__all__ = ["is_grib", "is_zarr", "open_data"]


def open_data(path, select=None):
    """Returns the xarray dataset of a file or a Zarr store. Values are read by index in a process of its own,
    unpacked, NaN where missing, also after the dataset is closed; times are numbers.

    select: values of keys of GRIB messages (dict), which select messages; for other files, see `selection`.
    Raises InputError if the file cannot be read, and for values of keys that the file does not have."""
    if os.path.isdir(path):
        return open_zarr(path)
    return open_grib(path, select or {}) if is_grib(path) else open_netcdf(path, guarded=True)
