"""The commands. Each imports what it needs when it is called: `halcyon --help` answers at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli.app_options import Overrides
from halcyon.cli.bench_command import bench
from halcyon.cli.calibrate_command import calibrate, predict
from halcyon.cli.compare_command import compare
from halcyon.cli.mesh_command import mesh
from halcyon.cli.partition_command import partition
from halcyon.cli.plan_command import plan
from halcyon.cli.plot_command import plot
from halcyon.cli.schedule_command import schedule
from halcyon.cli.score_command import score
from halcyon.cli.simulate_command import simulate
from halcyon.cli.validate_command import validate

app = typer.Typer(
    name="halcyon",
    help="Weather and ocean-wave models in parallel on the sphere.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
describe = typer.Typer(no_args_is_help=True, help="Describe what a model computes and what a case may hold.")
app.add_typer(describe, name="describe")
app.add_typer(bench, name="bench")
app.add_typer(mesh, name="mesh")
app.add_typer(plot, name="plot")
app.add_typer(validate, name="validate")

CaseFile = Annotated[Path, typer.Argument(metavar="CASE", help="The case file (YAML).", show_default=False)]


def _version(wanted: bool) -> None:
    if wanted:
        from halcyon import __version__

        typer.echo(f"halcyon {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Weather and ocean-wave models in parallel on the sphere."""


@app.command()
def run(
    case: CaseFile,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", metavar="N", help="MPI ranks; by default one a core.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="Folder of the results.", show_default=False),
    ] = None,
    overrides: Overrides = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the newest restart file of the folder.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record",
            metavar="FILE",
            help="Write what the run exchanges, and computes between, to be replayed.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a case. Under mpirun or srun this process is one of its ranks.

    SIGTERM and SIGUSR1 stop a run in order: it writes a restart file and ends with exit code 75."""
    from halcyon.launch.mpirun import is_rank

    changes = _changes(overrides, output)
    if is_rank():
        from halcyon.run.rank import run_rank

        raise typer.Exit(run_rank(case, changes, ranks, resume=resume, record=record, draw=_draw))
    from halcyon.run.launcher import launch

    raise typer.Exit(launch(case, ranks=ranks, overrides=changes, resume=resume, record=record))


@app.command()
def convert(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="A mesh: MPAS, or GRIST's .2d.nc file. For latlon and grib2 also fields of a run, in one "
            "segment or several.",
        ),
    ],
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write.")],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="cdf5 or netcdf4 (MPAS), ugrid, or graph (METIS), of a mesh; latlon (netCDF) or grib2, of "
            "fields or a mesh's depth. By default graph for OUT.info, grib2 for OUT.grib2.",
            show_default=False,
        ),
    ] = None,
    resolution: Annotated[
        float | None,
        typer.Option(metavar="DEGREES", help="Of the boxes; by default about that of the cells."),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(metavar="NLONxNLAT", help="Numbers of boxes on the region, by default the globe."),
    ] = None,
    region: Annotated[
        str | None,
        typer.Option(metavar="W,E,S,N", help="Degrees; across the date line E is above 180. By default all."),
    ] = None,
    variables: Annotated[
        str | None, typer.Option(metavar="A,B", help="To convert; by default all on cells.")
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(metavar="PART", help="Of a box that cells must cover for it to have a value; 0.5."),
    ] = None,
) -> None:
    """Write a mesh in another format, or fields on a latitude-longitude grid (conservative means)."""
    from halcyon.cli.convert import convert as write

    options = {
        "resolution": resolution,
        "grid": grid,
        "region": region,
        "variables": variables,
        "coverage": coverage,
    }
    write(files, out, to, options)


app.command()(partition)
app.command()(schedule)
app.command()(simulate)
app.command()(calibrate)
app.command()(predict)
app.command()(plan)
app.command()(compare)
app.command()(score)


@app.command()
def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="netCDF files.", show_default=False)],
) -> None:
    """Check that files are whole and hold what was written: sizes, headers, checksums."""
    from halcyon.cli.verify import check

    check(files)


@describe.command("wave")
def describe_wave() -> None:
    """List the variables of the wave model."""
    from halcyon.cli.describe import print_variables

    print_variables("wave")


@describe.command("atmosphere")
def describe_atmosphere() -> None:
    """List the variables of the atmosphere, and its integrals over the globe."""
    from halcyon.cli.describe import print_variables

    print_variables("atmosphere")


@describe.command("spectral")
def describe_spectral() -> None:
    """List the variables of the spectral model, and its integrals over the globe."""
    from halcyon.cli.describe import print_variables

    print_variables("spectral")


@describe.command("case")
def describe_case(
    model: Annotated[str, typer.Option(metavar="NAME", help="wave, atmosphere or spectral.")] = "wave",
) -> None:
    """List every option of a case file."""
    from halcyon.cli.describe import print_case

    print_case(model)


@describe.command("simulation")
def describe_simulation() -> None:
    """List every option of a case of `halcyon simulate`."""
    from halcyon.cli.describe import print_simulation

    print_simulation()


@describe.command("machine")
def describe_machine() -> None:
    """List every option of a machine file."""
    from halcyon.cli.describe import print_machine

    print_machine()


@app.command()
def doctor() -> None:
    """Check this installation: what is there, which MPI, a self-test on two ranks."""
    from halcyon.cli.doctor import examine

    raise typer.Exit(examine())


def _changes(overrides: list[str] | None, output: Path | None) -> list[str]:
    changes = list(overrides or [])
    return (
        changes
        if output is None
        else [*changes, f"output.folder={json.dumps(str(output.absolute()), ensure_ascii=False)}"]
    )


def _draw(folder: Path) -> list[Path]:
    """The pictures of a run; only where they are drawn is matplotlib loaded."""
    from halcyon.plot import draw_run

    return draw_run(folder)
