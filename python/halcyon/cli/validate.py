"""`halcyon validate`: compares the models with analytic solutions, published values and measurements."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from halcyon import __version__
from halcyon.cli.options import Overrides, comma_separated, flag, option, reject, require_package
from halcyon.cli.working import working

validate = typer.Typer(
    no_args_is_help=True,
    help="Compare a model with analytic solutions, published values or measurements, and write a report.",
)


Cases = Annotated[
    str | None, option("Case names or parts of case names; by default all.", "A,B", default=...)
]
Output = Annotated[Path, option("Folder of validation.html; created if missing.", "FOLDER", default=...)]
Long = Annotated[
    bool, flag("Run only the long cases, not the others: 7 minutes to 4 hours each.", "--long", default=...)
]
Page = Annotated[
    Path | None,
    option(
        "Page in Markdown with the same results; figures in the folder images next to it.",
        "FILE",
        default=...,
    ),
]


MODELS = {
    "wave": "wave model",
    "atmosphere": "atmosphere",
    "krylov": "linear solver",
    "spectral": "spectral model",
    "exascale": "exascale study",
    "network": "network simulator",
}
LONG = ("wave", "atmosphere", "spectral", "exascale")  # models with long cases


def _command(model: str) -> Callable[..., None]:
    """Makes the command that validates a model."""

    def short(cases: Cases = None, output: Output = Path("validation"), page: Page = None) -> None:
        _run(model, cases, output, page)

    def with_long(
        cases: Cases = None, output: Output = Path("validation"), page: Page = None, long: Long = False
    ) -> None:
        _run(model, cases, output, page, long=long)

    return with_long if model in LONG else short


for name, text in MODELS.items():
    help = f"Run the validation cases of the {text}. The exit code is 1 when a check fails."
    validate.command(name, help=help)(_command(name))


@validate.command("sea")
def sea(
    storms: str | None = option("Names of storms; by default all.", "A,B"),
    physics: str | None = option(
        "Sets of source terms, of which the first is checked; by default that of the cases.", "A,B"
    ),
    folder: Path = option(
        "Folder with a sub-folder per storm: a case.yaml and the files of buoys, whose names begin with the "
        "names of the case's stations.",
        "FOLDER",
        default=Path("examples/storms"),
    ),
    output: Path = option(
        "Folder of sea.html and of the runs; created if missing.", "FOLDER", default=Path("sea.out")
    ),
    ranks: int | None = option("Number of MPI ranks; by default one per core.", "N", "-n", "--ranks"),
    spacing: float = option("Factor of the spacings of the cases.", "FACTOR", default=1.0),
    overrides: Overrides = None,
    page: Page = None,
) -> None:
    """Compare the wave model with buoys in hurricanes. The exit code is 1 when a check fails.

    A run is kept, and not repeated for the same case and program."""
    require_package("halcyon_validation", "validate")
    from halcyon.cli.common import print_table
    from halcyon.launch.output_file import output_file
    from halcyon_validation.report import write_page
    from halcyon_validation.sea import command_of, description, outcomes
    from halcyon_validation.sea_storms import coarser, run_storm, storms_in

    chosen = storms_in(folder, comma_separated(storms))
    sets: list[str | None] = [*(comma_separated(physics) or [])] or [None]
    if not spacing > 0:
        reject(f"--spacing {spacing:g}: give a positive factor.")
    title = "The wave model against buoys in hurricanes"
    page = None if page is None else output_file(page)
    with _report(output, "sea.html", title) as outcomes_of_report:
        by_set: dict[str, list[Any]] = {}
        for name in sets:
            for storm in chosen:
                changes = [*(overrides or ()), *coarser(storm, spacing)]
                result = run_storm(storm, name, output / "runs", ranks=ranks, overrides=changes)
                by_set.setdefault(result.physics, []).append(result)
        outcomes_of_report |= outcomes(by_set)
        together = outcomes_of_report["All storms"]
        for caption, table in together.tables.items():
            typer.echo(f"\n{caption}")
            print_table(table.heads, table.rows)
        typer.echo("")
        _print_checks(together.checks)
        if page is not None:
            write_page(
                page, outcomes_of_report, title=title, text=description(by_set), command=command_of(by_set)
            )
            typer.echo(str(page))


def _run(model: str, cases: str | None, output: Path, page: Path | None, *, long: bool = False) -> None:
    require_package("halcyon_validation", "validate")
    from halcyon.launch.output_file import output_file
    from halcyon_validation.cases import cases_of
    from halcyon_validation.report import write_page

    known = cases_of(model, long=long)
    chosen = _chosen(list(known), cases)
    title = f"Validation of the {MODELS[model]}"
    page = None if page is None else output_file(page)
    with _report(output, "validation.html", title) as outcomes:
        for name in chosen:
            start = time.perf_counter()
            keeps = "folder" in inspect.signature(known[name]).parameters and long
            with working(f"validating {name}"):
                outcomes[name] = known[name](**({"folder": output / "states"} if keeps else {}))
            typer.echo(f"{name} ({time.perf_counter() - start:.1f} s)")
            _print_checks(outcomes[name].checks)
        if page is not None:

            def command(names: str | None) -> str:
                options = f"{f' --cases {names}' if names else ''}{' --long' if long else ''}"
                return f"halcyon validate {model}{options} --page {page.name}"

            text = f"Written by `{command(cases)}`, Halcyon {__version__}."
            write_page(page, outcomes, title=title, text=text, command=command)
            typer.echo(str(page))


@contextmanager
def _report(folder: Path, name: str, title: str) -> Iterator[dict[str, Any]]:
    """Context manager with an empty dict for outcomes, which are written as a report at its end. The exit
    code is 1 if a check has failed."""
    from halcyon.launch.output_file import output_file
    from halcyon.launch.standard_output import tolerate_output_errors
    from halcyon_validation.report import failed, write_report

    try:
        if folder.parent.is_dir():
            folder.mkdir(exist_ok=True)
    except OSError as error:
        reject(f"--output {folder} cannot be made: {error.strerror}. Choose another.")
    report = output_file(folder / name)
    outcomes: dict[str, Any] = {}
    with tolerate_output_errors(f"The report will be {report}."):
        yield outcomes
        write_report(report, outcomes, title=title)
        typer.echo(str(folder / name))
        failures = failed(outcomes)
        if failures:
            typer.echo(f"failed: {'; '.join(failures)}")
            raise typer.Exit(1)


def _print_checks(checks: Iterable[Any]) -> None:
    from halcyon_validation.report import format_number

    for check in checks:
        verdict = "passed" if check.passed else "FAILED"
        bounds = f"{format_number(check.low)} to {format_number(check.high)} {check.unit}".rstrip()
        typer.echo(f"  {verdict}  {check.name}: {format_number(check.value)} ({bounds})")


def _chosen(known: list[str], text: str | None) -> list[str]:
    """Returns the cases whose names contain one of the given words. Raises ConfigError for a word without
    match."""
    chosen = known if text is None else comma_separated(text) or []
    for word in chosen:
        if not word or not any(word in name for name in known):
            reject(f"--cases {word}: there is no such case. There are: {'; '.join(known)}.")
    return [name for name in known if any(word in name for word in chosen)]
