"""Figures of propagation: what was found beside the closed form, and swell falling apart into rays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np


def against_depth(path: Path, depth: np.ndarray, found: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Values of cells (cell) over their depth [m], and the closed form as a line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    order = np.argsort(depth)
    axes.plot(depth, found, ".", ms=3, label="cells")
    axes.plot(depth[order], expected[order], "k", lw=1, label="closed form")
    axes.set(xlabel="depth [m]", ylabel=what)
    axes.invert_xaxis()
    axes.legend()
    figure.savefig(path, dpi=120)


def rays(path: Path, places: np.ndarray, heights: Mapping[str, np.ndarray]) -> None:
    """Relative heights (cell) of swell by name, at places (distance, azimuth; cell) [degree]."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    for axes, (name, height) in zip(figure.subplots(1, len(heights)), heights.items(), strict=True):
        drawn = axes.scatter(*places, c=height / height.max(), s=14, cmap="viridis")
        axes.set(xlabel="degrees from the start", ylabel="azimuth [degrees]", title=name)
        axes.set(xlim=(20, 90), ylim=(40, 140))
        figure.colorbar(drawn, ax=axes, label="relative height")
    figure.savefig(path, dpi=120)
