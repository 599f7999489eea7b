"""Figures of simulated messages: delays, congestion between ranks, communication pattern, load of links."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import EngFormatter

from halcyon.decomposition import schedule_volumes
from halcyon.plot import style, ticks
from halcyon.plot.point_names import label_of, marked_label
from halcyon.plot.style import legend, new_axes
from halcyon.simulate.build import schedule_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from halcyon.config.points import SweepPoint


def delays(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> Figure:
    """Distributions of the delay of messages between nodes, one curve per result."""
    figure, axes = new_axes()
    for point, data, colour in zip(points, results, itertools.cycle(style.SERIES), strict=False):
        counts, edges = coarse_histogram(data)
        label = marked_label(label_of(point), data)
        axes.stairs(density(counts, edges), edges, color=colour, linewidth=1.4, label=label)
    axes.set(xscale="log", xlabel="time from the sending to the receiving NIC")
    axes.set_ylabel("messages [% per doubling of the time]")
    delay_bins = [data["delay_to"].values[data["delayed"].values > 0] for data in results]
    if all(bins.size for bins in delay_bins):
        axes.set_xlim(
            0.5 * min(bins.min() for bins in delay_bins), 2 * max(bins.max() for bins in delay_bins)
        )
    else:
        axes.set_title("no messages between nodes", fontsize=9)
    ticks.times(axes.xaxis, most_decades=4)
    legend(axes)
    return figure


def coarse_histogram(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Merges the eight bins per doubling of the delay into two, [1, 1.5) and [1.5, 2) times a power of two.
    Returns the number of messages per bin, and the edges of the bins [s]."""
    if data["delayed"].size == 0:
        return np.zeros(1), np.array([1e-12, 2e-12])
    mantissa, exponent = np.frexp(np.rint(1e12 * data["delay_from"].values))
    coarse_bin = 2 * exponent + (mantissa >= 0.75)
    counts = np.bincount(coarse_bin - coarse_bin.min(), weights=data["delayed"].values)
    index = coarse_bin.min() + np.arange(counts.size + 1)
    return counts, 1e-12 * np.ldexp(np.where(index % 2, 0.75, 0.5), index // 2)


def density(counts: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Messages [%] per width of a bin [doublings]; the bins [1, 1.5) and [1.5, 2) differ in width."""
    return 100 * counts / max(counts.sum(), 1) / np.log2(edges[1:] / edges[:-1])


def pairs(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> Figure:
    """Mean delay of messages between blocks of ranks, one matrix per result."""
    columns = min(2, len(points))
    rows = -(-len(points) // columns)
    height = 1.1 + 4.3 * rows / columns * 2 / 1.35
    figure = style.new_figure(height)
    frame = {"left": 0.07, "right": 0.88, "top": 1 - 1.1 / height, "bottom": 0.5 / height}
    panels = figure.subplots(
        rows, columns, squeeze=False, gridspec_kw=frame | {"hspace": 0.35, "wspace": 0.2}
    )
    means = [
        1e6 * data["pair_delay"].values / np.maximum(data["pair_messages"].values, 1) for data in results
    ]
    largest = max(mean.max() for mean in means) or 1.0
    for axes, point, data, mean in itertools.zip_longest(panels.flat, points, results, means):
        if point is None:
            axes.set_visible(False)
            continue
        ranks = int(data.attrs["ranks"])
        masked = np.ma.masked_where(data["pair_messages"].values == 0, mean)
        image = axes.imshow(
            masked.T, origin="lower", extent=(0, ranks, 0, ranks), cmap="viridis_r", vmin=0, vmax=largest
        )
        axes.set_title(marked_label(label_of(point), data) or "", fontsize=9.5, loc="left")
        axes.set(xlabel="source", ylabel="target")
    bar = figure.colorbar(image, cax=figure.add_axes((0.91, 0.5 / height, 0.018, 1 - 1.6 / height)))
    bar.set_label("mean delay relative to an idle network [us]")
    return figure


def pattern(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> Figure:
    """Bytes between each pair of ranks in the first simulation."""
    from matplotlib.colors import LogNorm

    volumes = schedule_volumes(schedule_of(points[0].case))
    ranks = volumes.n_ranks
    figure = style.new_figure(9.0)
    axes = figure.add_axes((0.1, 0.07, 0.74, 0.82))
    style_of_points: dict[str, Any] = {"s": max(0.3, 3000 / ranks), "marker": "s", "linewidths": 0}
    image = axes.scatter(volumes.peers, volumes.receivers, c=volumes.bytes, norm=LogNorm(), **style_of_points)
    axes.set(xlim=(-1, ranks), ylim=(-1, ranks), xlabel="source", ylabel="target", aspect="equal")
    bar = figure.colorbar(image, cax=figure.add_axes((0.88, 0.07, 0.02, 0.82)))
    bar.ax.yaxis.set_major_formatter(EngFormatter("B"))
    bar.ax.yaxis.set_minor_formatter(EngFormatter("B"))
    return figure


def links(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> Figure:
    """Share of time in which links are busy, in descending order, one curve per result."""
    figure, axes = new_axes()
    for point, data, colour in zip(points, results, itertools.cycle(style.SERIES), strict=False):
        busy = np.sort(data["link_busy"].values)[::-1] / max(data["time"].item(), 1e-300)
        axes.plot(
            np.linspace(0, 100, busy.size),
            100 * busy,
            color=colour,
            label=marked_label(label_of(point), data),
        )
    axes.set(xlabel="links in descending order of load [%]", ylabel="busy [% of the time]", ylim=(0, 102))
    legend(axes)
    return figure
