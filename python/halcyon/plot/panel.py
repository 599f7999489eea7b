"""The axes of a picture of lines, and their names."""

from __future__ import annotations

from halcyon.plot import style

_HEIGHT = 5.2
_FEW = 4  # lines whose names stand within the axes


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
    """Names the lines, beside the axes where there are many."""
    names = axes.get_legend_handles_labels()[1]
    if len(names) > _FEW:
        box = axes.get_position()
        axes.set_position([box.x0, box.y0, box.width - 0.19, box.height])
        axes.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    elif names:
        axes.legend(frameon=False, fontsize=8.5)
