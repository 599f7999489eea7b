"""`halcyon bench order`: a stencil on a mesh, or on patches of it, in each order of the cells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from halcyon.base import ConfigError


def measure(
    mesh: str,
    n_levels: int,
    names: Sequence[str] | None,
    repetitions: int,
    patches: str | None,
    plot: Path | None,
) -> None:
    """Measures and prints what the orders of a mesh such as G8 or G8X4 cost, all of it or a part of each of
    some numbers of parts, which `plot` shows.

    Raises ConfigError for names, numbers and pictures that cannot be."""
    from halcyon.cli.whole_numbers import whole_numbers
    from halcyon.launch.output_file import picture_file
    from halcyon.mesh.named import level_and_ratio
    from halcyon_bench.bisection import bisected_mesh
    from halcyon_bench.order import NAMES, part_costs, part_table, require_known, stencil_cost, table

    names = list(dict.fromkeys(names or NAMES))
    require_known(names)
    level, ratio = level_and_ratio(mesh)
    if patches is None:
        if plot is not None:
            raise ConfigError("--plot draws the costs of patches. Give --patches too.")
        options = {"names": names, "repetitions": repetitions}
        typer.echo(table(stencil_cost(bisected_mesh(level, ratio), n_levels, **options)))
        return
    numbers = whole_numbers("--patches", patches)
    drawn = None if plot is None else picture_file(plot)
    costs = part_costs(mesh, numbers, n_levels, names=names, repetitions=repetitions)
    typer.echo(part_table(costs))
    if drawn is not None:
        from halcyon.plot.patches import patches_plot

        patches_plot(drawn, {mesh: costs})
