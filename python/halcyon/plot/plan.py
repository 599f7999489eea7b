"""A scaling curve: time of a step by way of exchange, and simulated days a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.plot import style

if TYPE_CHECKING:
    from halcyon.plan.curve import Model

_HEIGHT = 4.8


def plan_plot(path: Path, model: Model, rows: Sequence[Mapping[str, Any]]) -> None:
    """Draws what `halcyon.plan.curve` finds, as PNG: left the time of a step and its parts, right the
    efficiency of each way."""
    ranks = [row["ranks"] for row in rows]
    with style.settings():
        figure = style.new_figure(_HEIGHT)
        about = f"{model.mesh}, {model.cells:,} cells, {model.bins:,} bins, steps of {model.step_s:g} s"
        about += "; approximate" if rows[0]["approximate"] else ""
        style.heading(figure, "Scaling of the wave model", about)
        frame = {
            "left": 0.08,
            "right": 0.98,
            "top": 1 - 0.95 / _HEIGHT,
            "bottom": 0.6 / _HEIGHT,
            "wspace": 0.22,
        }
        left, right = figure.subplots(1, 2, gridspec_kw=frame)
        computed = [row["transport_s"] + row["sources_s"] for row in rows]
        left.plot(ranks, computed, color=style.MUTED, linestyle="--", label="computation")
        left.plot(
            ranks,
            [row["exchange_s"]["at_once"] for row in rows],
            color=style.MUTED,
            linestyle=":",
            label="exchange, at once",
        )
        for (way, colour), marker in zip(
            zip(rows[0]["ways"], style.SERIES, strict=False), "os^", strict=True
        ):
            look = {"color": colour, "marker": marker, "markersize": 3.5, "label": way}
            left.plot(ranks, [row["ways"][way]["step_s"] for row in rows], **look)
            right.plot(ranks, [100 * row["ways"][way]["efficiency"] for row in rows], **look)
        left.set(xscale="log", yscale="log", xlabel="ranks", ylabel="time of a step [s]")
        right.set(xscale="log", xlabel="ranks", ylabel="efficiency [%]")
        right.set_ylim(bottom=0)
        for axes in (left, right):
            axes.grid(color=style.GRID, linewidth=0.5)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(frameon=False, fontsize=8.5)
        figure.savefig(path)
