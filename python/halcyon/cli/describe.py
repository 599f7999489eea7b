"""`halcyon describe`: the variables of a model and the reference of the case file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from halcyon.config.option import Group


def print_variables() -> None:
    """Prints the wave model's table of variables."""
    from halcyon._core.wave import wave_variables

    rows = [
        (
            variable.name,
            " ".join(variable.dimensions),
            variable.units,
            ", ".join(use for use in ("output", "restart") if getattr(variable, use)),
            variable.long_name,
            variable.standard_name,
        )
        for variable in wave_variables()
    ]
    print_table(("variable", "dimensions", "units", "in", "meaning", "CF standard name"), rows)


def print_case() -> None:
    """Prints every option of a case: name, what is allowed, default, meaning."""
    from halcyon.config.case import Case

    _print_reference(Case)


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
