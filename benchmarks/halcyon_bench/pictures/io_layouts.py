"""Time of writing and reading against the way that files are laid out over ranks."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from halcyon.plot import style

STAGES = {"set_up": "set-up", "write": "writing", "read": "reading"}


def layouts_plot(path, cases):
    """Draws what `halcyon_bench.io_layouts.on_ranks` gives, by the name of each case, as PNG.

    Bars are wall time, points CPU time of all ranks."""
    with style.settings():
        figure = style.new_figure(1.4 + 3.2 * len(cases))
        style.heading(
            figure,
            "Writing and reading a field in each layout",
            "wall time of the slowest rank; points: CPU time of all ranks",
        )
        top = 1 - 1.0 / figure.get_size_inches()[1]
        rows = figure.subplots(
            len(cases),
            2,
            squeeze=False,
            gridspec_kw={
                "left": 0.07,
                "right": 0.98,
                "top": top,
                "bottom": 1.6 / figure.get_size_inches()[1],
                "wspace": 0.2,
                "hspace": 1.1,
            },
        )
        for row, (name, found) in zip(rows, cases.items(), strict=True):
            for axes, part in zip(row, ("write", "read"), strict=True):
                _bars(axes, found, part)
                axes.set_title(f"{name}: {STAGES[part]} [s]", fontsize=9, loc="left")
        figure.savefig(Path(path))


def groups_plot(path, found, case):
    """Draws time against the size of groups (of ranks that share an I/O rank), as PNG; boxes beside them as
    lines, since they have no such size. `found`: what `halcyon_bench.io_layouts.on_ranks` gives."""
    with style.settings():
        figure = style.new_figure(4.4)
        style.heading(figure, "Groups of ranks that share an I/O rank", case)
        panels = figure.subplots(
            1, 3, gridspec_kw={"left": 0.07, "right": 0.98, "top": 0.8, "bottom": 0.13, "wspace": 0.22}
        )
        for axes, part, text in zip(
            panels,
            ("write", "read", "total"),
            ("writing", "reading", "set-up, writing, reading"),
            strict=True,
        ):
            _against_size(axes, found, part)
            axes.set_title(f"{text} [s]", fontsize=9, loc="left")
        panels[0].legend(frameon=False, fontsize=8.5)
        figure.savefig(Path(path))


def ranks_plot(path, by_ranks, case):
    """Draws time against the number of ranks, a line a way, as PNG. `by_ranks`: what
    `halcyon_bench.io_layouts.on_ranks` gives, by ranks."""
    with style.settings():
        figure = style.new_figure(4.2)
        style.heading(figure, "Writing and reading against the number of ranks", case)
        panels = figure.subplots(
            1, 2, gridspec_kw={"left": 0.07, "right": 0.98, "top": 0.8, "bottom": 0.13, "wspace": 0.16}
        )
        for axes, part in zip(panels, ("write", "read"), strict=True):
            for colour, name in zip(style.SERIES, next(iter(by_ranks.values())), strict=False):
                times = [found[name][part] for found in by_ranks.values()]
                axes.loglog(list(by_ranks), times, "o-", color=colour, markersize=4, label=name)
            axes.set_title(f"{STAGES[part]} [s]", fontsize=9, loc="left")
            axes.set_xticks(list(by_ranks), [str(ranks) for ranks in by_ranks])
            axes.set_xticks([], minor=True)
            axes.set_xlabel("ranks")
            axes.grid(color=style.GRID, linewidth=0.5)
        panels[0].legend(frameon=False, fontsize=8.5)
        figure.savefig(Path(path))


def _bars(axes, found, part):
    at = np.arange(len(found))
    colours = [_colour(name) for name in found]
    axes.bar(at, [taken[part] for taken in found.values()], color=colours, width=0.7)
    axes.plot(at, [taken[f"{part}_cpu"] for taken in found.values()], "o", color=style.INK, markersize=3)
    axes.set_yscale("log")
    axes.set_xticks(at, list(found), rotation=40, ha="right", fontsize=7.5)
    axes.grid(axis="y", color=style.GRID, linewidth=0.5)
    axes.set_axisbelow(True)


def _against_size(axes, found, part):
    for colour, prefix, label in (
        (style.SERIES[1], "published ", "published"),
        (style.SERIES[0], "", "ours"),
    ):
        taken = {size: found[name][part] for name, size in _sizes(found, prefix).items()}
        if taken:
            axes.plot(
                list(taken), list(taken.values()), "o-", color=colour, markersize=4, label=f"groups, {label}"
            )
    for colour, name in ((style.SERIES[2], "box of 2"), (style.SERIES[3], "auto")):
        if name in found:
            axes.axhline(found[name][part], color=colour, linestyle=":", label=name)
    axes.set(xscale="log", yscale="log", xlabel="ranks in a group")
    sizes = sorted({*_sizes(found, "").values(), *_sizes(found, "published ").values()})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_xticks([], minor=True)
    axes.grid(color=style.GRID, linewidth=0.5)


def _sizes(found, prefix):
    """The size of groups by the names of ways that have one; `direct` is groups of one."""
    sizes = {}
    for name in found:
        size = re.fullmatch(rf"{prefix}(?:direct|groups of (\d+))", name)
        if size is not None:
            sizes[name] = int(size[1] or 1)
    return sizes


def _colour(name):
    if name.startswith("published"):
        return style.SERIES[1]
    kinds = {"direct": 5, "groups": 4, "box": 0, "gather": 6, "auto": 2}
    return style.SERIES[kinds[name.split()[0]]]
