"""The commands, a file each, which import what they run when they run: `halcyon --help` answers at once."""

from __future__ import annotations

import typer

from halcyon.cli.bench import bench
from halcyon.cli.calibrate import calibrate, predict
from halcyon.cli.compare import compare
from halcyon.cli.convert import convert
from halcyon.cli.describe import describe
from halcyon.cli.doctor import doctor
from halcyon.cli.mesh import mesh
from halcyon.cli.options import flag
from halcyon.cli.partition import partition
from halcyon.cli.plan import plan
from halcyon.cli.plot import plot
from halcyon.cli.run import run
from halcyon.cli.schedule import schedule
from halcyon.cli.score import score
from halcyon.cli.simulate import simulate
from halcyon.cli.validate import validate
from halcyon.cli.verify import verify

COMMANDS = (
    *(run, convert, partition, schedule, simulate, calibrate, predict, plan, compare, score, verify, doctor),
)
GROUPS = {"describe": describe, "bench": bench, "mesh": mesh, "plot": plot, "validate": validate}

app = typer.Typer(
    name="halcyon",
    help="Weather and ocean-wave models in parallel on the sphere.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in COMMANDS:
    app.command()(command)
for name, group in GROUPS.items():
    app.add_typer(group, name=name)


def _version(wanted: bool) -> None:
    if wanted:
        from halcyon import __version__

        typer.echo(f"halcyon {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = flag("Print the version.", "--version", callback=_version, is_eager=True),
) -> None:
    """Weather and ocean-wave models in parallel on the sphere."""
