"""The fields of the built-in schemes of columns, with their CF metadata."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from halcyon._core.physics import ColumnScheme
from halcyon.choices import choices

_STANDARD_NAMES = {
    "precipitation": "rainfall_amount",
    "precipitation_rate": "rainfall_flux",
    "large_scale_precipitation": "stratiform_precipitation_amount",
    "large_scale_precipitation_rate": "stratiform_precipitation_flux",
    "evaporation": "water_evapotranspiration_amount",
}


@dataclass(frozen=True)
class FieldVariable:
    """A field of a built-in scheme, as a row of a table of variables (`halcyon.fields.Variable`)."""

    name: str
    dimensions: tuple[str, ...]
    units: str
    standard_name: str
    long_name: str
    cell_methods: str
    restart: bool
    output: bool


@cache
def built_in_fields() -> dict[str, tuple[FieldVariable, ...]]:
    """The fields of each built-in scheme that has any, by its name."""
    schemes = [entry.name for entry in choices("physics schemes") if "fields" in entry.traits]
    return {name: tuple(map(_with_metadata, ColumnScheme.built_in(name).variables)) for name in schemes}


def scheme_of_field(field: str) -> str | None:
    """The built-in scheme that declares a field, if one does."""
    return next((s for s, rows in built_in_fields().items() if field in [row.name for row in rows]), None)


def with_metadata(table: Iterable[Any], schemes: Iterable[str]) -> list[Any]:
    """The variables of a model, with the CF metadata of the fields of its built-in schemes."""
    rows = {row.name: row for scheme in schemes for row in built_in_fields().get(scheme, ())}
    return [
        replace(rows[variable.name], dimensions=tuple(variable.dimensions))
        if variable.name in rows
        else variable
        for variable in table
    ]


def _with_metadata(row: Any) -> FieldVariable:
    is_sum = row.units in (
        "kg m-2",
        "J m-2",
    )  # since the start: not at one time, and files have no bounds of time
    return FieldVariable(
        name=row.name,
        dimensions=tuple(row.dimensions),
        units=row.units,
        standard_name=_STANDARD_NAMES.get(row.name, ""),
        long_name=row.long_name,
        cell_methods="" if is_sum else row.cell_methods,
        restart=row.restart,
        output=row.output,
    )
