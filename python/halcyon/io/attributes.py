"""What every file of a run says of itself, after CF-1.11."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

CONVENTIONS = "CF-1.11"
FILL = 9.969209968386869e36  # netCDF's own for 32-bit numbers
AXES = {"lat": ("latitude", "degrees_north", "Y"), "lon": ("longitude", "degrees_east", "X")}


@dataclass(frozen=True)
class Origin:
    """What a file is: its title, the version of Halcyon that wrote it, after whom its model is, and which."""

    title: str
    version: str
    references: str
    model: str = "spectral wave model"


def of_file(origin, conventions=CONVENTIONS):
    """The attributes of a file, in order."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "Conventions": conventions,
        "title": origin.title,
        "institution": "not given",
        "source": f"Halcyon {origin.version}, {origin.model}",
        "history": f"{now} written by Halcyon {origin.version}",
        "references": origin.references,
    }


def of_variable(variable):
    """The CF attributes of a row of the table of variables, in order."""
    rows = of_quantity(variable.standard_name, variable.long_name, variable.units)
    rows |= {"units_metadata": "temperature: on_scale"} if variable.units == "K" else {}
    return {name: text for name, text in rows.items() if text}


def is_direction(standard_name):
    """Whether values of a standard name [degrees] go round: directions do, directional spreads do not."""
    return re.search(r"_direction(_|$)", standard_name) is not None


def time_units(start):
    """Units of hours since the start of a run (datetime, UTC)."""
    return f"hours since {start:%Y-%m-%d %H:%M:%S}"


def of_time(start):
    """The attributes of the variable of times, in order."""
    further = {"calendar": "standard", "units_metadata": "leap_seconds: none"}
    return of_quantity("time", "time", time_units(start)) | further


def methods_of(variable):
    """The cell methods of a row of the table of variables, where it has any."""
    return {"cell_methods": variable.cell_methods} if variable.cell_methods else {}


def of_axis(name):
    """The attributes of the axis `lat` or `lon`, in order."""
    standard_name, units, axis = AXES[name]
    return of_quantity(standard_name, standard_name, units) | {"axis": axis}


def of_quantity(standard_name, long_name, units):
    """The attributes of a variable of no table, in order."""
    return {"standard_name": standard_name, "long_name": long_name, "units": units}
