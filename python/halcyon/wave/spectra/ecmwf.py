"""ECMWF's 2-D wave spectra (parameter 140251, `d2fd`): the logarithm to base 10 of the density [m2 s rad-1]
by the direction towards which waves propagate, missing where it is small and over land; netCDF files number
frequencies and directions from 1.

ECMWF, https://www.ecmwf.int/en/forecasts/documentation-and-support/2d-wave-spectra, and the ERA5
documentation, section wave spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr


ECMWF_NAMES = ("d2fd", "2dfd")
_LARGEST_LOGARITHM = 30.0  # beyond all plausible densities
_FIRST_FREQUENCY, _RATIO = 0.03453, 1.1  # Hz, of ERA5, ERA-Interim and the forecasts since 2000


def is_ecmwf(variable: xr.DataArray) -> bool:
    """Returns whether a variable holds logarithms of ECMWF's spectra."""
    return str(variable.name).lower() in ECMWF_NAMES or str(variable.attrs.get("GRIB_paramId")) == "140251"


def ecmwf_numbers(variable: xr.DataArray | None, size: int) -> np.ndarray | None:
    """Returns the numbers from 1 that stand for frequencies or directions; None if the variable has values
    with a unit, or other values. variable: None for a dimension without one."""
    if variable is None:
        return np.arange(1, size + 1)
    values = np.asarray(variable.values, float)
    has_unit = str(variable.attrs.get("units", "1")).strip() not in ("", "1")
    are_numbers = values.ndim == 1 and np.all(values == np.round(values)) and np.all(np.diff(values) == 1)
    return values.astype(int) if are_numbers and not has_unit and values.min(initial=1) >= 1 else None


def ecmwf_frequencies(numbers: np.ndarray) -> np.ndarray:
    """Returns the frequencies [Hz] of numbers from 1."""
    return _FIRST_FREQUENCY * _RATIO ** (numbers - 1.0)


def ecmwf_directions(numbers: np.ndarray) -> np.ndarray:
    """Returns the directions [rad] of numbers from 1 up to their count; the first is half a step."""
    return 2 * np.pi * (numbers - 0.5) / numbers.max()


def from_logarithms(logarithms: np.ndarray) -> np.ndarray:
    """Returns the densities [m2 s rad-1] (..., frequency, direction): 0 where missing, but NaN at points
    where all are missing, as over land."""
    is_land = np.isnan(logarithms).all(axis=(-2, -1), keepdims=True)
    densities = np.where(np.isnan(logarithms), 0.0, 10.0 ** np.minimum(logarithms, _LARGEST_LOGARITHM))
    return np.where(is_land, np.nan, densities)
