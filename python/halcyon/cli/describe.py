"""`halcyon describe`: the variables of a model and the reference of the case file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from halcyon.config.option import Group


def print_variables(model: str) -> None:
    """Prints a model's tables of variables."""
    tables = _tables(model)
    for title, table in tables.items():
        if title:
            typer.echo(f"{title}:")
        _print_table_of(table)
        if title != [*tables][-1]:
            typer.echo()


def _print_table_of(table: list[Any]) -> None:
    rows = [
        (
            variable.name,
            " ".join(variable.dimensions),
            variable.units,
            ", ".join(use for use in ("output", "restart") if getattr(variable, use)),
            variable.long_name,
            variable.standard_name,
        )
        for variable in table
    ]
    print_table(("variable", "dimensions", "units", "in", "meaning", "CF standard name"), rows)


def _tables(model: str) -> dict[str, list[Any]]:
    """Tables of variables by their titles."""
    if model == "atmosphere":
        from halcyon.atmosphere import (
            air_integral_variables,
            air_variables,
            integral_variables,
            shallow_water_variables,
        )

        return {
            "shallow_water": [*shallow_water_variables(), *integral_variables()],
            "hydrostatic, nonhydrostatic": [*air_variables(), *air_integral_variables()],
        }
    if model == "spectral":
        from halcyon.spectral import EQUATIONS, integral_variables_of, variables_of

        return {each: [*variables_of(each), *integral_variables_of(each)] for each in EQUATIONS}
    from halcyon._core.wave import wave_variables

    return {"": wave_variables()}


def print_case(model: str) -> None:
    """Prints every option of a case of a model: name, what is allowed, default, meaning.

    Raises ConfigError for a model that there is not."""
    from halcyon.base import ConfigError
    from halcyon.config.atmosphere import AtmosphereCase
    from halcyon.config.case import Case
    from halcyon.config.spectral import SpectralCase

    cases = {"wave": Case, "atmosphere": AtmosphereCase, "spectral": SpectralCase}
    if model not in cases:
        *most, last = cases
        raise ConfigError(f"--model {model}: there is no such model. Give {', '.join(most)} or {last}.")
    _print_reference(cases[model])


def print_simulation() -> None:
    """The same of a case of `halcyon simulate`."""
    from halcyon.config.simulation import Simulation

    _print_reference(Simulation)


def print_machine() -> None:
    """The same of a machine file."""
    from halcyon.config.machine import Machine

    _print_reference(Machine)


def _print_reference(model: type[Group]) -> None:
    from halcyon.config.reference import reference

    for entry in reference(model):
        if entry.is_group:
            typer.echo(f"\n{entry.name}: {entry.text}")
            continue
        unit = f" [{entry.unit}]" if entry.unit and f"[{entry.unit}]" not in entry.allowed else ""
        note = {"": "", "required": "  (required)"}.get(entry.default, f"  (default {entry.default})")
        typer.echo(f"  {entry.name}: {entry.allowed}{unit}{note}")
        typer.echo(f"      {entry.text}")


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table that fits the terminal; in a file, plain columns."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*titles, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*row)
        Console(markup=False).print(table)
        return
    lines = [titles, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        typer.echo("  ".join(cells).rstrip())
