"""Figures of runs on Gaussian grids."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from halcyon.transform import Grid


def maps(
    path: Path,
    *,
    grid: Grid,
    values: Mapping[str, np.ndarray],
    unit: str,
    latitudes: tuple[float, float] = (-90, 90),
) -> None:
    """Values (point) by name as maps below each other; signed ones in colours of both signs."""
    from matplotlib.figure import Figure

    south, north = latitudes
    height = 5.5 * (north - south) / 180 + 0.6
    figure = Figure(figsize=(9, height * len(values)), layout="constrained")
    for axes, (name, found) in zip(
        figure.subplots(len(values), 1, squeeze=False).flat, values.items(), strict=True
    ):
        most = np.abs(found).max()
        signed = {"cmap": "RdBu_r", "vmin": -most, "vmax": most} if found.min() < 0 else {"cmap": "viridis"}
        drawn = axes.pcolormesh(
            grid.longitude, grid.latitude, found.reshape(grid.shape), shading="nearest", **signed
        )
        axes.set(ylim=latitudes, title=name)
        figure.colorbar(drawn, ax=axes, label=f"[{unit}]")
    figure.savefig(path, dpi=120)
