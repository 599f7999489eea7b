"""Figures of the time of writing and reading by file layout."""

from __future__ import annotations

import re

import numpy as np

from halcyon.plot import style
from halcyon_bench.pictures import label, panels, title

STAGES = {"set_up": "set-up", "write": "writing", "read": "reading"}


def layouts_plot(path, cases):
    """Draws the results of `halcyon_bench.io_layouts.on_ranks` by case as PNG: wall time as bars, CPU time of
    all ranks as points."""
    height = 1.4 + 3.2 * len(cases)
    subtitle = "wall time of the slowest rank; points: CPU time of all ranks"
    frame = {"top": 1 - 1.0 / height, "bottom": 1.6 / height, "wspace": 0.2, "hspace": 1.1}
    with panels(
        path, height, "Writing and reading a field in each layout", subtitle, len(cases), 2, **frame
    ) as rows:
        for row, (name, found) in zip(rows, cases.items(), strict=True):
            for axes, part in zip(row, ("write", "read"), strict=True):
                _bars(axes, found, part)
                title(axes, f"{name}: {STAGES[part]} [s]")


def groups_plot(path, found, case):
    """Draws time by group size (ranks that share an I/O rank) as PNG, and other layouts as horizontal lines.
    `found`: the result of `halcyon_bench.io_layouts.on_ranks`."""
    texts = {"write": "writing", "read": "reading", "total": "set-up, writing, reading"}
    with panels(path, 4.4, "Groups of ranks that share an I/O rank", case, 1, 3, wspace=0.22) as (row,):
        for axes, (part, text) in zip(row, texts.items(), strict=True):
            _against_size(axes, found, part)
            title(axes, f"{text} [s]")
        row[0].legend(frameon=False, fontsize=8.5)


def ranks_plot(path, by_ranks, case):
    """Draws time by number of ranks, one line per layout, as PNG. `by_ranks`: results of
    `halcyon_bench.io_layouts.on_ranks` by number of ranks."""
    heading = "Writing and reading against the number of ranks"
    with panels(path, 4.2, heading, case, 1, 2, wspace=0.16) as (row,):
        for axes, part in zip(row, ("write", "read"), strict=True):
            for colour, name in zip(style.SERIES, next(iter(by_ranks.values())), strict=False):
                times = [found[name][part] for found in by_ranks.values()]
                axes.loglog(list(by_ranks), times, "o-", color=colour, markersize=4, label=name)
            title(axes, f"{STAGES[part]} [s]")
            label(axes, x="ranks", ticks=list(by_ranks), names=[str(ranks) for ranks in by_ranks])
        row[0].legend(frameon=False, fontsize=8.5)


def _bars(axes, found, part):
    x = np.arange(len(found))
    colours = [_colour(name) for name in found]
    axes.bar(x, [layout[part] for layout in found.values()], color=colours, width=0.7)
    axes.plot(x, [layout[f"{part}_cpu"] for layout in found.values()], "o", color=style.INK, markersize=3)
    axes.set_yscale("log")
    axes.set_xticks(x, list(found), rotation=40, ha="right", fontsize=7.5)
    axes.grid(axis="y", color=style.GRID, linewidth=0.5)
    axes.set_axisbelow(True)


def _against_size(axes, found, part):
    for colour, prefix, source in (
        (style.SERIES[1], "published ", "published"),
        (style.SERIES[0], "", "Halcyon"),
    ):
        times = {size: found[name][part] for name, size in _sizes(found, prefix).items()}
        if times:
            line_style = {"color": colour, "markersize": 4, "label": f"groups, {source}"}
            axes.plot(list(times), list(times.values()), "o-", **line_style)
    for colour, name in ((style.SERIES[2], "box of 2"), (style.SERIES[3], "auto")):
        if name in found:
            axes.axhline(found[name][part], color=colour, linestyle=":", label=name)
    axes.set(xscale="log", yscale="log", xlabel="ranks in a group")
    sizes = sorted({*_sizes(found, "").values(), *_sizes(found, "published ").values()})
    label(axes, ticks=sizes, names=[str(size) for size in sizes])


def _sizes(found, prefix):
    """Group sizes by layout name, for the names that start with `prefix`; `direct` has groups of one rank."""
    sizes = {}
    for name in found:
        size = re.fullmatch(rf"{prefix}(?:direct|groups of (\d+))", name)
        if size is not None:
            sizes[name] = int(size[1] or 1)
    return sizes


def _colour(name):
    if name.startswith("published"):
        return style.SERIES[1]
    colours = {"direct": 5, "groups": 4, "box": 0, "gather": 6, "auto": 2}
    return style.SERIES[colours[name.split()[0]]]
