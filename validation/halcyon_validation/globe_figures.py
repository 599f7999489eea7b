"""Figures of runs on the globe, on meshes and on Gaussian grids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.mesh import Mesh
from halcyon.transform import Grid

GLOBE = (-90.0, 90.0)


def mesh_maps(
    path: Path,
    *,
    mesh: Mapping[str, Mesh],
    values: Mapping[str, np.ndarray],
    unit: str,
    latitudes: tuple[float, float] = GLOBE,
) -> None:
    """Values (cell) by name, each on its mesh."""

    def draw(axes: Any, name: str, found: np.ndarray, colours: Mapping[str, Any]) -> Any:
        longitude = (np.degrees(mesh[name].cell_longitude) + 180) % 360 - 180
        axes.set(xlim=(-180, 180))
        latitude = np.degrees(mesh[name].cell_latitude)
        return axes.tripcolor(longitude, latitude, found, shading="gouraud", **colours)

    _maps(path, values, unit, latitudes, draw)


def grid_maps(
    path: Path,
    *,
    grid: Grid,
    values: Mapping[str, np.ndarray],
    unit: str,
    latitudes: tuple[float, float] = GLOBE,
) -> None:
    """Values (point) by name, all on one grid."""

    def draw(axes: Any, _: str, found: np.ndarray, colours: Mapping[str, Any]) -> Any:
        table = found.reshape(grid.shape)
        return axes.pcolormesh(grid.longitude, grid.latitude, table, shading="nearest", **colours)

    _maps(path, values, unit, latitudes, draw)


def _maps(
    path: Path,
    values: Mapping[str, np.ndarray],
    unit: str,
    latitudes: tuple[float, float],
    draw: Callable[[Any, str, np.ndarray, Mapping[str, Any]], Any],
) -> None:
    """Maps below each other; signed values in colours of both signs."""
    from matplotlib.figure import Figure

    south, north = latitudes
    height = 5.5 * (north - south) / 180 + 0.6
    figure = Figure(figsize=(9, height * len(values)), layout="constrained")
    for axes, (name, found) in zip(
        figure.subplots(len(values), 1, squeeze=False).flat, values.items(), strict=True
    ):
        most = np.abs(found).max()
        signed = {"cmap": "RdBu_r", "vmin": -most, "vmax": most} if found.min() < 0 else {"cmap": "viridis"}
        drawn = draw(axes, name, found, signed)
        axes.set(ylim=latitudes, title=name)
        figure.colorbar(drawn, ax=axes, label=f"[{unit}]")
    figure.savefig(path, dpi=120)
