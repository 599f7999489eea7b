"""Time and memory of making meshes against their cells."""

from pathlib import Path

import numpy as np

from halcyon.plot import style

STAGES = {"points": "points", "mesh": "Voronoi mesh", "write": "writing", "read": "reading"}


def growth_plot(path, made):
    """Draws what `halcyon_bench.mesh_making.on_levels` gives, beside lines in proportion to cells, as PNG."""
    cells = np.array([found["n_cells"] for found in made.values()])
    with style.settings():
        figure = style.new_figure(4.6)
        style.heading(
            figure, "Uniform meshes: what they take", f"G{min(made)} to G{max(made)}, in proportion: dotted"
        )
        time, memory = figure.subplots(
            1, 2, gridspec_kw={"left": 0.07, "right": 0.98, "top": 0.8, "bottom": 0.13, "wspace": 0.2}
        )
        for colour, (stage, name) in zip(style.SERIES, STAGES.items(), strict=False):
            _draw(time, cells, [found[stage] for found in made.values()], colour, name)
        _draw(
            memory, cells, [found["most_bytes"] / 2**30 for found in made.values()], style.INK, "most memory"
        )
        for axes, text in ((time, "time [s]"), (memory, "memory [GiB]")):
            axes.set_xticks(cells, [f"G{level}\n{n:,}" for level, n in zip(made, cells, strict=True)])
            _label(axes, text)
        time.legend(frameon=False, fontsize=8.5)
        figure.savefig(Path(path))


def _draw(axes, cells, values, colour, name):
    axes.loglog(cells, values, "o-", color=colour, markersize=4, linewidth=1.3, label=name)
    axes.loglog(cells, values[-1] * cells / cells[-1], ":", color=colour, linewidth=0.8)


def _label(axes, text):
    axes.set_xticks([], minor=True)
    axes.set_ylabel(text)
    axes.grid(color=style.GRID, linewidth=0.5)
