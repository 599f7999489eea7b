"""The axes of a picture of lines, and their names."""

from __future__ import annotations

import textwrap

from halcyon.plot import style

_HEIGHT = 5.2
_FEW = 4  # lines whose names stand within the axes
_LONGEST = 36  # characters in a line of a name
_SIDE = 0.01  # free at the right, as a part of the width


def new_axes(height: float = _HEIGHT):
    figure = style.new_figure(height)
    axes = figure.add_axes([0.09, 0.62 / height, 0.87, 1 - (0.62 + 0.85) / height])
    plain(axes)
    return figure, axes


def plain(axes) -> None:
    axes.grid(color=style.GRID, linewidth=0.5, which="major")
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
