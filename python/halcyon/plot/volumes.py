"""Figures of communication volumes: per rank, between ranks, and their distribution over ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import MaxNLocator, NullLocator

from halcyon.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from halcyon.decomposition import Volumes

MOST_PIXELS = 400  # largest width and height of the image of a matrix
MOST_MATRICES = 3
MIB = 2**20


def volumes_plot(path: Path, cases: Sequence[Volumes], *, steps: int, title: str) -> None:
    """Plots the minimum, mean and maximum volume received per rank in all steps, and the communication
    matrices for up to three numbers of ranks, after figures 6 and 14 of Pang et al. (2025), as PNG."""
    shown = _evenly_spaced(cases, MOST_MATRICES)
    n_rows = (len(shown) + 2) // 2
    height = 1.2 + 4.2 * n_rows
    with style.picture(path, height, "Volume received per rank", f"{title}   ·   {steps} steps") as figure:
        frame = _frame(height, wspace=0.3, hspace=0.22)
        panels = figure.subplots(n_rows, 2, squeeze=False, gridspec_kw=frame).ravel()
        _received(panels[0], cases, steps)
        for axes, volumes in zip(panels[1:], shown, strict=False):
            _matrix(figure, axes, volumes, steps)
        for axes in panels[1 + len(shown) :]:
            axes.set_axis_off()


def distribution_plot(path: Path, cases: Sequence[Volumes], *, steps: int, title: str) -> None:
    """Plots the distributions over ranks of the messages received per step and of the bytes received in all
    steps, as PNG, with one row per number of ranks."""
    height, subtitle = 1.4 + 2.2 * len(cases), f"{title}   ·   {steps} steps"
    with style.picture(path, height, "Distribution of messages and bytes over ranks", subtitle) as figure:
        frame = _frame(height, wspace=0.18, hspace=0.55)
        rows = figure.subplots(len(cases), 2, squeeze=False, gridspec_kw=frame)
        for (left, right), volumes in zip(rows, cases, strict=True):
            messages = volumes.received(volumes.messages)
            left.bar(*np.unique(messages, return_counts=True), color=style.SERIES[0])
            left.xaxis.set_major_locator(MaxNLocator(integer=True))
            right.hist(_mib(volumes, steps), bins=40, color=style.SERIES[0])
            for axes in (left, right):
                style.plain_axes(axes, "y")
                axes.set_title(f"{volumes.n_ranks:,} ranks", fontsize=9, loc="left")
                axes.set_ylabel("ranks")
                axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        rows[-1][0].set_xlabel("messages received per step")
        rows[-1][1].set_xlabel("MiB received in all steps")


def matrix_image(volumes: Volumes) -> np.ndarray:
    """Bytes per step (sender, receiver); for many ranks, summed over blocks of ranks; NaN without
    messages."""
    n_ranks = volumes.n_ranks
    n = min(n_ranks, MOST_PIXELS)
    image = np.zeros((n, n))
    np.add.at(image, (volumes.peers * n // n_ranks, volumes.receivers * n // n_ranks), volumes.bytes)
    return np.where(image > 0, image, np.nan)


def _frame(height: float, **spaces: float) -> dict[str, float]:
    return {"left": 0.08, "right": 0.93, "top": 1 - 0.95 / height, "bottom": 0.55 / height, **spaces}


def _evenly_spaced(cases: Sequence[Volumes], most: int) -> list[Volumes]:
    """At most `most` evenly spaced cases, among them the first and the last."""
    chosen = np.unique(np.round(np.linspace(0, len(cases) - 1, min(most, len(cases)))).astype(int))
    return [cases[i] for i in chosen]


def _mib(volumes: Volumes, steps: int) -> np.ndarray:
    return volumes.received(volumes.bytes) * steps / MIB


def _received(axes: Axes, cases: Sequence[Volumes], steps: int) -> None:
    received = [_mib(volumes, steps) for volumes in cases]
    mean = np.array([values.mean() for values in received])
    low, high = (np.array([reduce(values) for values in received]) for reduce in (np.min, np.max))
    positions = np.arange(len(cases))
    axes.bar(positions, mean, color=style.SERIES[0], width=0.6)
    axes.errorbar(
        positions, mean, [mean - low, high - mean], fmt="none", ecolor=style.INK, capsize=4, linewidth=1
    )
    axes.set_xticks(positions, [f"{volumes.n_ranks:,}" for volumes in cases])
    axes.set(xlabel="ranks", ylabel="MiB received by a rank")
    axes.set_title("mean, with minimum and maximum", fontsize=9, loc="left")
    style.plain_axes(axes, "y")


def _matrix(figure: Figure, axes: Axes, volumes: Volumes, steps: int) -> None:
    image = matrix_image(volumes) * steps / MIB
    axes.set_title(f"{volumes.n_ranks:,} ranks [MiB]", fontsize=9, loc="left")
    axes.set(xlabel="receiving rank", ylabel="sending rank", facecolor="#f7f7f5")
    if not np.isfinite(image).any():
        return
    low, high = float(np.nanmin(image)), float(np.nanmax(image))
    highest = max(high, 1.01 * low)
    drawn = axes.imshow(
        image,
        cmap=matplotlib.colormaps["viridis_r"],
        norm=LogNorm(low, highest),
        extent=(-0.5, volumes.n_ranks - 0.5, volumes.n_ranks - 0.5, -0.5),
        interpolation="nearest",
    )
    bar = figure.colorbar(drawn, ax=axes, fraction=0.046, pad=0.03)
    ticks = np.geomspace(low, highest, 5).tolist()
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.set_ticks(ticks, labels=[f"{tick:.2g}" for tick in ticks])
    bar.outline.set_linewidth(0.6)
