"""Figures of validation cases: each function returns a function that draws the figure into a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.mesh import Mesh
from halcyon.transform import Grid

Draw = Callable[[Path], None]


@contextmanager
def panels(path: Path, size: tuple[float, float], rows: int = 1, columns: int = 1) -> Iterator[Sequence[Any]]:
    """Context manager with the axes of a figure, written at its end. size: width and height [inch]."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    yield figure.subplots(rows, columns, squeeze=False).ravel()
    figure.savefig(path, dpi=120)


def maps(
    locations: Mesh | Grid | Mapping[str, Mesh],
    values: Mapping[str, np.ndarray],
    unit: str,
    latitudes: tuple[float, float] = (-90.0, 90.0),
) -> Draw:
    """Maps, one below the other, of values (by name) on a grid or mesh, or on one mesh per name. Fields with
    negative values get a diverging colour scale."""

    def draw(path: Path) -> None:
        height = 5.5 * (latitudes[1] - latitudes[0]) / 180 + 0.6
        with panels(path, (9, height * len(values)), len(values)) as rows:
            for axes, (name, field) in zip(rows, values.items(), strict=True):
                maximum = np.abs(field).max()
                signed = {"cmap": "RdBu_r", "vmin": -maximum, "vmax": maximum}
                colours = signed if field.min() < 0 else {"cmap": "viridis"}
                drawn = _on_globe(
                    axes, locations[name] if isinstance(locations, Mapping) else locations, field, colours
                )
                axes.set(ylim=latitudes, title=name)
                axes.figure.colorbar(drawn, ax=axes, label=f"[{unit}]")

    return draw


def _on_globe(axes: Any, location: Mesh | Grid, values: np.ndarray, colours: Mapping[str, Any]) -> Any:
    if isinstance(location, Grid):
        table = values.reshape(location.shape)
        return axes.pcolormesh(location.longitude, location.latitude, table, shading="nearest", **colours)
    longitude = (np.degrees(location.cell_longitude) + 180) % 360 - 180
    axes.set(xlim=(-180, 180))
    return axes.tripcolor(longitude, np.degrees(location.cell_latitude), values, shading="gouraud", **colours)


def lines(
    values: Mapping[str, np.ndarray], x: np.ndarray | None = None, width: float = 6, **settings: Any
) -> Draw:
    """Line plot of values by name over x, by default 0, 1, ..; settings: arguments of `Axes.set`."""

    def draw(path: Path) -> None:
        with panels(path, (width, 4)) as (axes,):
            for name, each in values.items():
                axes.plot(np.arange(len(each)) if x is None else x, each, label=name)
            axes.set(**settings)
            axes.legend()

    return draw


def depth_plot(depth: np.ndarray, found: np.ndarray, expected: np.ndarray, label: str) -> Draw:
    """Plot of values (cell) against depth [m], with the analytic solution as a line."""

    def draw(path: Path) -> None:
        with panels(path, (6, 4)) as (axes,):
            order = np.argsort(depth)
            axes.plot(depth, found, ".", ms=3, label="cells")
            axes.plot(depth[order], expected[order], "k", lw=1, label="analytic")
            axes.set(xlabel="depth [m]", ylabel=label)
            axes.invert_xaxis()
            axes.legend()

    return draw


def swell_maps(locations: np.ndarray, heights: Mapping[str, np.ndarray]) -> Draw:
    """Maps of relative swell height (cell) by name. locations: (2, cell), distance and azimuth from the start
    [degree]."""

    def draw(path: Path) -> None:
        with panels(path, (11, 4.5), 1, len(heights)) as columns:
            for axes, (name, height) in zip(columns, heights.items(), strict=True):
                drawn = axes.scatter(*locations, c=height / height.max(), s=14, cmap="viridis")
                axes.set(xlabel="degrees from the start", ylabel="azimuth [degrees]", title=name)
                axes.set(xlim=(20, 90), ylim=(40, 140))
                axes.figure.colorbar(drawn, ax=axes, label="relative height")

    return draw
