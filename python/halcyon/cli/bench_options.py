"""Options that commands of `halcyon bench` share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer


def ranks(least: int = 1, text: str = "MPI ranks.", **more: Any) -> Any:
    return typer.Option("-n", "--ranks", metavar="N", min=least, help=text, **more)


def several(name: str, text: str) -> Any:
    """An option that may be given again and again."""
    return typer.Option(name, help=text, show_default=False)


def picture(name: str, metavar: str, text: str) -> Any:
    """A file that is drawn."""
    return typer.Option(name, metavar=metavar, help=text, show_default=False)


def as_json() -> Any:
    return typer.Option("--json", help="Print JSON instead of a table.")


def refuse_given(context: typer.Context, options: Mapping[str, str], why: str) -> None:
    """Raises ConfigError for the first of these parameters, by option, that the command line gives."""
    from halcyon.base import ConfigError

    for name, option in options.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise ConfigError(f"{option} is {why}")
