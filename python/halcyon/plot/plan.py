"""A figure of a scaling curve: times of a step and of its exchange, efficiency, and speed by method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.plot import style, ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from halcyon.plan.model import Model

_HEIGHT = 7.4
_MARKERS = "os^vD"


def plan_plot(path: Path, model: Model, rows: Sequence[Mapping[str, Any]]) -> None:
    """Plots the rows of `halcyon.plan.curve` (one per number of ranks), as PNG: times of a step, of its halo
    exchange by each method ("way") and of computation; efficiency; speed relative to the baseline method
    (after figures 15, 17 and 18 of Pang et al. 2025)."""
    ways = rows[0]["ways"]
    baseline = next((way for way in ("unwaited", "in order") if way in ways), next(iter(ways)))
    ranks, computed = ([row[name] for row in rows] for name in ("ranks", "computation_s"))
    subtitle = f"{model.mesh}, {model.cells:,} cells, {model.values_text}, steps of {model.step_s:g} s"
    subtitle += "; approximate" if rows[0]["approximate"] else ""
    with style.picture(path, _HEIGHT, f"Scaling of {model.title}", subtitle) as figure:
        (step, efficiency), (exchange, speed) = _panels(figure)
        _lines(step, rows, lambda row, way: row["ways"][way]["step_s"])
        _lines(exchange, rows, lambda row, way: row["exchange_s"][way])
        _lines(efficiency, rows, lambda row, way: 100 * row["ways"][way]["efficiency"])
        _lines(speed, rows, lambda row, way: row["ways"][baseline]["step_s"] / row["ways"][way]["step_s"])
        for axes in (step, exchange):
            axes.plot(ranks, computed, color=style.MUTED, ls="--", label="computation")
            axes.set(yscale="log")
            ticks.times(axes.yaxis, most_decades=7)
        step.set(ylabel="time of a step")
        exchange.set(ylabel="exchange of a step", xlabel="ranks")
        efficiency.set(ylabel="efficiency [%]")
        speed.set(ylabel=f"speed relative to '{baseline}'", xlabel="ranks")
        for axes in (efficiency, speed):
            axes.set_ylim(0, 1.06 * max(max(line.get_ydata()) for line in axes.lines))
        for axes in (step, exchange, efficiency, speed):
            ticks.at_points(axes, ranks)
        step.legend(frameon=False, fontsize=8.5)


def _panels(figure: Figure) -> np.ndarray:
    frame = {"left": 0.1, "right": 0.98, "top": 1 - 0.95 / _HEIGHT, "bottom": 0.6 / _HEIGHT}
    panels = figure.subplots(2, 2, gridspec_kw=frame | {"wspace": 0.22, "hspace": 0.16})
    for axes in panels.flat:
        axes.set(xscale="log")
        style.plain_axes(axes)
    return panels


def _lines(
    axes: Axes, rows: Sequence[Mapping[str, Any]], value: Callable[[Mapping[str, Any], str], Any]
) -> None:
    for way, colour, marker in zip(rows[0]["ways"], style.SERIES, _MARKERS, strict=False):
        values = [value(row, way) for row in rows]
        line_style = {"color": colour, "marker": marker, "markersize": 3.5, "linewidth": 1.3, "label": way}
        axes.plot([row["ranks"] for row in rows], values, **line_style)
