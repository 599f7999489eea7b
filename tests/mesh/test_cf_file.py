"""Values and missing values read by xarray equal those read by netCDF4."""

import warnings

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.mesh.cf_file import numbers, open_netcdf

LIMITS = np.array([-1000, 1000], "i2")
STORED = {  # type, numbers as the file stores them, attributes
    "never written": ("i2", None, {}),
    "never written, four bytes": ("i4", None, {}),
    "never written floats": ("f4", None, {}),
    "never written, packed": ("i2", None, {"scale_factor": 0.5, "add_offset": 3.0}),
    "bytes": ("i1", [-127, 0, 127], {}),
    "a fill value": ("f8", [1.0, -99.0, 2.0], {"_FillValue": -99.0}),
    "a missing value": ("f4", [1.0, -99.0, 2.0], {"missing_value": np.float32(-99)}),
    "both": ("i2", [-1, -2, 3], {"_FillValue": np.int16(-1), "missing_value": np.int16(-2)}),
    "a scale below zero": ("i2", [-1001, -1000, 1000, 1001], {"scale_factor": -0.01, "valid_range": LIMITS}),
    "an offset alone": ("i2", [0, 5, -32767], {"add_offset": 100.0}),
    "an integer scale": ("i2", [1, 2, -32767], {"scale_factor": np.int16(10)}),
    "long integers, a short scale": ("i4", [7, 123456789, -2147483647], {"scale_factor": np.float32(0.1)}),
    "short integers, a short scale": ("i2", [7, 1234, -32767], {"scale_factor": np.float32(0.1)}),
    "double numbers, a short scale": ("f8", [1 / 3, 2.0], {"scale_factor": np.float32(0.1)}),
    "valid as stored": ("i2", [-1001, 0, 1001], {"valid_range": LIMITS}),
    "valid of another type": ("i2", [0, 1, 2], {"valid_range": np.array([0.0, 0.5])}),
    "valid of three": ("f8", [0.0, 1, 2], {"valid_range": np.array([0.0, 0.5, 0.6])}),
    "valid in words": ("f8", [0.0, 1, 2], {"valid_min": "zero"}),
    "a minimum": ("f4", [-1.0, 0.1, 2], {"valid_min": np.float32(0.1)}),
    "a maximum": ("f4", [-1.0, 0.1, 2], {"valid_max": np.float32(0.1)}),
    "unsigned bytes": (
        "i1",
        [0, 127, -1, -2, -3],
        {"_FillValue": np.int8(-3), "_Unsigned": "true", "valid_range": np.array([0, -2], "i1")},
    ),
}


@pytest.mark.parametrize("name", STORED)
def test_values_are_those_of_netcdf4(tmp_path, name):
    kind, stored, attributes = STORED[name]
    path = tmp_path / "x.nc"
    with Dataset(path, "w") as file:
        file.createDimension("n", 3 if stored is None else len(stored))
        variable = file.createVariable("x", kind, ("n",), fill_value=attributes.get("_FillValue"))
        variable.set_auto_maskandscale(False)
        for key, value in attributes.items():
            if key != "_FillValue":
                variable.setncattr(key, value)
        if stored is not None:
            variable[:] = np.array(stored, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # netCDF4 warns of limits that it ignores
        with Dataset(path) as file:
            expected = np.ma.filled(np.ma.asarray(file["x"][:], float), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with open_netcdf(path) as file:
            assert numbers(file["x"]).tolist() == pytest.approx(expected.tolist(), rel=0, abs=0, nan_ok=True)
