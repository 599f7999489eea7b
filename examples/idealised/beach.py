"""Writes beach.nc: a sea floor with a uniform slope from 100 m depth at 180 E to 2 m at 182 E."""

from pathlib import Path

import numpy as np
from netCDF4 import Dataset

COORDINATES = {"lon": (0.0, 180.0, 182.0, 360.0), "lat": (-90.0, 90.0)}
UNITS = {"lon": "degrees_east", "lat": "degrees_north"}
DEPTH = (2.0, 100.0, 2.0, 2.0)  # [m], linear between the longitudes


def main():
    with Dataset(Path(__file__).with_name("beach.nc"), "w", format="NETCDF3_CLASSIC") as file:
        for name, values in COORDINATES.items():
            file.createDimension(name, len(values))
            variable = file.createVariable(name, "f8", (name,))
            variable.units = UNITS[name]
            variable[:] = values
        depth = file.createVariable("depth", "f4", ("lat", "lon"))
        depth.setncatts({"units": "m", "positive": "down", "long_name": "depth of the sea floor"})
        depth[:] = np.tile(DEPTH, (2, 1))


if __name__ == "__main__":
    main()
