"""What `halcyon simulate` prints: a table of all simulations, and of one alone its stages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import Point

COLUMNS = ("time", "injection_bound", "ejection_bound", "link_bound", "delay_mean", "delay_max")


def print_results(points: Sequence[Point], found: Sequence[xr.Dataset]) -> None:
    """Prints times, lower bounds, delays, the error by halving the chunk where it was asked for, and which
    results are approximate."""
    from halcyon.base import seconds
    from halcyon.cli.common import print_table
    from halcyon.plot.point_names import LABELS, written

    reasons = list(dict.fromkeys(filter(None, (data.attrs["approximate"] for data in found))))
    columns: dict[str, list[str]] = {}
    if any(point.series for point in points):
        columns["series"] = [point.series for point in points]
    for key in points[0].swept:
        if key != "ranks":
            columns[LABELS.get(key, key)] = [written(key, point.swept[key]) for point in points]
    columns["ranks"] = [f"{data.attrs['ranks']:,}" for data in found]
    columns |= {name.replace("_", " "): [seconds(data[name].item()) for data in found] for name in COLUMNS}
    if any(not math.isnan(data["chunk_error"]) for data in found):
        columns["chunk error"] = [_percent(data["chunk_error"].item()) for data in found]
    if reasons:
        columns["approximate"] = [_mark(data.attrs["approximate"], reasons) for data in found]
    if len(points) == 1:
        _print_one(found[0])
    print_table(list(columns), list(zip(*columns.values(), strict=True)))
    for number, why in enumerate(reasons, 1):
        typer.echo(f"approximate ({number}): {why}")


def _mark(reason: str, reasons: Sequence[str]) -> str:
    return f"yes ({reasons.index(reason) + 1})" if reason else "no"


def _percent(part: float) -> str:
    return "" if math.isnan(part) else f"{100 * part:+.2g} %"


def _print_one(data: xr.Dataset) -> None:
    from halcyon.base import seconds

    about = data.attrs
    typer.echo(
        f"{about['topology']}, {about['routing']}, machine {about['machine']}, {about['fidelity']}"
        + (f" of {data['chunk_bytes'].item():,} bytes" if data["chunk_bytes"] > 0 else "")
        + (", approximate" if about["approximate"] else "")
    )
    for stage in range(min(data.sizes["stage"], 12)):
        ends = (seconds(data[f"stage_{name}"].values[stage]) for name in ("first", "mean", "last"))
        typer.echo(f"stage {stage + 1}: ends at {' / '.join(ends)} (first / mean / last rank)")
