"""Options and arguments that commands share, and groups of commands whose first word may be left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup


def option(help: str, metavar: str | None = None, *names: str, default: Any = None, **more: Any) -> Any:
    """An option; without names, that of its parameter. One that must be given has `...` as default."""
    return typer.Option(default, *names, metavar=metavar, help=help, **more)


def flag(help: str, name: str, *, default: Any = False, **more: Any) -> Any:
    """An option without a value."""
    return option(help, None, name, default=default, **more)


def argument(help: str, metavar: str, default: Any = ..., **more: Any) -> Any:
    return typer.Argument(default, metavar=metavar, help=help, **more)


def n_ranks(least: int = 1, help: str = "MPI ranks.", **more: Any) -> Any:
    return option(help, "N", "-n", "--ranks", min=least, **more)


AsJson = Annotated[bool, flag("Print JSON instead of a table.", "--json", default=...)]
Overrides = Annotated[
    list[str] | None,
    option("Replaces an option of the case; may be repeated.", "KEY=VALUE", "--set", default=...),
]
MeshName = Annotated[
    str,
    argument(
        "A mesh file (MPAS, GRIST), a name such as G7 or G8X4, or a YAML file with a mesh.",
        "MESH",
        show_default=False,
    ),
]
Layers = Annotated[int, option("Layers of halo cells.", "L", default=...)]
Method = Annotated[str, option("Of METIS: kway or recursive.", "METHOD", default=...)]
Seed = Annotated[int, option("Of METIS.", "N", default=..., min=0, max=2**31 - 1)]


def with_default(name: str) -> type[TyperGroup]:
    """A kind of group in which the command `name` is meant where no command is named."""

    class WithDefault(TyperGroup):
        default = name

        def parse_args(self, ctx, args):
            """Puts the default before anything that is not a command."""
            return super().parse_args(ctx, args if args and args[0] in self.commands else [name, *args])

    return WithDefault


def refuse(text: str, cause: Exception | None = None) -> NoReturn:
    """Raises ConfigError, with which comes the library, that `halcyon --help` does without."""
    from halcyon.base import ConfigError

    raise ConfigError(text) from cause


def refuse_given(context: typer.Context, options: Mapping[str, str], why: str) -> None:
    """Raises ConfigError for the first of these parameters, by option, that the command line gives."""
    for name, given in options.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            refuse(f"{given} is {why}")


def drawing(file: str | Path | None, by: str, inputs: Iterable[str | Path] = ()) -> Callable[..., None]:
    """What draws a picture into a file, by the function `module:name`, which is imported when it is called;
    nothing where no file is given. Raises ConfigError at once where the file cannot be written."""
    from importlib import import_module

    from halcyon.launch.output_file import picture_file

    if file is None:
        return lambda *data, **options: None
    path, (module, name) = picture_file(file, inputs), by.split(":")
    return lambda *data, **options: getattr(import_module(module), name)(path, *data, **options)


def words(text: str | None) -> list[str] | None:
    """The words of `a, b`."""
    return None if text is None else [word.strip() for word in text.split(",")]


def either(registry: str, default: str = "") -> str:
    """The names of a registry's members in words: `a, b (by default) or c`."""
    from halcyon.choices import names

    *most, last = (f"{name} (by default)" if name == default else name for name in names(registry))
    return f"{', '.join(most)} or {last}"


def require_package(name: str, command: str) -> None:
    """Raises RunError where a package beside halcyon, which a command runs, is not installed."""
    from importlib.util import find_spec

    if find_spec(name) is None:
        from halcyon.base import RunError

        raise RunError(
            f"`halcyon {command}` needs the Python package {name}, which is not installed. It comes with "
            "Halcyon's wheel: run `make build`, or pip install it from the repository."
        )
