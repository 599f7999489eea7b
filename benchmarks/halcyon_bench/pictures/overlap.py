"""Figure of the hidden share of communication by groups, method and progress, and by V x W sets of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from halcyon.plot import style
from halcyon.plot.style import plain_axes
from halcyon_bench.pictures import overlap_sets

_DASHES = ("-", "--", ":", "-.")
_CEILING = {"color": style.MUTED, "linewidth": 2.6, "alpha": 0.45}
_ROW, _TOP, _BOTTOM = 2.75, 1.15, 1.0  # heights of a row of panels and of the margins [inches]

Job = Mapping[str, Any]


def overlap_plot(path: Path, jobs: Sequence[Job], summary: Sequence[Mapping[str, Any]]) -> None:
    """Draws the results of `halcyon_bench.overlap` as PNG, PDF or SVG: hidden share and communication-hiding
    ratio (CHR) of each job by groups; for several jobs also the summary by V x W, after figures 9a and 10 to
    14 of the paper on YHGSM's Fourier section; and figure 9b if a step of the model was measured."""
    with style.settings():
        _figure(jobs, summary).savefig(path)


def _figure(jobs: Sequence[Job], summary: Sequence[Mapping[str, Any]]):
    set_rows = overlap_sets.ROWS if len(jobs) > 1 else 0
    rows_above = set_rows + bool(jobs[0]["steps"])
    height = _TOP + _BOTTOM + _ROW * (rows_above + len(jobs))
    figure = style.new_figure(height)
    style.heading(figure, "Communication overlapped with computation", _about(jobs), left=0.08)
    rows = _panels(figure, rows_above + len(jobs), height)
    if set_rows:
        overlap_sets.draw(rows[:set_rows], summary)
    if rows_above > set_rows:
        overlap_sets.draw_steps(rows[set_rows], jobs)
    for pair, job in zip(rows[rows_above:], jobs, strict=True):
        _by_groups(pair[0], job, "hidden", "hidden, by wall clock")
        _by_groups(pair[1], job, "chr", "CHR")
    figure.legend(handles=_legend_lines(jobs[0]), loc="lower center", ncols=4, frameon=False, fontsize=8.5)
    return figure


def _about(jobs: Sequence[Job]) -> str:
    return f"{', '.join(job['name'] for job in jobs)} ranks   ·   {jobs[0]['mpi'].split(',')[0]}"


def _panels(figure, n: int, height: float):
    frame = {"left": 0.08, "right": 0.98, "top": 1 - _TOP / height, "bottom": _BOTTOM / height}
    rows = figure.subplots(n, 2, squeeze=False, gridspec_kw=frame | {"wspace": 0.2, "hspace": 0.42})
    for axes in rows.flat:
        plain_axes(axes)
    return rows


def _by_groups(axes, job: Job, key: str, title: str) -> None:
    """Draws `key` by number of groups: one colour per kind of progress, one line style per method."""
    for dash, method in zip(_DASHES, _names(job, "method"), strict=False):
        rows = [row for row in job["rows"] if row["method"] == method]
        names = _names(job, "progress")
        _line(axes, [row for row in rows if row["progress"] == names[0]], "ceiling", ls=dash, **_CEILING)
        for colour, progress in zip(style.SERIES, names, strict=False):
            line_style = {"color": colour, "ls": dash, "marker": "o", "markersize": 3, "linewidth": 1.3}
            _line(axes, [row for row in rows if row["progress"] == progress], key, **line_style)
    axes.set(xlabel="groups of fields", ylabel="share of the communication")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    overlap_sets.shares(axes, f"{job['name']} ranks: {title}", [row[key] for row in job["rows"]])


def _line(axes, rows: Sequence[Mapping[str, Any]], key: str, **line_style: Any) -> None:
    axes.plot([row["groups"] for row in rows], [overlap_sets.drawn(row[key]) for row in rows], **line_style)


def _names(job: Job, key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in job["rows"]))


def _legend_lines(job: Job) -> list[Line2D]:
    """Legend entries of colours and line styles of the panels by groups."""
    colours, dashes = (
        list(zip(looks, _names(job, key), strict=False))
        for looks, key in ((style.SERIES, "progress"), (_DASHES, "method"))
    )
    return [
        *(Line2D([], [], color=colour, marker="o", markersize=3, label=name) for colour, name in colours),
        *(Line2D([], [], color=style.INK, ls=dash, label=name) for dash, name in dashes),
        Line2D([], [], label="upper bound: ideal pipeline", **_CEILING),
    ]
