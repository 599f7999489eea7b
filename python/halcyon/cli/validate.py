"""`halcyon validate`: the model against closed forms and published values."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli.options import flag, option, require_package

validate = typer.Typer(
    no_args_is_help=True, help="Compare a model with closed forms and published values, and write a report."
)


Cases = Annotated[str | None, option("Names of cases, or parts of them; by default all.", "A,B", default=...)]
Output = Annotated[
    Path, option("Where validation.html goes; it is made where missing.", "FOLDER", default=...)
]
Long = Annotated[bool, flag("The cases that take hours, in place of the others.", "--long", default=...)]


@validate.command()
def wave(cases: Cases = None, output: Output = Path("validation")) -> None:
    """Run the validation cases of the wave model. The exit code is 1 when a check fails."""
    _run("wave", "Validation of the wave model", cases, output)


@validate.command()
def atmosphere(cases: Cases = None, output: Output = Path("validation"), long: Long = False) -> None:
    """Run the validation cases of the atmosphere. The exit code is 1 when a check fails."""
    _run("atmosphere", "Validation of the atmosphere", cases, output, long=long)


@validate.command()
def krylov(cases: Cases = None, output: Output = Path("validation")) -> None:
    """Run the validation cases of the linear solver. The exit code is 1 when a check fails."""
    _run("krylov", "Validation of the linear solver", cases, output)


@validate.command()
def spectral(cases: Cases = None, output: Output = Path("validation"), long: Long = False) -> None:
    """Run the validation cases of the spectral model. The exit code is 1 when a check fails."""
    _run("spectral", "Validation of the spectral model", cases, output, long=long)


def _run(model: str, title: str, cases: str | None, output: Path, *, long: bool = False) -> None:
    require_package("halcyon_validation", "validate")
    from halcyon.launch.output_file import output_file
    from halcyon_validation.cases import cases_of
    from halcyon_validation.report import failed, write_report

    known = cases_of(model, long=long)
    chosen = _chosen(list(known), cases)
    _make(output)
    report = output_file(output / "validation.html")
    outcomes = {}
    for name in chosen:
        began = time.perf_counter()
        outcomes[name] = known[name]()
        typer.echo(f"{name} ({time.perf_counter() - began:.1f} s)")
        for check in outcomes[name].checks:
            typer.echo(_line(check))
    write_report(report, outcomes, title=title)
    typer.echo(str(output / "validation.html"))
    wrong = failed(outcomes)
    if wrong:
        typer.echo(f"failed: {'; '.join(wrong)}")
        raise typer.Exit(1)


def _make(folder: Path) -> None:
    """Makes it where it is missing. Raises ConfigError where that cannot be."""
    from halcyon.base import ConfigError

    try:
        if folder.parent.is_dir():
            folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--output {folder} cannot be made: {error.strerror}. Choose another.") from None


def _chosen(known: list[str], text: str | None) -> list[str]:
    """The cases whose names hold one of the words given. Raises ConfigError for a word that none holds."""
    from halcyon.base import ConfigError

    if text is None:
        return known
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if not word or not any(word in name for name in known):
            raise ConfigError(f"--cases {word}: there is no such case. There are: {'; '.join(known)}.")
    return [name for name in known if any(word in name for word in words)]


def _line(check) -> str:
    from halcyon_validation.report import figure_of

    verdict = "passed" if check.passed else "FAILED"
    bounds = f"{figure_of(check.low)} to {figure_of(check.high)} {check.unit}".rstrip()
    return f"  {verdict}  {check.name}: {figure_of(check.value)} ({bounds})"
