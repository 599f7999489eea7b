"""The common style of all figures: size, colours, fonts, colour scales."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from halcyon.mesh.atomic_file import write_file
from halcyon.mesh.cf_file import in_unit
from halcyon.mesh.sphere import to_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


DPI = 150
WIDTH = 1400 / DPI  # inches
INK = "#22262b"
MUTED = "#6b7280"
GRID = "#d9dce1"
LAND = "#d3d6da"
COAST = "#5d636b"
SERIES = ("#1b6ca8", "#d1495b", "#2a9d6f", "#8a5fb0", "#c98a12", "#4a4e57", "#3fa7c4", "#a14a2b")

_MOST_INSIDE = 4  # maximum number of entries of a legend inside the axes
_LINE_LENGTH = 36  # characters per line of a legend entry
_MARGIN = 0.01  # right margin, as a fraction of the width
_SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
}


def settings() -> AbstractContextManager[None]:
    """The settings of matplotlib for a figure, as a context manager."""
    return matplotlib.rc_context(_SETTINGS)


def new_figure(height: float) -> Figure:
    """An empty figure of the common width; height [inches]."""
    figure = Figure(figsize=(WIDTH, height), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def heading(figure: Figure, title: str, subtitle: str, left: float = 0.07) -> None:
    """Title and subtitle at the top left; `left` is a fraction of the width."""
    height = figure.get_size_inches()[1]
    figure.text(left, 1 - 0.22 / height, title, fontsize=13.5, fontweight="bold", va="top")
    figure.text(left, 1 - 0.50 / height, subtitle, fontsize=9.5, color=MUTED, va="top")


@contextmanager
def picture(
    path: str | os.PathLike[str], height: float, title: str, subtitle: str, left: float = 0.07
) -> Iterator[Figure]:
    """A figure with title and subtitle, which is written at the end of the `with` block."""
    with settings():
        figure = new_figure(height)
        heading(figure, title, subtitle, left)
        yield figure
        save(figure, path)


def save(figure: Figure, path: str | os.PathLike[str] | IO[bytes]) -> None:
    """Writes a figure atomically; the suffix of `path` determines the format. An open file gets a PNG. Raises
    RunError if it cannot be written."""
    if not isinstance(path, str | os.PathLike):
        figure.savefig(path, format="png", dpi=DPI)
        return
    write_file(path, lambda part: figure.savefig(part, format=Path(path).suffix[1:].lower(), dpi=DPI))


@dataclass(frozen=True)
class Rows:
    """A layout of n rows of axes; all sizes in inches."""

    n: int
    row: float  # height of a row
    gap: float  # between rows
    top: float  # margin above the rows
    bottom: float  # margin below the rows

    @property
    def height(self) -> float:
        """Height of the figure."""
        return self.top + self.bottom + self.n * (self.row + self.gap) - self.gap

    def axes(self, figure: Figure, i: int, left: float, width: float, **options: Any) -> Axes:
        """Axes in row i; left and width: fractions of the figure's width; options: those of
        `Figure.add_axes`."""
        bottom = self.height - self.top - (i + 1) * self.row - i * self.gap
        return figure.add_axes((left, bottom / self.height, width, self.row / self.height), **options)


def time_text(time: Any) -> str:
    """A time as text: 1 Sep 2022 06:00."""
    second: Any = in_unit(time, "s").item()
    return str(second.strftime("%-d %b %Y %H:%M"))


def date_ticks(axes: Axes, least: int, most: int, **options: Any) -> None:
    """Sets `least` to `most` time ticks on the x axis; options: those of `ConciseDateFormatter`."""
    locator = AutoDateLocator(minticks=least, maxticks=most)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, **options))


def pixel_points(box: tuple[float, float, float, float], width: int) -> np.ndarray:
    """Points (row, column, 3) of the unit sphere at the pixels of a map of a box [degrees], rows from the
    south."""
    west, east, south, north = box
    height = max(2, round(width * (north - south) / (east - west)))
    lon = west + (np.arange(width) + 0.5) / width * (east - west)
    lat = south + (np.arange(height) + 0.5) / height * (north - south)
    return to_points(*np.meshgrid(lon, lat))


def round_levels(largest: float, *, most: int = 14) -> np.ndarray:
    """At most `most` evenly spaced round levels from 0 to at least `largest`."""
    if not np.isfinite(largest) or largest <= 0:
        return np.array([0.0, 1.0])
    decade = 10.0 ** np.floor(np.log10(largest / most))
    step = next(step for step in decade * np.array([1, 2, 2.5, 5, 10]) if largest / step <= most)
    return step * np.arange(int(np.ceil(largest / step)) + 1)


def colours(
    levels: np.ndarray, name: str, span: tuple[float, float] = (0.01, 0.9)
) -> tuple[ListedColormap, BoundaryNorm]:
    """A colour map and its norm, with one colour per interval of levels, from the range `span` of the named
    colour map; the default omits its darkest tenth."""
    n = len(levels) - 1
    colour_map = ListedColormap(matplotlib.colormaps[name](np.linspace(*span, n)))
    return colour_map, BoundaryNorm(levels, n)


def new_axes(height: float = 5.2) -> tuple[Figure, Axes]:
    """A figure of a height [inches] with one pair of axes."""
    figure = new_figure(height)
    axes = figure.add_axes((0.09, 0.62 / height, 0.87, 1 - (0.62 + 0.85) / height))
    plain_axes(axes)
    return figure, axes


def plain_axes(axes: Axes, axis: Literal["both", "x", "y"] = "both") -> None:
    """Sets a light grid along one or both axes, without a frame."""
    axes.grid(color=GRID, linewidth=0.5, which="major", axis=axis)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def legend(axes: Axes) -> None:
    """Adds a legend; with many entries it is placed to the right of the axes, which become narrower."""
    lines, names = axes.get_legend_handles_labels()
    options = {"frameon": False, "fontsize": 8.5}
    if len(names) > _MOST_INSIDE:
        names = [textwrap.fill(name, _LINE_LENGTH) for name in names]
        drawn = axes.legend(lines, names, loc="upper left", bbox_to_anchor=(1.0, 1.0), **options)
        figure, box = axes.figure, axes.get_position()
        canvas: Any = figure.canvas
        width = drawn.get_window_extent(canvas.get_renderer()).width / figure.bbox.width
        axes.set_position((box.x0, box.y0, 1 - _MARGIN - width - box.x0, box.height))
    elif names:
        axes.legend(**options)
