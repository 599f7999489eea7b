"""`halcyon compare`: what two files of runs hold alike."""

from __future__ import annotations

from pathlib import Path

import typer

from halcyon.cli.options import argument, comma_separated, option, reject


def compare(
    first: Path = argument("File of fields, stations or spectra, or a restart file.", "A.nc"),
    second: Path = argument("File of the same kind.", "B.nc"),
    variables: str | None = option("Variables to compare; by default all that both files have.", "A,B"),
    tolerance: list[str] | None = option(
        "Largest allowed difference of one or all variables, in its units; repeatable. "
        "Beyond it the exit code is 1.",
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
        text = f"--tolerance {name}={allowed[name]:g}: no variable '{name}' is compared"
        reject(f"{text}, but {', '.join(names)}.")
    for note in found.notes:
        typer.echo(note)
    print_rows(
        {
            "variable": each.name,
            "units": each.units,
            "values": str(each.count),
            **{name: f"{getattr(each, name):.4g}" for name in ("bias", "rms", "largest")},
            "bits": "equal" if each.same_bits else "differ",
            "largest is at": each.where
            + (f"; {each.missing} values are missing in one file" if each.missing else ""),
        }
        for each in found.differences
    )
    beyond = [each.name for each in found.differences if not _is_allowed(each, allowed)]
    if beyond:
        typer.echo(f"beyond the tolerance: {', '.join(beyond)}")
        raise typer.Exit(1)


def _tolerances(texts: list[str]) -> dict[str, float]:
    """Tolerances by variable, of all others under the empty name. Raises ConfigError."""
    found = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            reject(f"--tolerance {text}: give a number, or NAME=NUMBER.")
        if not found[name] >= 0:
            reject(f"--tolerance {text}: it must not be negative.")
    return found


def _is_allowed(difference, allowed: dict[str, float]) -> bool:
    tolerance = allowed.get(difference.name, allowed.get(""))
    return tolerance is None or difference.is_within(tolerance)
