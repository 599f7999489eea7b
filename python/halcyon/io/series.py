"""What time series in a CSV and, at their end, in a netCDF file have in common."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from halcyon._core.io import stamp
from halcyon.io.writing import on_disk, writing


def close_series(
    table: TextIO, csv_path: Path, netcdf_path: Path, write_netcdf: Callable[[Path], None]
) -> None:
    """Ends the CSV and writes the netCDF file, whole or not at all.

    Raises RunError, with the system's text, where a file cannot be written."""
    with writing(csv_path):
        os.fsync(table.fileno())
        table.close()
    part = netcdf_path.with_suffix(".nc.part")
    with writing(netcdf_path, f"{csv_path} holds the series."):
        write_netcdf(part)
        stamp(str(part))
        on_disk(part)
        os.replace(part, netcdf_path)
