"""Measurements of buoys in netCDF, by the conventions of NDBC, CDIP and Copernicus Marine (in situ)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import numbers, open_decoded, positions, reading
from halcyon.mesh.plausible import require_plausible
from halcyon.score.series import TABLE, Buoy, name_of, require_waves, sorted_buoy

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class _Convention:
    """Names of variables in a kind of files, the first that a file has.

    flags: the variable of flags of a variable, with {} for its name; none if empty. good: flags of values
    that are used."""

    name: str
    time: str
    variables: Mapping[str, tuple[str, ...]]
    positions: tuple[tuple[str, str], ...]  # longitude and latitude
    flags: str = ""
    good: tuple[int, ...] = ()


_CONVENTIONS = (
    _Convention(
        "CDIP",  # Coastal Data Information Program, https://cdip.ucsd.edu
        "waveTime",
        {
            "significant_height": ("waveHs",),
            "peak_period": ("waveTp",),
            "mean_period_01": ("waveTa",),
            "mean_period_02": ("waveTz",),
            "peak_direction": ("waveDp",),
        },
        (("metaDeployLongitude", "metaDeployLatitude"),),
        "waveFlagPrimary",
        (1,),
    ),
    _Convention(
        "Copernicus Marine",
        "TIME",
        {
            "significant_height": ("VHM0", "VAVH", "VGHS"),
            "peak_period": ("VTPK",),
            "mean_period": ("VTM10",),
            "mean_period_01": ("VTM01",),
            "mean_period_02": ("VTM02", "VTZA"),
            "peak_direction": ("VPED",),
            "mean_direction": ("VMDR",),
            "spreading": ("VPSP",),
            "wind_speed": ("WSPD",),
        },
        (("LONGITUDE", "LATITUDE"), ("PRECISE_LONGITUDE", "PRECISE_LATITUDE")),
        "{}_QC",
        (1, 2),  # good, probably good
    ),
    _Convention(
        "NDBC",
        "time",
        {
            "significant_height": ("wave_height",),
            "peak_period": ("dominant_wpd",),
            "mean_period_02": ("average_wpd",),
            "peak_direction": ("mean_wave_dir",),
            "wind_speed": ("wind_spd",),
        },
        (("longitude", "latitude"), ("lon", "lat")),
    ),
)


def read_netcdf(path: Path) -> Buoy:
    """Reads a file of one of the conventions; values whose flags, or those of their time, are not good are
    missing. Raises InputError for other files."""
    with open_decoded(path) as file, reading(path, "as netCDF"):
        convention = next((each for each in _CONVENTIONS if each.time in file.variables), _CONVENTIONS[-1])
        time = file[convention.time] if convention.time in file.variables else None
        found = {
            variable: next((n for n in known if n in file and file[n].dims[:1] == (convention.time,)), None)
            for variable, known in convention.variables.items()
        }
        names = {variable: name for variable, name in found.items() if name}
        if time is None or time.dtype.kind != "M" or not names:
            known = ", ".join(name for each in convention.variables.values() for name in each)
            raise InputError(
                f"{path} is not a file of {convention.name}: it needs {convention.time}, in units like"
                f" 'seconds since 1970-01-01', and some of {known} on the dimension {convention.time}."
            )
        times = time.values.astype("datetime64[s]")
        is_good = _is_good(file, convention, convention.time, len(times))
        values = {
            v: np.where(is_good, _series(path, file, name, convention, v), np.nan)
            for v, name in names.items()
        }
        position = _position(path, file, convention)
    valid = np.isfinite(times.astype(float)) & ~np.isnat(times)
    buoy = sorted_buoy(
        name_of(path), times[valid], {name: array[valid] for name, array in values.items()}, position
    )
    return require_waves(path, buoy, ", ".join(name for v, name in names.items() if v != "wind_speed"))


def _position(path: Path, file: xr.Dataset, convention: _Convention) -> tuple[float, float] | None:
    """Returns the mean of the positions in a file, of moored buoys, or None."""
    for pair in convention.positions:
        if all(name in file.variables for name in pair):
            longitude, latitude = (
                float(np.nanmean(positions(path, file[name], quantity)))
                for name, quantity in zip(pair, ("longitude", "latitude"), strict=True)
            )
            return longitude, latitude
    return None


def _is_good(file: xr.Dataset, convention: _Convention, name: str, n_times: int) -> np.ndarray:
    """Returns whether the flags of a variable are good: bool (time, ...), or one True without flags."""
    flags = convention.flags.format(name)
    if flags not in file.variables:
        return np.ones(n_times, bool)
    return np.isin(numbers(file[flags]), convention.good)


def _series(path: Path, file: xr.Dataset, name: str, convention: _Convention, variable: str) -> np.ndarray:
    """Returns the values (time) of a variable, NaN where missing; of several depths, the first that is not
    missing. Raises InputError for values that are not plausible."""
    table, data = TABLE[variable], file[name]
    values = table.without_missing(numbers(data, path))
    is_good = _is_good(file, convention, name, len(values))
    if is_good.ndim < values.ndim:
        is_good = is_good.reshape(-1, *[1] * (values.ndim - is_good.ndim))
    values = np.where(is_good, values, np.nan).reshape(len(values), -1)
    first = np.isfinite(values).argmax(axis=1)
    values = values[np.arange(len(values)), first]
    times = file[convention.time].values.astype("datetime64[s]")
    require_plausible(table.quantity, f"{path}: {name}", values, lambda i: f"at {times[i[0]]}")
    return values
