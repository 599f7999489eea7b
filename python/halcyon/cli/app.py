"""The commands, one file each. They import libraries only when they run, so that `halcyon --help` is fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from halcyon.cli.bench import bench
from halcyon.cli.calibrate import calibrate, predict
from halcyon.cli.compare import compare
from halcyon.cli.compare_networks import compare_networks
from halcyon.cli.convert import convert
from halcyon.cli.describe import describe
from halcyon.cli.doctor import doctor
from halcyon.cli.ensemble import ensemble
from halcyon.cli.meshes.command import mesh
from halcyon.cli.options import flag
from halcyon.cli.partition import partition
from halcyon.cli.plans.command import plan
from halcyon.cli.plot import plot
from halcyon.cli.run import record, run
from halcyon.cli.schedule import schedule
from halcyon.cli.score import score
from halcyon.cli.simulate import simulate
from halcyon.cli.start.commands import demo, new
from halcyon.cli.validate import validate
from halcyon.cli.verify import verify
from halcyon.cli.view import view

COMMANDS: dict[Callable[..., Any], str] = {  # each with its line in `halcyon --help`
    demo: "Forecast the waves of a typhoon, and look at them.",
    new: "Write a commented case to begin with.",
    run: "Run a case of a model on MPI ranks.",
    ensemble: "Run a wave case as an ensemble, with its statistics.",
    view: "Look at a run, or compare two, in a browser.",
    convert: "Convert a mesh, or fields on its cells, to another format.",
    partition: "Partition the cells of a mesh among MPI ranks.",
    schedule: "Count the cells, messages and bytes of halo exchanges.",
    record: "Record the MPI calls of any program for simulations.",
    simulate: "Simulate communication on existing or planned networks.",
    compare_networks: "Compare networks by the time of a workload.",
    calibrate: "Measure communication, and write a machine file.",
    predict: "Compare simulated with measured communication times.",
    plan: "Predict the scaling of a model on a machine.",
    compare: "Compare the variables of two output files.",
    score: "Compare the waves of a run with buoy measurements.",
    verify: "Verify the sizes and checksums of output files.",
    doctor: "Check this installation and its MPI.",
}
GROUPS = {
    describe: ("describe", "List the variables of models and the options of files."),
    bench: ("bench", "Measure the performance of Halcyon on this machine."),
    mesh: ("mesh", "Make a mesh, or print the properties of one."),
    plot: ("plot", "Plot a run, its maps or spectra, or a decomposition."),
    validate: ("validate", "Compare models with analytic and published solutions."),
}

app = typer.Typer(
    name="halcyon",
    help="Weather and ocean-wave models in parallel on the sphere.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command, line in COMMANDS.items():
    app.command(short_help=line)(command)
for group, (name, line) in GROUPS.items():
    app.add_typer(group, name=name, short_help=line)


def _version(requested: bool) -> None:
    if requested:
        from halcyon import __version__

        typer.echo(f"halcyon {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = flag("Print the version.", "--version", callback=_version, is_eager=True),
) -> None:
    """Weather and ocean-wave models in parallel on the sphere."""
