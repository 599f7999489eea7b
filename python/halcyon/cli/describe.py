"""`halcyon describe`: the variables of a model, and the options of case, simulation and machine files."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from halcyon.cli.options import AsJson, argument, option, reject

if TYPE_CHECKING:
    from halcyon.config.option import Group


class _FilesToo(TyperGroup):
    """A group of commands in which any other word is the name of a file."""

    def resolve_command(self, context: Any, words: list[str]) -> Any:
        from halcyon.config.abbreviations import did_you_mean

        if words[0] not in self.commands and not words[0].startswith("-"):
            similar = did_you_mean(words[0], self.commands.keys() - {"file"})
            if similar and not Path(words[0]).exists():
                reject(f"There is neither a file nor a part '{words[0]}'. Did you mean {similar}?")
            words = ["file", *words]
        return super().resolve_command(context, words)


describe = typer.Typer(
    cls=_FilesToo,
    no_args_is_help=True,
    help="List the variables of models and the options of files, or what Halcyon sees in a file of data.",
)
_MODELS = {
    "wave": "List the variables of the wave model.",
    "atmosphere": "List the variables and integrals of the atmosphere.",
    "spectral": "List the variables and integrals of the spectral model.",
}
Part = Annotated[
    str | None,
    argument(
        "A group or an option, such as forcing.wind; by default all. Items of lists have no index: "
        "output.stations.name.",
        "PART",
        show_default=False,
        default=...,
    ),
]


def _listing(model: str) -> Callable[[], None]:
    """Returns the command that lists the variables of a model."""

    def listing() -> None:
        _print_variables(_tables(model))

    return listing


for name, text in _MODELS.items():
    describe.command(name, help=text)(_listing(name))


@describe.command()
def case(
    part: Part = None, model: str = option("Model: wave, atmosphere or spectral.", "NAME", default="wave")
) -> None:
    """List the options of a case file, or of one part of it."""
    from halcyon.config.abbreviations import did_you_mean
    from halcyon.config.load import MODELS

    if model not in MODELS:
        *others, last = _MODELS
        similar = did_you_mean(model, _MODELS)
        advice = f"Did you mean {similar}?" if similar else f"Give {', '.join(others)} or {last}."
        reject(f"--model {model}: there is no such model. {advice}")
    _print_reference(MODELS[model][0], part, f"a case of the model {model}")


@describe.command()
def simulation(part: Part = None) -> None:
    """List the options of a simulation file, or of one part of it."""
    from halcyon.config.simulation import Simulation

    _print_reference(Simulation, part, "a simulation")


@describe.command()
def machine(part: Part = None) -> None:
    """Describe a machine, or the options of a machine file.

    PART: the name of a machine, a machine file, or a part of the options."""
    from halcyon.config.load_machine import machine_names
    from halcyon.config.machine import Machine

    if part is not None and (part in machine_names() or part.endswith((".yaml", ".yml"))):
        _print_machine(part)
    else:
        _print_reference(Machine, part, "a machine file", machine_names())


def _print_machine(name: str) -> None:
    """Prints where the numbers of a machine come from, its network, and its options."""
    import yaml

    from halcyon.base import printable
    from halcyon.config.load_machine import PRESETS, load_machine
    from halcyon.simulate.network_size import network_size

    found = load_machine(name)
    path = PRESETS.get(name, Path(name))
    lines = path.read_text().splitlines() if path.is_file() else []
    for line in itertools.takewhile(lambda line: line.startswith("#"), lines):
        typer.echo(printable(line.removeprefix("#").strip()))
    if found.topology is not None:
        topology = found.attach_nics(found.topology.build())
        typer.echo(f"{'network':<18} {topology.name}")
        for title, text in network_size(topology, found.network_machine(topology)).rows().items():
            typer.echo(f"{title:<18} {text}")
    options = found.model_dump(mode="json", exclude={"topology", "measured", "name"})
    typer.echo("\n" + yaml.safe_dump(options, sort_keys=False, default_flow_style=None, width=110).strip())


@describe.command()
def step(part: Part = None) -> None:
    """List the options of a step file, or of one part of it.

    A step file describes a step of a model for `halcyon plan`."""
    from halcyon.plan.step_file import StepFile

    _print_reference(StepFile, part, "a step file")


@describe.command()
def file(path: Path = argument("File of winds, ice, currents, a track or spectra.", "FILE")) -> None:
    """Say what a file of data has, and how a case uses it.

    `halcyon describe FILE` is the same."""
    from halcyon.base import printable
    from halcyon.wave.summary import summary_of

    summary = summary_of(path)
    typer.echo(printable(f"{path}: {summary.format}"))
    for part in summary.parts:
        typer.echo(f"\n{part.title}:")
        for name, text in part.rows.items():
            typer.echo(printable(f"  {name:<12} {text}"))
        if part.obstacle:
            typer.echo(printable(f"  cannot be used as it is: {part.obstacle}"))
        if part.lines:
            typer.echo("\n" + "\n".join(f"    {printable(line)}" for line in part.lines.splitlines()))
    if not summary.parts:
        typer.echo("\nNo wind, ice, current, water level, track or spectra are recognized.")
    if summary.others:
        typer.echo(printable(f"\nother variables: {', '.join(summary.others)}"))
        if not summary.parts:
            typer.echo("Where one is such a quantity, name it: variables: {eastward: NAME, northward: NAME}.")


@describe.command()
def trace(
    path: Path = argument(
        "Trace: a folder of `halcyon record`, an OTF2 archive, DUMPI's meta file, or GOAL.", "TRACE"
    ),
    as_json: AsJson = False,
) -> None:
    """Count the calls, bytes and times of a trace of MPI."""
    from halcyon.cli.run import print_summary
    from halcyon.schedule.trace import read_trace

    print_summary(read_trace(path), as_json)


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
    """Returns the tables of a model's variables, by title. Equation sets with equal variables share one."""
    if model == "atmosphere":
        from halcyon.atmosphere import equation_sets

        tables: dict[tuple[str, ...], tuple[list[str], list[Any]]] = {}  # of equation sets, by variables
        for equations in equation_sets():
            rows = [*equations.variables, *equations.integral_variables]
            set_names, _ = tables.setdefault(tuple(row.name for row in rows), ([], rows))
            set_names.append(equations.name)
        sets = {", ".join(set_names): rows for set_names, rows in tables.values()}
        return sets | _scheme_tables("cell")
    if model == "spectral":
        from halcyon.spectral import EQUATIONS, integral_variables_of, variables_of

        sets = {each: [*variables_of(each), *integral_variables_of(each)] for each in EQUATIONS}
        return sets | _scheme_tables("point")
    from halcyon._core.wave import wave_variables

    return {"": wave_variables()}


def _scheme_tables(item: str) -> dict[str, list[Any]]:
    """The fields of the built-in physics schemes of the air, by title; item: the dimension of columns."""
    from halcyon.physics.fields import built_in_fields

    return {
        f"physics scheme {name}": [replace(row, dimensions=(item, *row.dimensions[1:])) for row in rows]
        for name, rows in built_in_fields().items()
    }


def _print_reference(model: type[Group], part: str | None, file: str, machines: tuple[str, ...] = ()) -> None:
    from halcyon.config.reference import part_of, reference

    entries = [*reference(model)] if part is None else part_of(model, part)
    if part is not None and not entries:
        _reject_part(model, part, file, machines)
    for number, entry in enumerate(entries):
        if entry.is_group:
            typer.echo(f"{'' if number == 0 and part else chr(10)}{entry.name}: {entry.text}")
            continue
        unit = f" [{entry.unit}]" if entry.unit and f"[{entry.unit}]" not in entry.allowed else ""
        note = {"": "", "required": "  (required)"}.get(entry.default, f"  (default {entry.default})")
        typer.echo(f"  {entry.name}: {entry.allowed}{unit}{note}\n      {entry.text}")


def _reject_variable(part: str, file: str) -> None:
    """Raises ConfigError if `part` is the name or an abbreviation of a variable of a model."""
    from halcyon.config.abbreviations import meanings

    for model in sorted(_MODELS, key=lambda each: not file.endswith(each)):
        known = {row.name for table in _tables(model).values() for row in table}
        for name in (part, *meanings(part)):
            if name in known:
                also = "" if name == part else f" ({part})"
                reject(
                    f"'{part}' is not an option of {file}: {name}{also} is a variable of the {model} model. "
                    f"`halcyon describe {model}` lists them; output.variables chooses those of the files."
                )


def _reject_part(model: type[Group], part: str, file: str, machines: tuple[str, ...]) -> NoReturn:
    from halcyon.config.abbreviations import did_you_mean
    from halcyon.config.reference import plain_name, reference

    names = list(dict.fromkeys(plain_name(entry.name) for entry in reference(model)))
    similar = did_you_mean(part, [*names, *machines])
    if similar is None:
        similar = next((name for name in names if name.rpartition(".")[2] == part), None)
    if similar is None:
        _reject_variable(part, file)
    groups = dict.fromkeys(name.partition(".")[0] for name in names)
    advice = (
        f"Did you mean '{similar}'?" if similar else f"Give one of {', '.join(groups)}, or an option in it."
    )
    known = f" Known machines: {', '.join(machines)}." if machines else ""
    machine = "a machine, " if machines else ""
    reject(f"'{part}' is neither {machine}a group nor an option of {file}. {advice}{known}")
