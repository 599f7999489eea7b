"""`halcyon compare`: the differences between two output files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from halcyon.cli.options import argument, comma_separated, option, reject
from halcyon.cli.working import working

if TYPE_CHECKING:
    from halcyon.io.compare import Difference


def compare(
    first: Path = argument("Fields, stations, spectra or restart file.", "A.nc"),
    second: Path = argument("File of the same kind.", "B.nc"),
    variables: str | None = option("Variables to compare; by default all that both files have.", "A,B"),
    tolerance: list[str] | None = option(
        "Largest allowed difference of the variable NAME, or of all variables, in their units; repeatable. "
        "The exit code is 1 if a difference is larger.",
        "[NAME=]X",
    ),
) -> None:
    """Compare two files variable by variable: B - A at their common times, and whether bits differ."""
    from halcyon.base import printable
    from halcyon.cli.common import print_rows, suggesting_variables
    from halcyon.config.error_texts import suggestion
    from halcyon.io.compare import compare as compare_files

    allowed = _tolerances(tolerance or [])
    with suggesting_variables("--variables"), working(f"comparing {first} with {second}"):
        result = compare_files(first, second, comma_separated(variables))
    names = [difference.name for difference in result.differences]
    for name in sorted({*allowed} - {"", *names}):
        text = f"--tolerance {name}={allowed[name]:g}: the variable '{name}' is not compared"
        reject(f"{text}. {suggestion(name, names)}")
    for note in result.notes:
        typer.echo(printable(note))
    print_rows(
        {
            "variable": difference.name,
            "units": difference.units,
            "values": str(difference.count),
            **{name: f"{getattr(difference, name):.4g}" for name in ("bias", "rms", "largest")},
            "bits": "equal" if difference.same_bits else "differ",
            "largest at": difference.largest_location
            + (f"; {difference.missing} values are missing in one file" if difference.missing else ""),
        }
        for difference in result.differences
    )
    exceeding = [each.name for each in result.differences if not _is_allowed(each, allowed)]
    if exceeding:
        typer.echo(printable(f"beyond the tolerance: {', '.join(exceeding)}"))
        raise typer.Exit(1)


def _tolerances(texts: list[str]) -> dict[str, float]:
    """Tolerances by variable name; the empty name is for all others. Raises ConfigError."""
    tolerances = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            tolerances[name] = float(number)
        except ValueError:
            reject(f"--tolerance {text}: give a number, or NAME=NUMBER.")
        if not tolerances[name] >= 0:
            reject(f"--tolerance {text}: the tolerance must not be negative.")
    return tolerances


def _is_allowed(difference: Difference, allowed: dict[str, float]) -> bool:
    tolerance = allowed.get(difference.name, allowed.get(""))
    return tolerance is None or difference.is_within(tolerance)
