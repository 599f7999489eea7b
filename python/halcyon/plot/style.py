"""What all figures share: size, colours, fonts, colour scales."""

import textwrap
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from halcyon.mesh.sphere import to_points

DPI = 150
WIDTH = 1400 / DPI  # inches
INK = "#22262b"
MUTED = "#6b7280"
GRID = "#d9dce1"
LAND = "#d3d6da"
COAST = "#5d636b"
SERIES = ("#1b6ca8", "#d1495b", "#2a9d6f", "#8a5fb0", "#c98a12", "#4a4e57", "#3fa7c4", "#a14a2b")

_FEW = 4  # lines whose names stand within the axes
_LONGEST = 36  # characters in a line of a name
_SIDE = 0.01  # free at the right, as a part of the width
_SETTINGS = {
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


def settings():
    """The settings of a figure, as a context manager."""
    return matplotlib.rc_context(_SETTINGS)


def new_figure(height) -> Figure:
    """An empty figure of the common width; height [inches]."""
    figure = Figure(figsize=(WIDTH, height), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def heading(figure, title, subtitle, left=0.07):
    """Title and a quieter line below it, at the top left; `left` as a part of the width."""
    height = figure.get_size_inches()[1]
    figure.text(left, 1 - 0.22 / height, title, fontsize=13.5, fontweight="bold", va="top")
    figure.text(left, 1 - 0.50 / height, subtitle, fontsize=9.5, color=MUTED, va="top")


@contextmanager
def picture(path, height, title, subtitle, left=0.07):
    """A headed figure, which is written when its body is done."""
    with settings():
        figure = new_figure(height)
        heading(figure, title, subtitle, left)
        yield figure
        figure.savefig(Path(path))


@dataclass(frozen=True)
class Rows:
    """Where n rows of axes lie below each other; all sizes in inches."""

    n: int
    row: float
    gap: float
    top: float
    bottom: float

    @property
    def height(self):
        """Of the figure."""
        return self.top + self.bottom + self.n * (self.row + self.gap) - self.gap

    def axes(self, figure, i, left, width, **how):
        """Axes in row i, from and as wide as parts of the figure's width; how as of `Figure.add_axes`."""
        bottom = self.height - self.top - (i + 1) * self.row - i * self.gap
        return figure.add_axes([left, bottom / self.height, width, self.row / self.height], **how)


def when(time) -> str:
    """A time in words: 1 Sep 2022 06:00."""
    return np.datetime64(time, "s").item().strftime("%-d %b %Y %H:%M")


def dates(axes, least, most, **look):
    """Between so many ticks of time along x; look as of `ConciseDateFormatter`."""
    locator = AutoDateLocator(minticks=least, maxticks=most)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, **look))


def lattice(box, width):
    """Points (row, column, 3) of the unit sphere at the pixels of a map of a box [degrees], rows from the
    south."""
    west, east, south, north = box
    height = max(2, round(width * (north - south) / (east - west)))
    lon = west + (np.arange(width) + 0.5) / width * (east - west)
    lat = south + (np.arange(height) + 0.5) / height * (north - south)
    return to_points(*np.meshgrid(lon, lat))


def steps(largest, *, most=14) -> np.ndarray:
    """Evenly spaced round levels from 0 that reach `largest`, at most `most` of them."""
    if not np.isfinite(largest) or largest <= 0:
        return np.array([0.0, 1.0])
    decade = 10.0 ** np.floor(np.log10(largest / most))
    step = next(step for step in decade * np.array([1, 2, 2.5, 5, 10]) if largest / step <= most)
    return step * np.arange(int(np.ceil(largest / step)) + 1)


def colours(levels, name, span=(0.01, 0.9)):
    """A colour map and its norm: one colour between two levels, from a part of a scale; by default all but
    the darkest tenth, as serves one whose lightness falls evenly."""
    n = len(levels) - 1
    colour_map = ListedColormap(matplotlib.colormaps[name](np.linspace(*span, n)))
    return colour_map, BoundaryNorm(levels, n)


def new_axes(height=5.2):
    figure = new_figure(height)
    axes = figure.add_axes([0.09, 0.62 / height, 0.87, 1 - (0.62 + 0.85) / height])
    plain(axes)
    return figure, axes


def plain(axes, axis="both") -> None:
    """A quiet grid along one axis or both, and no frame."""
    axes.grid(color=GRID, linewidth=0.5, which="major", axis=axis)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def legend(axes) -> None:
    """Names the lines, beside the axes where there are many: as wide as the longest name needs."""
    lines, names = axes.get_legend_handles_labels()
    look = {"frameon": False, "fontsize": 8.5}
    if len(names) > _FEW:
        names = [textwrap.fill(name, _LONGEST) for name in names]
        drawn = axes.legend(lines, names, loc="upper left", bbox_to_anchor=(1.0, 1.0), **look)
        figure, box = axes.figure, axes.get_position()
        width = drawn.get_window_extent(figure.canvas.get_renderer()).width / figure.bbox.width
        axes.set_position([box.x0, box.y0, 1 - _SIDE - width - box.x0, box.height])
    elif names:
        axes.legend(**look)
