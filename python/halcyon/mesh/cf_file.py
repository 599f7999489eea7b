"""CF netCDF files by xarray and cf_xarray: opened whole; their variables, axes, times and units found."""

import re
import warnings
from contextlib import contextmanager

import numpy as np

from halcyon._core.mesh import require_whole
from halcyon.base import InputError

LATITUDE = ("latitude", ("lat", "latitude", "y", "nav_lat", "etopo05_y"), "degrees_north")
LONGITUDE = ("longitude", ("lon", "longitude", "x", "nav_lon", "etopo05_x"), "degrees_east")
_CIVIL = ("standard", "gregorian", "proleptic_gregorian", "utc", "noleap", "365_day")
_WORDS = ((r"met(er|re)s?", "m"), (r"sec(ond)?s?", "s"), (r"[\s.{}]|\*\*|\^", ""))


def open_netcdf(path, *, as_stored=False):
    """The xarray dataset of a file, of whose variables what is indexed is read, with all their attributes.

    as_stored: numbers as they are in the file; else NaN where missing, or never written,
    and unpacked; times are numbers. Raises InputError where it cannot be read or was cut short."""
    import xarray as xr

    require_whole(str(path))
    with reading(path, "as netCDF"):
        file = xr.open_dataset(
            path, engine="netcdf4", decode_cf=False, cache=False, create_default_indexes=False
        )
        if as_stored:
            return file
        try:
            for variable in file.variables.values():
                _as_netcdf4_decodes(variable)
            with warnings.catch_warnings():  # of a _FillValue beside a missing_value: both are missing
                warnings.simplefilter("ignore", xr.SerializationWarning)
                return xr.decode_cf(file, decode_times=False, decode_coords=False)
        except BaseException:
            file.close()
            raise


def _as_netcdf4_decodes(variable):
    """Attributes by which xarray finds missing what netCDF4 does, and unpacks as exactly: what was never
    written has the default fill value of its type."""
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
def reading(name, how=""):
    """Turns what is raised where a file is no netCDF, or damaged, into an InputError; name: what is read."""
    try:
        yield
    except (OSError, RuntimeError, IndexError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{' '.join(filter(None, (str(name), 'cannot be read', how)))}: {said}.") from None


def values_of(variable):
    """The values of a variable, NaN where missing, or beyond its valid_range, valid_min and valid_max.

    CF states these as the file stores numbers: those of packed values are unpacked here, too."""
    values, packing = variable.values, variable.encoding
    scale, offset = (float(packing.get(name, by)) for name, by in (("scale_factor", 1), ("add_offset", 0)))
    slack = abs(scale) / 2 if "scale_factor" in packing or "add_offset" in packing else 0.0
    for limit, sign in _valid_limits(variable):
        beyond = np.sign(scale) * sign * (values - (float(limit) * scale + offset)) > slack
        values = np.where(beyond, np.nan, values) if beyond.any() else values
    return values


def _valid_limits(variable):
    """Of the numbers that the file stores, each with -1 where it is the lowest or 1 where it is the highest;
    those that are no numbers of the stored type do not count, as netCDF4 has it."""
    said, stored = variable.attrs, np.dtype(variable.encoding.get("dtype", variable.dtype))
    pair = np.ravel(said["valid_range"]) if "valid_range" in said else ()
    low, high = pair if len(pair) == 2 else (said.get("valid_min"), said.get("valid_max"))
    for limit, sign in ((low, -1), (high, 1)):
        limit = np.asarray(limit)
        if limit.dtype.kind in "iuf" and limit.size == 1 and stored.kind in "iuf":
            exact = limit.item()
            with np.errstate(all="ignore"):
                cast = limit.astype(stored)
            if cast == exact or np.isclose(cast, exact, rtol=1e-6, atol=0):
                unsigned = str(variable.encoding.get("_Unsigned")).lower() == "true"
                yield (cast.view(f"u{stored.itemsize}") if unsigned else cast).item(), sign


def numbers(variable):
    """The same, float64."""
    return np.asarray(values_of(variable), float)


def roles(file):
    """The names of variables by what cf_xarray takes them for, such as `longitude`."""
    import cf_xarray  # noqa: F401

    return file.set_coords(file.data_vars).cf.coordinates


def find(path, file, quantity, remedy, fits=lambda variable: True):
    """The variable of a `Quantity` among those that fit: by its standard name, or by a name that is known.

    None where there is none; InputError with a remedy where it is not plain."""
    fitting = [file[name] for name, variable in file.variables.items() if fits(variable)]
    standard = [v for v in fitting if v.attrs.get("standard_name") in quantity.standard_names]
    named = [v for v in fitting if v.name.lower() in quantity.names]
    found = standard if len(standard) == 1 else [v for v in standard if v.name in [n.name for n in named]]
    found = found or standard or named
    if len(found) > 1:
        raise InputError(
            f"{path} has {len(found)} variables that may be {quantity.name}:"
            f" {', '.join(v.name for v in found)}. {remedy}"
        )
    return found[0] if found else None


def find_axis(path, file, axis):
    """The one-dimensional variable of an axis, LATITUDE or LONGITUDE: CF tells it by standard name or units;
    else its name is known, and its unit, where it has one, is of angles: the metres of a projection are none.

    Raises InputError where there is none, or more than one."""
    what, names, unit = axis
    by_role = [file[name] for name in roles(file).get(what, [])]
    flat = [file[name] for name, v in file.variables.items() if v.ndim == 1 and v.size > 1]
    found = [v for v in flat if v.name in [each.name for each in by_role]]
    found = found or [v for v in flat if v.name.lower() in names and _may_be_degrees(v)]
    if len(found) > 1:
        found = [v for v in found if v.dims == (v.name,)] or found
    named = [file[name] for name in file.variables if str(name).lower() in names]
    curved = next((v for v in (*by_role, *named) if v.ndim > 1), None)
    if not found and curved is not None:
        raise InputError(
            f"{path}: the {what}s ({curved.name}) are two-dimensional, the grid is a curved one. Bring the"
            " fields to one-dimensional latitudes and longitudes, such as by cdo remapbil."
        )
    if len(found) != 1:
        known = ", ".join(v.name for v in found or flat) or "none"
        raise InputError(
            f"{path} has {len(found)} one-dimensional variables of {what} (candidates: {known}), but one is "
            f"needed, named {names[0]} or with units {unit}."
        )
    return found[0]


def _may_be_degrees(variable):
    unit = str(variable.attrs.get("units", "")).strip().lower()
    return unit == "" or unit.startswith("deg")


def time_of(file, variable):
    """The times of a variable of a file, or None: their units say `since`, and they lie along one of its
    dimensions, whose name they have where there are several; else they are one time of the whole file.
    When a forecast began (`forecast_reference_time`) is not the time of its fields."""
    since = [name for name, v in file.variables.items() if re.search(r"\bsince\b", str(v.attrs.get("units")))]
    found = [file[name] for name in since if file[name].ndim <= 1]
    found = [v for v in found if v.attrs.get("standard_name") != "forecast_reference_time"]
    along = [v for v in found if v.ndim == 1 and v.dims[0] in variable.dims]
    own = [v for v in along if v.dims == (v.name,)]
    return next(iter(own or along or [v for v in found if v.size == 1]), None)


def times_of(path, time):
    """The times (record) of a variable of them, datetime64[ms] UTC.

    A date of a calendar without leap days is that of the civil calendar. Raises InputError for other
    calendars, and for times that are none."""
    from cftime import num2date

    calendar = time.attrs.get("calendar", "standard").lower()
    if calendar not in _CIVIL:
        raise InputError(
            f"{path}: the times are of the calendar '{calendar}', whose days are no days of a run. Convert "
            f"them to one of {', '.join(_CIVIL)}."
        )
    values = np.atleast_1d(numbers(time))
    if not np.isfinite(values).all():
        raise InputError(f"{path}: {time.name} has no time at some record. Mend the file.")
    units = re.sub(r"^\s*hour\s", "hours ", time.attrs.get("units", "")).replace("Z", "")
    try:
        dates = num2date(values, units, "noleap" if calendar == "365_day" else calendar)
        found = np.array([date.isoformat(timespec="microseconds") for date in dates], "datetime64[us]")
    except (ValueError, OverflowError) as error:
        raise InputError(f"{path}: the times of {time.name} ('{units}') cannot be told: {error}.") from None
    return (found + np.timedelta64(500, "us")).astype("datetime64[ms]")  # a time in days is not exact


def shown(time):
    """`2022-09-01 06:00` of a datetime64."""
    return str(np.datetime64(time, "s")).replace("T", " ").removesuffix(":00")


def plain_unit(variable):
    """The unit of a variable, or a unit, in short words without blanks, points and signs of powers."""
    text = variable if isinstance(variable, str) else str(variable.attrs.get("units", ""))
    text = text.strip().lower()
    for pattern, short in _WORDS:
        text = re.sub(pattern, short, text)
    return text
