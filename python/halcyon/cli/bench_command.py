"""`halcyon bench`: what parts of Halcyon cost on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli import bench_options as options
from halcyon.cli.bench_messages import bench_alltoall, bench_overlap

bench = typer.Typer(no_args_is_help=True, help="Measure Halcyon on this machine.")
bench.command("alltoall")(bench_alltoall)
bench.command("overlap")(bench_overlap)


@bench.command("wave_cost")
def bench_wave_cost(
    ranks: Annotated[int, options.ranks()] = 1,
    level: Annotated[int, typer.Option(min=2, max=8, help="Level of the uniform mesh.")] = 5,
    repetitions: Annotated[int, typer.Option(min=1, help="Of each part; the median counts.")] = 15,
) -> None:
    """Measure what a step of the wave model costs, beside a copy of its spectra."""
    from halcyon.plan.probes.wave_cost import on_ranks, table

    typer.echo(table({ranks: on_ranks(ranks, level=level, repetitions=repetitions)}))


@bench.command("atmosphere_cost")
def bench_atmosphere_cost(
    ranks: Annotated[int, options.ranks()] = 1,
    level: Annotated[int, typer.Option(min=2, max=8, help="Level of the uniform mesh.")] = 5,
    repetitions: Annotated[int, typer.Option(min=1, help="Of four steps; the median counts.")] = 5,
) -> None:
    """Measure what a step of the atmosphere costs, for each set of equations, beside STREAM's triad."""
    from halcyon.plan.probes.atmosphere_cost import SETS, Air, on_ranks, table

    airs = [Air(name, bits) for name in SETS for bits in (64, 32)]
    costs = {(air, ranks): on_ranks(ranks, air, level=level, repetitions=repetitions) for air in airs}
    typer.echo(table(costs))


@bench.command("order")
def bench_order(
    mesh: Annotated[str, typer.Option(metavar="MESH", help="G1..G10, or a name such as G8X4.")] = "G7",
    levels: Annotated[int, typer.Option(min=1, help="Of the fields.")] = 30,
    orders: Annotated[
        list[str] | None, options.several("--order", "May be repeated. By default all.")
    ] = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Of each order; the median counts.")] = 5,
    patches: Annotated[
        str | None,
        typer.Option(
            metavar="N[,N...]",
            help="Take a part of the mesh alone, one of so many that METIS makes, such as 60,4200.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[Path | None, options.picture("--plot", "PNG", "Draw the costs of patches there.")] = None,
) -> None:
    """Measure what a stencil on edges and cells costs in each order of the cells."""
    from halcyon.cli.bench_order import measure

    measure(mesh, levels, orders, repetitions, patches, plot)


@bench.command("layout")
def bench_layout(
    level: Annotated[int, typer.Option(min=1, max=10, help="Level of the uniform mesh.")] = 7,
    levels: Annotated[int, typer.Option(min=1, help="Of the fields.")] = 30,
    repetitions: Annotated[int, typer.Option(min=1, help="Of each layout; the median counts.")] = 5,
) -> None:
    """Measure what a stencil costs by which index of fields is innermost, and with flat arrays or not."""
    from halcyon_bench.layouts import layout_cost, table

    typer.echo(table(layout_cost(level, levels, repetitions=repetitions)))


@bench.command("mesh")
def bench_mesh(
    level: Annotated[int, typer.Option(min=0, max=10, help="Finest level of the uniform meshes.")] = 7,
    coarsest: Annotated[int, typer.Option(min=0, max=10, help="Coarsest level.")] = 5,
    tolerance: Annotated[float, typer.Option(help="Mean move over the spacing at which points rest.")] = 1e-6,
    plot: Annotated[Path | None, options.picture("--plot", "PNG", "Draw time and memory there.")] = None,
) -> None:
    """Measure what uniform meshes take, from nothing to a file and back."""
    from halcyon.launch.output_file import picture_file
    from halcyon_bench.mesh_making import on_levels, table

    drawn = None if plot is None else picture_file(plot)
    made = on_levels(range(min(coarsest, level), level + 1), tolerance=tolerance)
    typer.echo(table(made))
    if drawn is not None:
        from halcyon.plot.growth import growth_plot

        growth_plot(drawn, made)


@bench.command("io")
def bench_io(
    mesh: Annotated[str, typer.Option(metavar="MESH", help="G0..G10, or a name such as G8X4.")] = "G7",
    levels: Annotated[int, typer.Option(min=1, help="Of the field.")] = 6,
    items: Annotated[str, typer.Option(help="cells, or all: edges and vertices too.")] = "cells",
    order: Annotated[str, typer.Option(help="Of the items in the file: shuffled or natural.")] = "shuffled",
    ranks: Annotated[int, options.ranks()] = 16,
    layouts: Annotated[
        list[str] | None,
        options.several(
            "--layout", "direct, 'groups of N', 'box of N', gather or auto; may be repeated. By default all."
        ),
    ] = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Of each layout; the median counts.")] = 5,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where files are written.", show_default=False),
    ] = None,
    plot: Annotated[Path | None, options.picture("--plot", "PNG", "Draw the times there.")] = None,
) -> None:
    """Measure what writing and reading a field takes in each layout, on the disk of a folder."""
    from halcyon.launch.output_file import picture_file
    from halcyon_bench.io_cases import Case
    from halcyon_bench.io_layouts import on_ranks, table
    from halcyon_bench.io_ways import way_names

    case = Case(mesh, levels, order, ranks, items)
    drawn = None if plot is None else picture_file(plot)
    found = on_ranks(case, layouts or way_names(ranks), repetitions=repetitions, folder=folder)
    typer.echo(f"{case}\n{table(found)}")
    if drawn is not None:
        from halcyon.plot.io_layouts import layouts_plot

        layouts_plot(drawn, {str(case): found})


@bench.command("halo")
def bench_halo(
    level: Annotated[int, typer.Option(min=2, max=10, help="Level of the uniform mesh.")] = 6,
    layers: Annotated[int, typer.Option(min=1, help="Of the halo.")] = 1,
    numbers: Annotated[int, typer.Option(min=1, help="At a cell.")] = 30,
    dtype: Annotated[str, typer.Option(help="float64 or float32.")] = "float64",
    fields: Annotated[int, typer.Option(min=1, help="In one message.")] = 1,
    ranks: Annotated[int, options.ranks()] = 2,
    methods: Annotated[
        list[str] | None, options.several("--method", "May be repeated. By default all.")
    ] = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Of each method.")] = 50,
) -> None:
    """Measure what a halo exchange takes by each method, beside a copy of what arrives."""
    from halcyon.halo import METHODS
    from halcyon_bench.halo_exchange import Case, on_ranks, table

    case = Case(level, layers, numbers, dtype, fields, ranks)
    found = on_ranks(case, methods or METHODS, repetitions=repetitions)
    typer.echo(f"{case}\n{table(found)}")
