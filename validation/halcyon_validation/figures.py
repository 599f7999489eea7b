"""Figures of validation cases: each function gives what draws one into a file."""

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
    """The axes of a figure [inches], which is written when all is drawn."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    yield figure.subplots(rows, columns, squeeze=False).ravel()
    figure.savefig(path, dpi=120)


def maps(
    places: Mesh | Grid | Mapping[str, Mesh],
    values: Mapping[str, np.ndarray],
    unit: str,
    latitudes: tuple[float, float] = (-90.0, 90.0),
) -> Draw:
    """Maps below each other of values by name: of cells of a mesh, which may be another by each name, or of
    points of a grid. Signed values have colours of both signs."""

    def draw(path: Path) -> None:
        height = 5.5 * (latitudes[1] - latitudes[0]) / 180 + 0.6
        with panels(path, (9, height * len(values)), len(values)) as below:
            for axes, (name, found) in zip(below, values.items(), strict=True):
                most = np.abs(found).max()
                signed = {"cmap": "RdBu_r", "vmin": -most, "vmax": most}
                colours = signed if found.min() < 0 else {"cmap": "viridis"}
                drawn = _on_globe(
                    axes, places[name] if isinstance(places, Mapping) else places, found, colours
                )
                axes.set(ylim=latitudes, title=name)
                axes.figure.colorbar(drawn, ax=axes, label=f"[{unit}]")

    return draw


def _on_globe(axes: Any, place: Mesh | Grid, values: np.ndarray, colours: Mapping[str, Any]) -> Any:
    if isinstance(place, Grid):
        table = values.reshape(place.shape)
        return axes.pcolormesh(place.longitude, place.latitude, table, shading="nearest", **colours)
    longitude = (np.degrees(place.cell_longitude) + 180) % 360 - 180
    axes.set(xlim=(-180, 180))
    return axes.tripcolor(longitude, np.degrees(place.cell_latitude), values, shading="gouraud", **colours)


def lines(
    values: Mapping[str, np.ndarray], x: np.ndarray | None = None, width: float = 6, **look: Any
) -> Draw:
    """Values by name over x, or over 0, 1, ...; look as of `Axes.set`."""

    def draw(path: Path) -> None:
        with panels(path, (width, 4)) as (axes,):
            for name, each in values.items():
                axes.plot(np.arange(len(each)) if x is None else x, each, label=name)
            axes.set(**look)
            axes.legend()

    return draw


def against_depth(depth: np.ndarray, found: np.ndarray, expected: np.ndarray, what: str) -> Draw:
    """Values of cells (cell) over their depth [m], and the closed form as a line."""

    def draw(path: Path) -> None:
        with panels(path, (6, 4)) as (axes,):
            order = np.argsort(depth)
            axes.plot(depth, found, ".", ms=3, label="cells")
            axes.plot(depth[order], expected[order], "k", lw=1, label="closed form")
            axes.set(xlabel="depth [m]", ylabel=what)
            axes.invert_xaxis()
            axes.legend()

    return draw


def rays(places: np.ndarray, heights: Mapping[str, np.ndarray]) -> Draw:
    """Relative heights (cell) of swell by name, at places (distance, azimuth; cell) [degree]."""

    def draw(path: Path) -> None:
        with panels(path, (11, 4.5), 1, len(heights)) as beside:
            for axes, (name, height) in zip(beside, heights.items(), strict=True):
                drawn = axes.scatter(*places, c=height / height.max(), s=14, cmap="viridis")
                axes.set(xlabel="degrees from the start", ylabel="azimuth [degrees]", title=name)
                axes.set(xlim=(20, 90), ylim=(40, 140))
                axes.figure.colorbar(drawn, ax=axes, label="relative height")

    return draw
