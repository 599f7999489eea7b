"""`halcyon compare`: the differences between two output files."""

from __future__ import annotations

from pathlib import Path

import typer

from halcyon.cli.options import argument, comma_separated, option, reject


def compare(
    first: Path = argument("Fields, stations, spectra or restart file.", "A.nc"),
    second: Path = argument("File of the same kind.", "B.nc"),
    variables: str | None = option("Variables to compare; by default all that both files have.", "A,B"),
    tolerance: list[str] | None = option(
        "Largest allowed difference of one variable, or of all, in its units; may be repeated. "
        "The exit code is 1 if it is exceeded.",
        "[NAME=]X",
    ),
) -> None:
    """Compare two files variable by variable: B - A at their common times, and whether bits differ."""
    from halcyon.cli.common import print_rows
    from halcyon.io.compare import compare as compared

    allowed = _tolerances(tolerance or [])
    found = compared(first, second, comma_separated(variables))
    names = [each.name for each in found.differences]
    for name in sorted({*allowed} - {"", *names}):
        text = f"--tolerance {name}={allowed[name]:g}: the variable '{name}' is not compared"
        reject(f"{text}. Compared: {', '.join(names)}.")
    for note in found.notes:
        typer.echo(note)
    print_rows(
        {
            "variable": each.name,
            "units": each.units,
            "values": str(each.count),
            **{name: f"{getattr(each, name):.4g}" for name in ("bias", "rms", "largest")},
            "bits": "equal" if each.same_bits else "differ",
            "largest at": each.largest_location
            + (f"; {each.missing} values are missing in one file" if each.missing else ""),
        }
        for each in found.differences
    )
    exceeding = [each.name for each in found.differences if not _is_allowed(each, allowed)]
    if exceeding:
        typer.echo(f"beyond the tolerance: {', '.join(exceeding)}")
        raise typer.Exit(1)


def _tolerances(texts: list[str]) -> dict[str, float]:
    """Tolerances by variable name; the empty name is for all others. Raises ConfigError."""
    found = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            reject(f"--tolerance {text}: give a number, or NAME=NUMBER.")
        if not found[name] >= 0:
            reject(f"--tolerance {text}: the tolerance must not be negative.")
    return found


def _is_allowed(difference, allowed: dict[str, float]) -> bool:
    tolerance = allowed.get(difference.name, allowed.get(""))
    return tolerance is None or difference.is_within(tolerance)
