"""`halcyon describe`: the variables of a model and the reference of the case file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import option

if TYPE_CHECKING:
    from halcyon.config.option import Group

describe = typer.Typer(no_args_is_help=True, help="Describe what a model computes and what a case may hold.")


@describe.command()
def wave() -> None:
    """List the variables of the wave model."""
    _print_variables("wave")


@describe.command()
def atmosphere() -> None:
    """List the variables of the atmosphere, and its integrals over the globe."""
    _print_variables("atmosphere")


@describe.command()
def spectral() -> None:
    """List the variables of the spectral model, and its integrals over the globe."""
    _print_variables("spectral")


@describe.command()
def case(model: str = option("wave, atmosphere or spectral.", "NAME", default="wave")) -> None:
    """List every option of a case file."""
    from halcyon.base import ConfigError
    from halcyon.config.atmosphere import AtmosphereCase
    from halcyon.config.case import Case
    from halcyon.config.spectral import SpectralCase

    cases = {"wave": Case, "atmosphere": AtmosphereCase, "spectral": SpectralCase}
    if model not in cases:
        *most, last = cases
        raise ConfigError(f"--model {model}: there is no such model. Give {', '.join(most)} or {last}.")
    _print_reference(cases[model])


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


def _print_variables(model: str) -> None:
    from halcyon.cli.common import print_table

    tables = _tables(model)
    for title, table in tables.items():
        if title:
            typer.echo(f"{title}:")
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
        if title != [*tables][-1]:
            typer.echo()


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
        typer.echo(f"  {entry.name}: {entry.allowed}{unit}{note}")
        typer.echo(f"      {entry.text}")
