"""Figure of time and memory of mesh generation by the number of cells."""

import numpy as np

from halcyon.plot import style
from halcyon_bench.pictures import label, panels

STAGES = {"points": "points", "mesh": "Voronoi mesh", "write": "writing", "read": "reading"}


def growth_plot(path, costs):
    """Draws the result of `halcyon_bench.mesh_making.on_levels`, and lines proportional to the number of
    cells, as PNG."""
    cells = np.array([cost["n_cells"] for cost in costs.values()])
    names = [f"G{level}\n{n:,}" for level, n in zip(costs, cells, strict=True)]
    subtitle = f"G{min(costs)} to G{max(costs)}; dotted: proportional to cells"
    with panels(path, 4.6, "Time and memory of uniform meshes", subtitle, 1, 2, wspace=0.2) as (
        (time, memory),
    ):
        for colour, (stage, name) in zip(style.SERIES, STAGES.items(), strict=False):
            _draw(time, cells, [cost[stage] for cost in costs.values()], colour, name)
        most_gib = [cost["most_bytes"] / 2**30 for cost in costs.values()]
        _draw(memory, cells, most_gib, style.INK, "peak memory")
        for axes, text in ((time, "time [s]"), (memory, "memory [GiB]")):
            label(axes, text, ticks=cells, names=names)
        time.legend(frameon=False, fontsize=8.5)


def _draw(axes, cells, values, colour, name):
    axes.loglog(cells, values, "o-", color=colour, markersize=4, linewidth=1.3, label=name)
    axes.loglog(cells, values[-1] * cells / cells[-1], ":", color=colour, linewidth=0.8)
