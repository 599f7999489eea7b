"""`halcyon describe`: the variables of a model and the reference of the case file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import option, refuse

if TYPE_CHECKING:
    from halcyon.config.option import Group

describe = typer.Typer(no_args_is_help=True, help="Describe what a model computes and what a case may hold.")
_MODELS = {
    "wave": "List the variables of the wave model.",
    "atmosphere": "List the variables of the atmosphere, and its integrals over the globe.",
    "spectral": "List the variables of the spectral model, and its integrals over the globe.",
}


def _listing(model: str) -> Callable[[], None]:
    """The command that lists the variables of a model."""

    def listing() -> None:
        _print_variables(_tables(model))

    return listing


for name, text in _MODELS.items():
    describe.command(name, help=text)(_listing(name))


@describe.command()
def case(model: str = option("wave, atmosphere or spectral.", "NAME", default="wave")) -> None:
    """List every option of a case file."""
    from halcyon.config.load import MODELS

    if model not in MODELS:
        *most, last = _MODELS
        refuse(f"--model {model}: there is no such model. Give {', '.join(most)} or {last}.")
    _print_reference(MODELS[model][0])


@describe.command()
def simulation() -> None:
    """List every option of a case of `halcyon simulate`."""
    from halcyon.config.simulation import Simulation

    _print_reference(Simulation)


@describe.command()
def machine() -> None:
    """List every option of a machine file."""
    from halcyon.config.machine import Machine

    _print_reference(Machine)


def _print_variables(tables: dict[str, list[Any]]) -> None:
    from halcyon.cli.common import print_rows

    for i, (title, table) in enumerate(tables.items()):
        if i:
            typer.echo()
        if title:
            typer.echo(f"{title}:")
        print_rows(
            {
                "variable": row.name,
                "dimensions": " ".join(row.dimensions),
                "units": row.units,
                "in": ", ".join(use for use in ("output", "restart") if getattr(row, use)),
                "meaning": row.long_name,
                "CF standard name": row.standard_name,
            }
            for row in table
        )


def _tables(model: str) -> dict[str, list[Any]]:
    """Tables of variables by their titles."""
    if model == "atmosphere":
        from halcyon.atmosphere import equation_sets

        titles: dict[tuple[str, ...], tuple[list[str], list[Any]]] = {}
        for each in equation_sets():
            rows = [*each.variables, *each.integral_variables]
            titles.setdefault(tuple(row.name for row in rows), ([], rows))[0].append(each.name)
        return {", ".join(names): rows for names, rows in titles.values()}
    if model == "spectral":
        from halcyon.spectral import EQUATIONS, integral_variables_of, variables_of

        return {each: [*variables_of(each), *integral_variables_of(each)] for each in EQUATIONS}
    from halcyon._core.wave import wave_variables

    return {"": wave_variables()}


def _print_reference(model: type[Group]) -> None:
    from halcyon.config.reference import reference

    for entry in reference(model):
        if entry.is_group:
            typer.echo(f"\n{entry.name}: {entry.text}")
            continue
        unit = f" [{entry.unit}]" if entry.unit and f"[{entry.unit}]" not in entry.allowed else ""
        note = {"": "", "required": "  (required)"}.get(entry.default, f"  (default {entry.default})")
        typer.echo(f"  {entry.name}: {entry.allowed}{unit}{note}\n      {entry.text}")
