"""Figure of the cost of a stencil on patches of meshes, by the order of cells."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path

from matplotlib.ticker import LogLocator, NullLocator

from halcyon.plot import style
from halcyon_bench.pictures import panels

MARKS = "osD^v"  # markers by mesh
LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1)))
BASE = "hilbert"  # order of cells with which the others are compared


def patches_plot(path: Path, meshes: Mapping[str, Mapping[int, Mapping[str, float]]]) -> None:
    """Draws the results of `halcyon_bench.order.part_costs` by mesh as PNG: the cost per cell by size of the
    patch, and, after figure 6 of Liu et al. (GRIST infrastructure), the cost relative to the default order by
    the number of patches."""
    names = _names(meshes)
    subtitle = "one part of the partition of each mesh, by the order of its cells"
    frame = {"top": 0.84, "bottom": 0.31, "wspace": 0.18}
    with panels(path, 5.4, "A stencil on patches of meshes", subtitle, 1, 2, **frame) as ((cost, ratio),):
        for i, (mesh, costs) in enumerate(meshes.items()):
            common = {"marker": MARKS[i % len(MARKS)], "linestyle": LINES[i % len(LINES)], "markersize": 4}
            for name, colour in zip(names, itertools.cycle(style.SERIES), strict=False):
                found = [part for part in costs.values() if name in part]
                options = common | {"color": colour, "label": f"{mesh}, {name}"}
                cost.plot([part["cells"] for part in found], [part[name] for part in found], **options)
                if name != BASE and all(BASE in part for part in found):
                    ratio.plot(list(costs), [part[name] / part[BASE] for part in found], **options)
        _label(cost, "cells in the patch", "ns per cell and level")
        _label(ratio, "patches of the mesh", f"cost relative to {BASE}")
        handles_and_labels = cost.get_legend_handles_labels()
        cost.figure.legend(*handles_and_labels, loc="lower left", ncols=5, frameon=False, fontsize=8)


def _names(meshes: Mapping[str, Mapping[int, Iterable[str]]]) -> list[str]:
    """All orders, in order of appearance."""
    found = (name for costs in meshes.values() for part in costs.values() for name in part)
    return [name for name in dict.fromkeys(found) if name != "cells"]


def _label(axes, x: str, y: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:,.3g}")
        axis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.tick_params(axis="x", labelrotation=35)
    axes.grid(color=style.GRID, linewidth=0.5)
