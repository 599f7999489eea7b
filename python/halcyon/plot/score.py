"""A figure of modelled and measured time series at stations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from halcyon.score import Pairs, Score

_ROW = 1.9  # height of a row [inches]
_LABELS = {
    "significant_height": "significant height [m]",
    "peak_period": "peak period [s]",
    "mean_period_02": "mean period Tm02 [s]",
    "mean_period": "mean period Tm-1,0 [s]",
    "mean_period_01": "mean period Tm01 [s]",
    "peak_direction": "peak direction, from [°]",
    "mean_direction": "mean direction, from [°]",
    "spreading": "spreading [°]",
    "wind_speed": "wind at 10 m [m s-1]",
}


def score_plot(path: Path, pairs: Sequence[Pairs], scores: Sequence[Score]) -> None:
    """Plots modelled against measured values and both time series per station and variable, as PNG."""
    rows = style.Rows(len(pairs), row=_ROW, gap=0.55, top=0.9, bottom=0.5)
    subtitle = "model: line; buoy: points"
    with style.picture(path, rows.height, "Modelled and measured waves", subtitle) as figure:
        for i, (station_pairs, score) in enumerate(zip(pairs, scores, strict=True)):
            _scatter(rows.axes(figure, i, 0.07, _ROW / style.WIDTH), station_pairs, score)
            _series(rows.axes(figure, i, 0.36, 0.62), station_pairs)


def _scatter(axes: Axes, pairs: Pairs, score: Score) -> None:
    highest = 360 if pairs.is_circular else 1.05 * max(pairs.measured.max(), pairs.modelled.max())
    axes.plot([0, highest], [0, highest], color=style.MUTED, linewidth=0.8)
    axes.plot(pairs.measured, pairs.modelled, ".", color=style.SERIES[0], markersize=3.5)
    axes.set(xlim=(0, highest), ylim=(0, highest), xlabel="buoy", ylabel="model")
    axes.set_title(f"n {score.n}   bias {score.bias:.2f}   rmse {score.rmse:.2f}", fontsize=8.5, loc="left")
    style.plain_axes(axes)


def _series(axes: Axes, pairs: Pairs) -> None:
    line = "." if pairs.is_circular else "-"
    axes.plot(pairs.times, pairs.modelled, line, color=style.SERIES[0], linewidth=1.4, markersize=3)
    axes.plot(pairs.times, pairs.measured, ".", color=style.INK, markersize=3.5)
    style.date_ticks(axes, 3, 9)
    axes.set_ylim(0, 360 if pairs.is_circular else 1.1 * np.maximum(pairs.measured, pairs.modelled).max())
    name = pairs.station if pairs.station.lower() == pairs.buoy else f"{pairs.station} ({pairs.buoy})"
    axes.set_title(f"{name}: {_LABELS[pairs.variable]}", fontsize=9, loc="left")
    style.plain_axes(axes)
