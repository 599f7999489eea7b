"""Plans of several models on one machine side by side, for `halcyon plan`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from halcyon.plan.model import Model

DAY_S = 86400.0


def compared(models: Sequence[Model], curves: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """One row per number of ranks that all models can have: for each model, by title, the wall time of a
    simulated day [s] by its best strategy, and the part of communication; and the title of the fastest."""
    found = []
    for rows in zip(*curves, strict=True):
        if any("refused" in row for row in rows):
            continue
        best = {m.title: row["ways"][row["best"]] for m, row in zip(models, rows, strict=True)}
        day_s = {title: DAY_S / way["days_a_day"] for title, way in best.items()}
        communication = {title: way["communication_part"] for title, way in best.items()}
        fastest = min(day_s, key=lambda title: day_s[title])
        found.append(
            {
                "ranks": rows[0]["ranks"],
                "day_s": day_s,
                "communication_part": communication,
                "fastest": fastest,
            }
        )
    return found


def print_comparison(models: Sequence[Model], rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints the comparison, and the numbers of ranks between which the fastest model changes."""
    from halcyon.base import format_seconds
    from halcyon.cli.common import print_rows

    typer.echo("\nWall time of a simulated day, share of communication\n")
    print_rows(
        {"ranks": f"{row['ranks']:,}"}
        | {
            title: f"{format_seconds(seconds)}, {100 * row['communication_part'][title]:.0f} %"
            for title, seconds in row["day_s"].items()
        }
        | {"fastest": row["fastest"]}
        for row in rows
    )
    changes = [
        (before, after) for before, after in itertools.pairwise(rows) if before["fastest"] != after["fastest"]
    ]
    for before, after in changes:
        between = f"between {before['ranks']:,} and {after['ranks']:,} ranks"
        typer.echo(f"crossing   {between}: from there {after['fastest']} is faster")
    if not changes:
        typer.echo(f"crossing   none: {rows[0]['fastest']} is faster throughout")
