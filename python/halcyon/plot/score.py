"""A run's series at stations beside what buoys measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

from halcyon.plot import style

if TYPE_CHECKING:
    from halcyon.score import Pairs, Score

_ROW, _TOP, _BOTTOM, _GAP = 1.9, 0.9, 0.5, 0.55  # inches
_WORDS = {
    "significant_height": "significant height [m]",
    "peak_period": "peak period [s]",
    "mean_period_02": "mean period Tm02 [s]",
    "peak_direction": "peak direction, from [°]",
}


def score_plot(path: Path, pairs: Sequence[Pairs], scores: Sequence[Score]) -> None:
    """Draws a row for each station and variable, the scatter of modelled against measured beside both series,
    as PNG."""
    height = _TOP + _BOTTOM + len(pairs) * (_ROW + _GAP) - _GAP
    with style.settings():
        figure = style.new_figure(height)
        style.heading(figure, "Modelled and measured waves", "model: line; buoy: points")
        for i, (each, found) in enumerate(zip(pairs, scores, strict=True)):
            bottom = (height - _TOP - (i + 1) * _ROW - i * _GAP) / height
            scatter = figure.add_axes([0.07, bottom, _ROW / style.WIDTH, _ROW / height])
            series = figure.add_axes([0.36, bottom, 0.62, _ROW / height])
            _scatter(scatter, each, found)
            _series(series, each)
        figure.savefig(path, dpi=style.DPI)


def _scatter(axes, pairs: Pairs, found: Score) -> None:
    most = 360 if pairs.is_circular else 1.05 * max(pairs.measured.max(), pairs.modelled.max())
    axes.plot([0, most], [0, most], color=style.MUTED, linewidth=0.8)
    axes.plot(pairs.measured, pairs.modelled, ".", color=style.SERIES[0], markersize=3.5)
    axes.set(xlim=(0, most), ylim=(0, most), xlabel="buoy", ylabel="model")
    axes.set_title(f"n {found.n}   bias {found.bias:.2f}   rmse {found.rmse:.2f}", fontsize=8.5, loc="left")
    _quiet(axes)


def _series(axes, pairs: Pairs) -> None:
    line = "." if pairs.is_circular else "-"
    axes.plot(pairs.times, pairs.modelled, line, color=style.SERIES[0], linewidth=1.4, markersize=3)
    axes.plot(pairs.times, pairs.measured, ".", color=style.INK, markersize=3.5)
    locator = AutoDateLocator(minticks=3, maxticks=9)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    axes.set_ylim(0, 360 if pairs.is_circular else 1.1 * np.maximum(pairs.measured, pairs.modelled).max())
    name = pairs.station if pairs.station.lower() == pairs.buoy else f"{pairs.station} ({pairs.buoy})"
    axes.set_title(f"{name}: {_WORDS[pairs.variable]}", fontsize=9, loc="left")
    _quiet(axes)


def _quiet(axes) -> None:
    axes.grid(color=style.GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
