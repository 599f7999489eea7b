"""Opens CF netCDF files with xarray, and finds their variables, axes, times and units."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core.mesh import require_complete
from halcyon.base import Error, InputError, require_regular_file
from halcyon.mesh.file_reader import is_hdf5, read_guarded, require_readable
from halcyon.mesh.plausible import at_index, require_plausible

if TYPE_CHECKING:
    import xarray as xr


# Axes: the role for cf_xarray, known names, CF unit.
LATITUDE = ("latitude", ("lat", "latitude", "y", "nav_lat", "etopo05_y"), "degrees_north")
LONGITUDE = ("longitude", ("lon", "longitude", "x", "nav_lon", "etopo05_x"), "degrees_east")
_ABSOLUTE_DAYS = "day as %Y%m%d"  # the beginning of the units of ICON's and cdo's absolute times
_CALENDARS = ("standard", "gregorian", "proleptic_gregorian", "utc", "noleap", "365_day")
_TEXTS = {  # attributes that are texts
    *("_CoordinateAxisType", "_Unsigned", "ancillary_variables", "axis", "bounds", "calendar"),
    *("cartesian_axis", "cell_measures", "cell_methods", "cf_role", "coordinates"),
    *("edge_node_connectivity", "face_dimension", "face_node_connectivity", "formula_terms", "grads_dim"),
    *("grid_mapping", "halcyon_state", "long_name", "mesh", "names", "node_coordinates", "positive"),
    *("standard_name", "units"),
}
MOST_TIMES = 2_000_000  # of a variable
_NUMBERS = frozenset(["_FillValue", "add_offset", "scale_factor", "start_index"])
_UNIT_REPLACEMENTS = ((r"met(er|re)s?", "m"), (r"sec(ond)?s?", "s"), (r"[\s.{}]|\*\*|\^", ""))


def is_netcdf(path: str | os.PathLike[str], kind: str) -> bool:
    """Returns whether a file begins as netCDF. Raises InputError if it cannot be read; `kind`: what the file
    should be, for the error text."""
    require_regular_file(path, kind)
    with reading(path), open(path, "rb") as file:
        return file.read(3) == b"CDF" or is_hdf5(path)


def open_netcdf(
    path: str | os.PathLike[str], *, as_stored: bool = False, guarded: bool = False
) -> xr.Dataset:
    """Returns the xarray dataset of a file; only indexed parts of variables are read.

    as_stored: returns numbers as stored; by default they are unpacked, with NaN where missing or never
    written. guarded: a process of its own reads the values, also after the dataset is closed; it always reads
    those of netCDF-4, see `file_reader`. Times are numbers. Raises InputError if the file cannot be read or
    was cut short, or an attribute that must be a text is not one."""
    import xarray as xr

    require_regular_file(path, "netCDF")
    require_complete(str(path))
    with reading(path, "as netCDF"):
        if is_netcdf4 := is_hdf5(path):
            require_readable(path)
        file = xr.open_dataset(
            path, engine="netcdf4", decode_cf=False, cache=False, create_default_indexes=False
        )
        try:
            _require_attributes(path, file)
            file = read_guarded(path, file) if is_netcdf4 or guarded else file
            if not as_stored:
                for variable in file.variables.values():
                    _set_netcdf4_defaults(variable)
                return unpacked(path, file)
            return _labelled(path, file)
        except BaseException:
            file.close()
            raise


def unpacked(path: str | os.PathLike[str], file: xr.Dataset) -> xr.Dataset:
    """Returns a dataset of numbers as stored with unpacked numbers, NaN where missing. Raises InputError for
    attributes of another type than CF's."""
    import xarray as xr

    _require_attributes(path, file)
    with warnings.catch_warnings():  # _FillValue and missing_value both mark missing values
        warnings.simplefilter("ignore", xr.SerializationWarning)
        return xr.decode_cf(_labelled(path, file), decode_times=False, decode_coords=False)


def _labelled(path: str | os.PathLike[str], file: xr.Dataset) -> xr.Dataset:
    for variable in file.variables.values():
        variable.encoding["source"] = str(path)  # for errors
    return file


def open_decoded(path: str | os.PathLike[str]) -> xr.Dataset:
    """As `open_netcdf`, but with times as datetime64 UTC, characters as texts, and indexes."""
    import xarray as xr

    file = open_netcdf(path, as_stored=True)
    with reading(path, "as netCDF"):
        return xr.decode_cf(file, decode_timedelta=False)


def _require_attributes(path: str | os.PathLike[str], file: xr.Dataset) -> None:
    """Raises InputError for an attribute of _TEXTS that is not a text, or of _NUMBERS that is no number."""
    variables = [(name, v.attrs, v.dtype.kind in "iuf") for name, v in file.variables.items()]
    for holder, attributes, is_numeric in [("", file.attrs, False), *variables]:
        for name, value in attributes.items():
            kind = np.asarray(value).dtype.kind
            if name in _TEXTS and not isinstance(value, str):
                expected, type = "a text", "c"
            elif (
                name in _NUMBERS
                and (is_numeric or name != "_FillValue")
                and (kind not in "iuf" or np.size(value) != 1)
            ):
                expected, type = "a number", "d"
            else:
                continue
            text = repr(value) if kind in "OUS" else np.array2string(np.ravel(value)[:4], separator=", ")
            raise InputError(
                f"{path}: the attribute {name} of {holder or 'the file'} is {text[:60]}, but must be "
                f"{expected}. Correct it (ncatted -a {name},{holder or 'global'},o,{type},VALUE FILE)."
            )


def _set_netcdf4_defaults(variable: xr.Variable) -> None:
    """Sets attributes such that xarray masks and unpacks like netCDF4: values that were never written have
    the default fill value of their type."""
    from netCDF4 import default_fillvals

    stored = variable.dtype
    if stored.kind not in "iuf":
        return
    if "_Unsigned" not in variable.attrs:
        variable.attrs.setdefault("_FillValue", stored.type(default_fillvals[stored.str[1:]]))
    for name in {"scale_factor", "add_offset"} & variable.attrs.keys():
        packing = np.asarray(variable.attrs[name])
        is_short = stored.kind in "iu" and stored.itemsize <= 2 and packing.dtype.kind == "f"
        if packing.dtype.kind in "iuf" and not is_short and stored != np.float32:
            variable.attrs[name] = np.float64(packing.item())


@contextmanager
def reading(name: str | os.PathLike[str], how: str = "") -> Iterator[None]:
    """Converts the errors of an invalid or damaged netCDF file into InputError.

    name: the file, for the error text. how: an addition to the text, such as "as netCDF"."""
    try:
        yield
    except (OSError, RuntimeError, IndexError, ValueError, TypeError, OverflowError, MemoryError) as error:
        if isinstance(error, Error):
            raise
        reason = getattr(error, "strerror", None) or str(error) or "it needs more memory than there is"
        advice = "Give a netCDF file." if "Unknown file format" in reason else "Replace the file."
        text = " ".join(filter(None, (str(name), "cannot be read", how)))
        raise InputError(f"{text}: {reason}. {advice}") from None


def values_of(variable: xr.DataArray, path: str | os.PathLike[str] | None = None) -> np.ndarray:
    """Returns the values of a variable, NaN where missing or outside valid_range, valid_min and valid_max.
    path: of the file, for errors. Raises InputError for a text variable.

    CF defines these limits for stored numbers. Limits of packed values are unpacked here, and tolerate half a
    packing step."""
    if variable.dtype.kind not in "iufb":
        raise InputError(
            f"{_label(variable, path)} holds characters or dates where numbers are needed. Correct the file."
        )
    values, packing = variable.values, variable.encoding
    scale, offset = (
        float(packing.get(name, default)) for name, default in (("scale_factor", 1), ("add_offset", 0))
    )
    slack = abs(scale) / 2 if "scale_factor" in packing or "add_offset" in packing else 0.0
    for limit, sign in _valid_limits(variable):
        beyond = np.sign(scale) * sign * (values - (float(limit) * scale + offset)) > slack
        values = np.where(beyond, np.nan, values) if beyond.any() else values
    return values


def _valid_limits(variable: xr.DataArray) -> Iterator[tuple[float, int]]:
    """Yields the limits of the stored numbers, with -1 for a lower and 1 for an upper limit. Limits that the
    stored type cannot represent are ignored, as netCDF4 does."""
    attributes, stored = variable.attrs, np.dtype(variable.encoding.get("dtype", variable.dtype))
    pair: Sequence[Any] | np.ndarray = (
        np.ravel(attributes["valid_range"]) if "valid_range" in attributes else ()
    )
    low, high = pair if len(pair) == 2 else (attributes.get("valid_min"), attributes.get("valid_max"))
    for limit, sign in ((low, -1), (high, 1)):
        limit = np.asarray(limit)
        if limit.dtype.kind in "iuf" and limit.size == 1 and stored.kind in "iuf":
            exact = limit.item()
            with np.errstate(all="ignore"):
                cast = limit.astype(stored)
            if cast == exact or np.isclose(cast, exact, rtol=1e-6, atol=0):
                unsigned = str(variable.encoding.get("_Unsigned")).lower() == "true"
                yield (cast.view(f"u{stored.itemsize}") if unsigned else cast).item(), sign


def numbers(variable: xr.DataArray, path: str | os.PathLike[str] | None = None) -> np.ndarray:
    """Returns `values_of` a variable as float64. path: of the file, for errors. Raises InputError if they
    cannot be read, or are not numbers."""
    with reading(_label(variable, path)):
        variable = variable.compute()  # values_of uses them several times
        return np.asarray(values_of(variable, path), float)


def _label(variable: xr.DataArray, path: str | os.PathLike[str] | None) -> str:
    return ": ".join(map(str, [*filter(None, [path or variable.encoding.get("source")]), variable.name]))


def positions(path: str | os.PathLike[str], variable: xr.DataArray, quantity: str) -> np.ndarray:
    """Returns the `numbers` of a coordinate. quantity: latitude or longitude.

    Raises InputError where a value is not a position on the sphere [degrees]."""
    values = numbers(variable, path)
    require_plausible(quantity, f"{path}: {variable.name}", values, at_index)
    return values


def roles(file: xr.Dataset) -> dict[str, list[Any]]:
    """Returns lists of variable names per role that cf_xarray recognizes, such as `longitude`."""
    import cf_xarray  # noqa: F401

    return file.set_coords(file.data_vars).cf.coordinates


def find_variable(
    path: str | os.PathLike[str],
    file: xr.Dataset,
    quantity: Any,
    remedy: str,
    fits: Callable[[Any], bool] = lambda variable: True,
) -> xr.DataArray | None:
    """Returns the variable that holds a quantity, recognized by its standard name or by a known name.

    quantity: has `name`, `standard_names`, `names` (known names in lower case), and possibly
    `other_standard_names`, of variables that may have these names but are another quantity. fits: whether a
    variable is a candidate. Returns None if no variable matches. Raises InputError, with `remedy`, if several
    match."""
    fitting = [file[name] for name, variable in file.variables.items() if fits(variable)]
    standard = [v for v in fitting if v.attrs.get("standard_name") in quantity.standard_names]
    named = [
        v
        for v in fitting
        if v.attrs.get("standard_name") not in getattr(quantity, "other_standard_names", ())
        if str(v.name).lower() in quantity.names
        or (
            str(v.attrs.get("GRIB_cfVarName", "")).lower() in quantity.names and "GRIB_typeOfLevel" in v.attrs
        )
    ]
    # Of several variables with the standard name, the one that also has a known name is meant.
    found = (
        standard if len(standard) == 1 else [v for v in standard if v.name in [other.name for other in named]]
    )
    found = found or standard or named
    if len(found) > 1:
        raise InputError(
            f"{path} has {len(found)} variables that may be {quantity.name}:"
            f" {', '.join(str(v.name) for v in found)}. {remedy}"
        )
    return found[0] if found else None


def find_axis(
    path: str | os.PathLike[str], file: xr.Dataset, axis: tuple[str, tuple[str, ...], str]
) -> xr.DataArray:
    """Returns the one-dimensional variable of an axis, LATITUDE or LONGITUDE. The variable is recognized by
    CF standard name or units, or else by a known name, if its unit is degrees or missing (not the metres of a
    projection).

    Raises InputError if no variable matches, or more than one."""
    role, names, unit = axis
    by_role = [file[name] for name in roles(file).get(role, [])]
    one_dimensional = [file[name] for name, v in file.variables.items() if v.ndim == 1 and v.size > 1]
    found = [v for v in one_dimensional if v.name in [other.name for other in by_role]]
    found = found or [v for v in one_dimensional if str(v.name).lower() in names and _may_be_degrees(v)]
    if len(found) > 1:
        found = [v for v in found if v.dims == (v.name,)] or found
    named = [file[name] for name in file.variables if str(name).lower() in names]
    two_dimensional = next((v for v in (*by_role, *named) if v.ndim > 1), None)
    if not found and two_dimensional is not None:
        raise InputError(
            f"{path}: the {role}s ({two_dimensional.name}) are two-dimensional: the grid is curvilinear. "
            "Only winds, ice, currents and water levels that have its dimensions may be on such a grid. "
            "Interpolate the fields to one-dimensional latitudes and longitudes, for example with cdo "
            "remapbil."
        )
    if len(found) != 1:
        candidates = ", ".join(str(v.name) for v in found or one_dimensional) or "none"
        raise InputError(
            f"{path} has {len(found)} one-dimensional variables of {role} (candidates: {candidates}), but "
            f"one is needed, named {names[0]} or with units {unit}."
        )
    return found[0]


def _may_be_degrees(variable: xr.DataArray) -> bool:
    unit = str(variable.attrs.get("units", "")).strip().lower()
    return unit == "" or unit.startswith("deg")


def time_of(file: xr.Dataset, variable: xr.DataArray) -> xr.DataArray | None:
    """Returns the time variable of a variable, or None.

    The units of a time variable contain `since`, or are those of absolute times (ICON). Preferred is a time
    variable on a dimension of the variable, first one named like its dimension; then a single time for the
    whole file. The start of a forecast (`forecast_reference_time`) is not the time of its fields."""
    time_names = [
        name
        for name, v in file.variables.items()
        if re.search(rf"\bsince\b|^{_ABSOLUTE_DAYS}", str(v.attrs.get("units")))
    ]
    found = [file[name] for name in time_names if file[name].ndim <= 1]
    found = [v for v in found if v.attrs.get("standard_name") != "forecast_reference_time"]
    on_dimension = [v for v in found if v.ndim == 1 and v.dims[0] in variable.dims]
    coordinates = [v for v in on_dimension if v.dims == (v.name,)]
    return next(iter(coordinates or on_dimension or [v for v in found if v.size == 1]), None)


def times_of(path: str | os.PathLike[str], time: xr.DataArray) -> np.ndarray:
    """Returns the times (record) of a time variable, datetime64[ms] UTC.

    Dates of a calendar without leap days are taken as civil dates. Raises InputError for other calendars,
    for invalid times, and for more than MOST_TIMES."""
    from cftime import num2date

    calendar = time.attrs.get("calendar", "standard").lower()
    if calendar not in _CALENDARS:
        raise InputError(
            f"{path}: the times have the calendar '{calendar}', which is not supported. Convert "
            f"them to one of {', '.join(_CALENDARS)}."
        )
    if time.size > MOST_TIMES:
        raise InputError(f"{path}: {time.name} has {time.size} times. At most {MOST_TIMES} are supported.")
    values = numbers(time).ravel()
    if not np.isfinite(values).all():
        raise InputError(f"{path}: {time.name} has a missing value. Correct the file.")
    if str(time.attrs.get("units")).startswith(_ABSOLUTE_DAYS):
        return _times_of_absolute_days(f"{path}: {time.name}", values)
    units = re.sub(r"^\s*hour\s", "hours ", time.attrs.get("units", "")).replace("Z", "")
    try:
        dates = num2date(values, units, "noleap" if calendar == "365_day" else calendar)
        times = np.array([date.isoformat(timespec="microseconds") for date in dates], "datetime64[us]")
    except (ValueError, OverflowError) as error:
        raise InputError(f"{path}: the times of {time.name} ('{units}') are invalid: {error}.") from None
    return (times + np.timedelta64(500, "us")).astype("datetime64[ms]")  # a time in days is not exact


def _times_of_absolute_days(label: str, values: np.ndarray) -> np.ndarray:
    """The times, to the second, of dates as decimal numbers with the fraction of the day: 20220904.25."""
    digits = [f"{int(value):08}" for value in values]
    try:
        days = np.array([f"{each[:-4]}-{each[-4:-2]}-{each[-2:]}" for each in digits], "datetime64[ms]")
    except ValueError as error:
        raise InputError(f"{label}: the times ('{_ABSOLUTE_DAYS}') are invalid: {error}.") from None
    return days + np.rint((values % 1) * 86400).astype("timedelta64[s]")


def in_unit(time: datetime | np.datetime64 | str | None, unit: str) -> np.datetime64:
    """Returns a time in a unit of datetime64, such as `s` and `ms`."""
    converted: np.datetime64 = np.datetime64(time, unit)  # type: ignore[call-overload]  # missing in numpy's
    return converted


def format_time(time: datetime | np.datetime64 | None) -> str:
    """Returns a datetime64 as text, such as `2022-09-01 06:00`."""
    return str(in_unit(time, "s")).replace("T", " ").removesuffix(":00")


def short_unit(variable: xr.DataArray | str) -> str:
    """Returns a unit in a short form without blanks, dots and power signs. variable: an xarray variable, or
    the text of a unit."""
    text = variable if isinstance(variable, str) else str(variable.attrs.get("units", ""))
    text = text.strip().lower()
    for pattern, short in _UNIT_REPLACEMENTS:
        text = re.sub(pattern, short, text)
    return text
