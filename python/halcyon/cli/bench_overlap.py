"""`halcyon bench overlap`: a section on ranks, or on several V x W sets of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon_bench.overlap import Plan
    from halcyon_bench.sections import Fourier, Section

RANKS = 4


def measure(
    sections: Sequence[tuple[int, Section]],
    plan: Plan,
    figure: Path | None,
    as_json: bool,
    *,
    ratio: float = 0.0,
    step: bool = False,
    auto: bool = False,
) -> None:
    """Measures each section in a job of so many ranks, prints what was found and draws it.

    Raises ConfigError for a picture that cannot be written, before the first job."""
    from halcyon.launch.output_file import picture_file
    from halcyon_bench.overlap import on_ranks
    from halcyon_bench.overlap_tables import report, summary

    drawn = None if figure is None else picture_file(figure)
    jobs = [on_ranks(ranks, section, plan, ratio=ratio, step=step, auto=auto) for ranks, section in sections]
    typer.echo(json.dumps({"jobs": jobs, "summary": summary(jobs)}) if as_json else report(jobs))
    if drawn is not None:
        from halcyon.plot.overlap import overlap_plot

        overlap_plot(drawn, jobs, summary(jobs))


def fourier(
    ranks: int | None, sets: str | None, truncation: int, fields: int, way: str
) -> list[tuple[int, Fourier]]:
    """With ranks, the Fourier section on each of the sets such as "1x2,2x1"; by default on 1 x ranks."""
    from halcyon_bench.sections import Fourier

    rows = 2 * ((3 * truncation + 4) // 4)  # of a quadratic grid
    counts = [(1, ranks or RANKS)] if sets is None else sets_of(sets, ranks)
    return [(v * w, Fourier(truncation, rows, fields, (v, w), way)) for v, w in counts]


def sets_of(text: str, ranks: int | None) -> list[tuple[int, int]]:
    """V and W of "1x2,2x1", each once. Raises ConfigError for what is none, and for other ranks than given
    ones."""
    found = list(dict.fromkeys(_counts(word.strip(), text) for word in text.split(",")))
    for v, w in found:
        if ranks not in (None, v * w):
            raise ConfigError(f"--sets {v}x{w} is of {v * w} ranks, but -n is {ranks}. Leave -n out.")
    return found


def _counts(word: str, text: str) -> tuple[int, int]:
    v, _, w = word.partition("x")
    if not (v.isdecimal() and w.isdecimal()) or int(v) * int(w) < 2:
        raise ConfigError(
            f"--sets is '{text}', of which '{word}' is no V x W of 2 ranks or more. Give 2x2, or several such"
            " as 1x2,2x1."
        )
    return int(v), int(w)
