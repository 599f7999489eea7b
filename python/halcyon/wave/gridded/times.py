"""Times as files write them: any CF calendar whose days are civil days."""

import re

import numpy as np

from halcyon.base import InputError

_CIVIL = ("standard", "gregorian", "proleptic_gregorian", "utc", "noleap", "365_day")
_REFERENCE = "forecast_reference_time"
MONTHS = 12


def time_variable(file, variable):
    """The times of a variable of a netCDF file, or None: their units say `since`, and they lie along one of
    its dimensions, whose name they have where there are several; else they are one time of the whole file.
    When a forecast began (`forecast_reference_time`) is not the time of its fields."""
    found = [v for v in file.variables.values() if v.ndim <= 1 and _is_since(getattr(v, "units", ""))]
    found = [v for v in found if getattr(v, "standard_name", "") != _REFERENCE]
    along = [v for v in found if v.ndim == 1 and v.dimensions[0] in variable.dimensions]
    own = [v for v in along if v.dimensions == (v.name,)]
    return next(iter(own or along or [v for v in found if v.size == 1]), None)


def _is_since(units):
    return isinstance(units, str) and re.search(r"\bsince\b", units) is not None


def decoded(variable, path):
    """The times (record) of a variable, datetime64[ms] UTC.

    A date of a calendar without leap days is that of the civil calendar. Raises InputError for other
    calendars, and for times that are none."""
    calendar = getattr(variable, "calendar", "standard").lower()
    if calendar not in _CIVIL:
        raise InputError(
            f"{path}: the times are of the calendar '{calendar}', whose days are no days of a run. Convert "
            f"them to one of {', '.join(_CIVIL)}."
        )
    values = np.ma.atleast_1d(np.ma.asarray(variable[:], float))
    if np.ma.getmaskarray(values).any() or not np.isfinite(values).all():
        raise InputError(f"{path}: {variable.name} has no time at some record. Mend the file.")
    return _dates(values, variable, calendar, path)


def _dates(values, variable, calendar, path):
    from cftime import num2date

    units = re.sub(r"^\s*hour\s", "hours ", variable.units).replace("Z", "")
    try:
        found = num2date(values.filled(), units, "noleap" if calendar == "365_day" else calendar)
        texts = [date.isoformat(timespec="microseconds") for date in found]
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{path}: the times of {variable.name} ('{variable.units}') cannot be told: {error}."
        ) from None
    return _rounded(np.array(texts, "datetime64[us]"))


def _rounded(times):
    """To whole milliseconds, since a time in days is not exact."""
    return (times + np.timedelta64(500, "us")).astype("datetime64[ms]")


def month_of(times):
    """The month, 0 for January, of times (datetime64)."""
    return times.astype("datetime64[M]").astype(int) % MONTHS


def middle_of_month(month):
    """The middle, datetime64[ms], of months (datetime64[M])."""
    first, last = month.astype("datetime64[ms]"), (month + 1).astype("datetime64[ms]")
    return first + (last - first) // 2


def shown(time):
    """`2022-09-01 06:00` of a datetime64."""
    text = str(np.datetime64(time, "s")).replace("T", " ")
    return text.removesuffix(":00")
