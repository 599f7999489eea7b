"""Figure of computation and communication of the wave model by exchange method and number of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from halcyon.plot import style
from halcyon_bench.pictures import panels

_WIDTH = 0.36


def scaling_plot(path: Path, found: Mapping[str, Mapping[str, Mapping[str, float]]], *, title: str) -> None:
    """Draws the results of `halcyon_bench.wave_scaling` by job as PNG, after figures 11 and 12 of Pang et al.
    (2025): communication and computation by method, and the share of communication."""
    height = 1.2 + 2.3 * len(found)
    heading = "Computation and communication of the wave model"
    frame = {"left": 0.08, "top": 1 - 1.0 / height, "bottom": 0.8 / height, "hspace": 0.5, "sharex": True}
    with panels(path, height, heading, title, len(found), 1, **frame) as rows:
        for (axes,), (job, methods) in zip(rows, found.items(), strict=True):
            _bars(axes, methods)
            axes.set_title(job, fontsize=9.5, loc="left")
        legend_style = {"frameon": False, "fontsize": 8.5, "loc": "upper right"}
        rows[0, 0].legend(ncols=2, bbox_to_anchor=(1, 1.25), **legend_style)


def _bars(axes, methods: Mapping[str, Mapping[str, float]]) -> None:
    centres = np.arange(len(methods))
    exchange = [1e3 * parts["exchange"] for parts in methods.values()]
    computed = [1e3 * (parts["transport"] + parts["sources"]) for parts in methods.values()]
    axes.bar(centres - _WIDTH / 2, computed, _WIDTH, color=style.SERIES[0], label="computation")
    bars = axes.bar(centres + _WIDTH / 2, exchange, _WIDTH, color=style.SERIES[1], label="communication")
    shares = [f"{100 * e / (e + c):.0f} %" for e, c in zip(exchange, computed, strict=True)]
    axes.bar_label(bars, shares, fontsize=7.5, padding=2)
    axes.set_xticks(centres, [_in_lines(variant) for variant in methods], fontsize=8.5)
    axes.set_ylabel("ms per source step", fontsize=8.5)
    axes.grid(axis="y", color=style.GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _in_lines(variant: str) -> str:
    """Splits names such as `neighbor_persistent` and `isend_irecv, overlapped` into two lines."""
    return variant.replace(", ", ",\n").replace("neighbor_", "neighbor_\n")
