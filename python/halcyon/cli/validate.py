"""`halcyon validate`: compares the models with analytic solutions and published values."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli.options import comma_separated, flag, option, reject, require_package

validate = typer.Typer(
    no_args_is_help=True,
    help="Compare a model with analytic solutions and published values, and write a report.",
)


Cases = Annotated[
    str | None, option("Case names or parts of case names; by default all.", "A,B", default=...)
]
Output = Annotated[Path, option("Folder of validation.html; created if missing.", "FOLDER", default=...)]
Long = Annotated[
    bool, flag("Run only the long cases (7 to 45 minutes each), not the others.", "--long", default=...)
]


MODELS = {
    "wave": "wave model",
    "atmosphere": "atmosphere",
    "krylov": "linear solver",
    "spectral": "spectral model",
}
LONG = ("atmosphere", "spectral")  # models with long cases


def _command(model: str) -> Callable[..., None]:
    """Makes the command that validates a model."""

    def short(cases: Cases = None, output: Output = Path("validation")) -> None:
        _run(model, cases, output)

    def with_long(cases: Cases = None, output: Output = Path("validation"), long: Long = False) -> None:
        _run(model, cases, output, long=long)

    return with_long if model in LONG else short


for name, text in MODELS.items():
    help = f"Run the validation cases of the {text}. The exit code is 1 when a check fails."
    validate.command(name, help=help)(_command(name))


def _run(model: str, cases: str | None, output: Path, *, long: bool = False) -> None:
    require_package("halcyon_validation", "validate")
    from halcyon.launch.output_file import output_file
    from halcyon.launch.standard_output import tolerate_output_errors
    from halcyon_validation.cases import cases_of
    from halcyon_validation.report import failed, format_number, write_report

    known = cases_of(model, long=long)
    chosen = _chosen(list(known), cases)
    try:
        if output.parent.is_dir():
            output.mkdir(exist_ok=True)
    except OSError as error:
        reject(f"--output {output} cannot be made: {error.strerror}. Choose another.")
    report = output_file(output / "validation.html")
    outcomes = {}
    with tolerate_output_errors(f"The report will be {report}."):
        for name in chosen:
            start = time.perf_counter()
            outcomes[name] = known[name]()
            typer.echo(f"{name} ({time.perf_counter() - start:.1f} s)")
            for check in outcomes[name].checks:
                verdict = "passed" if check.passed else "FAILED"
                bounds = f"{format_number(check.low)} to {format_number(check.high)} {check.unit}".rstrip()
                typer.echo(f"  {verdict}  {check.name}: {format_number(check.value)} ({bounds})")
        write_report(report, outcomes, title=f"Validation of the {MODELS[model]}")
        typer.echo(str(output / "validation.html"))
        failures = failed(outcomes)
        if failures:
            typer.echo(f"failed: {'; '.join(failures)}")
            raise typer.Exit(1)


def _chosen(known: list[str], text: str | None) -> list[str]:
    """Returns the cases whose names contain one of the given words. Raises ConfigError for a word without
    match."""
    chosen = known if text is None else comma_separated(text)
    for word in chosen:
        if not word or not any(word in name for name in known):
            reject(f"--cases {word}: there is no such case. There are: {'; '.join(known)}.")
    return [name for name in known if any(word in name for word in chosen)]
