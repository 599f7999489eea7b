"""Options and arguments that commands share, and groups of commands with a default sub-command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup


def option(help: str, metavar: str | None = None, *names: str, default: Any = None, **settings: Any) -> Any:
    """An option, named after its parameter unless `names` are given. A required option has the default `...`;
    settings: of `typer.Option`."""
    return typer.Option(default, *names, metavar=metavar, help=help, **settings)


def flag(help: str, name: str, *, default: Any = False, **settings: Any) -> Any:
    """A boolean option."""
    return option(help, None, name, default=default, **settings)


def argument(help: str, metavar: str, default: Any = ..., **settings: Any) -> Any:
    return typer.Argument(default, metavar=metavar, help=help, **settings)


def n_ranks(least: int = 1, help: str = "Number of MPI ranks.", **settings: Any) -> Any:
    return option(help, "N", "-n", "--ranks", min=least, **settings)


AsJson = Annotated[bool, flag("Print JSON instead of a table.", "--json", default=...)]
Overrides = Annotated[
    list[str] | None,
    option("New value of an option of the case; repeatable.", "KEY=VALUE", "--set", default=...),
]
MeshName = Annotated[
    str,
    argument(
        "Mesh: an MPAS or GRIST file, a name such as G7 or G8X4, or a YAML file with a group mesh.",
        "MESH",
        show_default=False,
    ),
]
Layers = Annotated[int, option("Number of layers of halo cells.", "L", default=...)]
Method = Annotated[str, option("Method of METIS: kway or recursive.", "METHOD", default=...)]
Seed = Annotated[int, option("Random seed of METIS.", "N", default=..., min=0, max=2**31 - 1)]


def group_with_default(name: str) -> type[TyperGroup]:
    """A class of command groups that run the sub-command `name` if the command line names none."""

    class GroupWithDefault(TyperGroup):
        default = name

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Inserts the default before arguments that begin with neither a sub-command nor --help."""
            is_complete = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
            return super().parse_args(ctx, args if is_complete else [name, *args])

    return GroupWithDefault


def reject(text: str, cause: Exception | None = None) -> NoReturn:
    """Raises ConfigError."""
    from halcyon.base import ConfigError  # a late import: it loads the compiled module

    raise ConfigError(text) from cause


def reject_options(context: typer.Context, options: Mapping[str, str], reason: str) -> None:
    """Raises ConfigError if the command line gives any of `options` (parameter -> option)."""
    for name, given in options.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            reject(f"{given} is {reason}")


def figure_writer(
    file: str | Path | None, function: str, inputs: Iterable[str | Path] = ()
) -> Callable[..., None]:
    """Returns a function that plots its arguments into `file`, or does nothing without a file.

    function: `module:name` of the plotting function, which is imported when it is called; inputs: files that
    must not be overwritten. Raises ConfigError at once if the file cannot be written."""
    from importlib import import_module

    from halcyon.launch.output_file import picture_file

    if file is None:
        return lambda *data, **options: None
    path, (module, name) = picture_file(file, inputs), function.split(":")
    return lambda *data, **options: getattr(import_module(module), name)(path, *data, **options)


def comma_separated(text: str | None) -> list[str] | None:
    """The items of `a, b`."""
    return None if text is None else [word.strip() for word in text.split(",")]


def alternatives(registry: str, default: str = "") -> str:
    """The names of a registry's entries in words: `a, b (default) or c`."""
    from halcyon.choices import names

    *others, last = (f"{name} (default)" if name == default else name for name in names(registry))
    return f"{', '.join(others)} or {last}"


def require_package(name: str, command: str) -> None:
    """Raises RunError if an additional Python package that a command needs is not installed."""
    from importlib.util import find_spec

    if find_spec(name) is None:
        from halcyon.base import RunError

        raise RunError(
            f"`halcyon {command}` needs the Python package {name}, which is not installed. It is part "
            "of Halcyon's wheel: run `make build`, or install it from the repository with pip."
        )
