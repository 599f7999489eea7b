"""The CF-1.11 attributes of the output files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from halcyon.base import InputError

if TYPE_CHECKING:
    pass


CONVENTIONS = "CF-1.11"
FILL = 9.969209968386869e36  # netCDF's default for 32-bit floats
AXES = {"lat": ("latitude", "degrees_north", "Y"), "lon": ("longitude", "degrees_east", "X")}


class OutputVariable(Protocol):
    """An output variable of a model, or a statistic of one."""

    @property
    def name(self) -> str: ...
    @property
    def standard_name(self) -> str: ...
    @property
    def long_name(self) -> str: ...
    @property
    def units(self) -> str: ...
    @property
    def cell_methods(self) -> str: ...


class UnknownVariableError(InputError):
    """A requested variable that a file does not have. name: of the variable; known: the file's variables."""

    def __init__(self, text: str, name: str, known: Iterable[str]) -> None:
        super().__init__(text)
        self.name, self.known = name, list(known)


@dataclass(frozen=True)
class Origin:
    """Provenance of a file: its title, the version of Halcyon, and the references and name of the model."""

    title: str
    version: str
    references: str
    model: str = "spectral wave model"


def file_attributes(origin: Origin, conventions: str = CONVENTIONS) -> dict[str, str]:
    """Returns the global attributes of a file, in order."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "Conventions": conventions,
        "title": origin.title,
        "institution": "not given",
        "source": f"Halcyon {origin.version}, {origin.model}",
        "history": f"{now} written by Halcyon {origin.version}",
        "references": origin.references,
    }


def variable_attributes(variable: OutputVariable) -> dict[str, str]:
    """Returns the CF attributes of an output variable, in order."""
    attributes = quantity_attributes(variable.standard_name, variable.long_name, variable.units)
    attributes |= {"units_metadata": "temperature: on_scale"} if variable.units == "K" else {}
    return {name: text for name, text in attributes.items() if text}


def is_direction(standard_name: str) -> bool:
    """Whether a standard name is a direction [degrees, cyclic]; directional spreads are not."""
    return re.search(r"_direction(_|$)", standard_name) is not None


def time_units(start: datetime) -> str:
    """Returns the units of time, "hours since ..."; start: start of the run (datetime, UTC)."""
    return f"hours since {start:%Y-%m-%d %H:%M:%S}"


def time_attributes(start: datetime) -> dict[str, str]:
    """Returns the attributes of the time variable, in order."""
    further = {"calendar": "standard", "units_metadata": "leap_seconds: none"}
    return quantity_attributes("time", "time", time_units(start)) | further


def cell_methods_of(variable: OutputVariable) -> dict[str, str]:
    """Returns the attribute cell_methods of an output variable, if it has any."""
    return {"cell_methods": variable.cell_methods} if variable.cell_methods else {}


def axis_attributes(name: str) -> dict[str, str]:
    """Returns the attributes of the axis `lat` or `lon`, in order."""
    standard_name, units, axis = AXES[name]
    return quantity_attributes(standard_name, standard_name, units) | {"axis": axis}


def quantity_attributes(standard_name: str, long_name: str, units: str) -> dict[str, str]:
    """Returns the attributes of a quantity, in order."""
    return {"standard_name": standard_name, "long_name": long_name, "units": units}
