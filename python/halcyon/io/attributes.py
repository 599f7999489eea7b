"""What every file of a run says of itself, after CF-1.11."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

CONVENTIONS = "CF-1.11"
FILL = 9.969209968386869e36  # netCDF's own for 32-bit numbers


@dataclass(frozen=True)
class Origin:
    """What a file is: its title, the version of Halcyon that wrote it, after whom its model is, and which."""

    title: str
    version: str
    references: str
    model: str = "spectral wave model"


def of_file(origin, conventions=CONVENTIONS):
    """The attributes of a file: (name, text), in order."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return [
        ("Conventions", conventions),
        ("title", origin.title),
        ("institution", "not given"),
        ("source", f"Halcyon {origin.version}, {origin.model}"),
        ("history", f"{now} written by Halcyon {origin.version}"),
        ("references", origin.references),
    ]


def of_variable(variable):
    """The CF attributes of a row of the table of variables: (name, text), in order."""
    rows = [
        ("standard_name", variable.standard_name),
        ("long_name", variable.long_name),
        ("units", variable.units),
        ("units_metadata", "temperature: on_scale" if variable.units == "K" else ""),
    ]
    return [(name, text) for name, text in rows if text]


def is_direction(standard_name):
    """Whether values of a standard name [degrees] go round: directions do, directional spreads do not."""
    return re.search(r"_direction(_|$)", standard_name) is not None


def time_units(start):
    """Units of hours since the start of a run (datetime, UTC)."""
    return f"hours since {start:%Y-%m-%d %H:%M:%S}"


def of_time(start):
    """The attributes of the variable of times: (name, text), in order."""
    return [
        ("standard_name", "time"),
        ("long_name", "time"),
        ("units", time_units(start)),
        ("calendar", "standard"),
        ("units_metadata", "leap_seconds: none"),
    ]
