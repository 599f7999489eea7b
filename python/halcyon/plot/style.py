"""What all figures share: size, colours, fonts, colour scales."""

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure

DPI = 150
WIDTH = 1400 / DPI  # inches
INK = "#22262b"
MUTED = "#6b7280"
GRID = "#d9dce1"
LAND = "#d3d6da"
COAST = "#5d636b"
SERIES = ("#1b6ca8", "#d1495b", "#2a9d6f", "#8a5fb0", "#c98a12", "#4a4e57", "#3fa7c4", "#a14a2b")

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
