"""`halcyon bench`: benchmarks of parts of Halcyon on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from halcyon.cli.options import (
    AsJson,
    figure_writer,
    flag,
    n_ranks,
    option,
    reject,
    reject_options,
    require_package,
)

bench = typer.Typer(no_args_is_help=True, help="Measure the performance of Halcyon on this machine.")
_FOURIER_OPTIONS = {name: f"--{name}" for name in ("truncation", "fields", "sets", "way", "step")}
_SLEEP_OPTIONS = {"rank_bytes": "--bytes", "ratio": "--ratio", "sides": "--sides"}
_THREAD_OPTIONS = {"cores": "--core", "naps": "--nap"}


@bench.callback()
def _package() -> None:
    require_package("halcyon_bench", "bench")


@bench.command()
def alltoall(
    ranks: int = n_ranks(2, default=4),
    sizes: str = option(
        "Sizes of a block [bytes].", "N[,N...]", "--bytes", default="8,512,4096,32768,262144"
    ),
    names: list[str] | None = option(
        "Algorithm: burst, bruck or ring-K; repeatable; by default all, with K in powers of two.",
        None,
        "--algorithm",
    ),
    method: str = option("Exchange method (MPI calls) of the algorithm's messages.", default="isend_irecv"),
    repetitions: int = option("Number of repetitions; the fastest is reported.", min=1, default=50),
    as_json: AsJson = False,
) -> None:
    """Measure all-to-all algorithms and MPI_Alltoallv."""
    from halcyon.cli.common import whole_numbers
    from halcyon_bench.alltoall import Case, algorithms, on_ranks, table

    cases = [Case(ranks, size) for size in whole_numbers("--bytes", sizes)]
    results = on_ranks(cases, names or algorithms(ranks), method=method, repetitions=repetitions)
    typer.echo(json.dumps(results) if as_json else f"{ranks} ranks, {method}\n{table(cases, results)}")


@bench.command()
def overlap(
    context: typer.Context,
    ranks: int | None = n_ranks(
        2, "Number of MPI ranks; default 4, or V times W of --sets.", show_default=False
    ),
    rank_bytes: int = option(
        "Bytes per rank in all groups together.", "N", "--bytes", min=1, default=4_000_000
    ),
    ratio: float = option(
        "Ratio of computation time to blocking communication time.", min=0.01, max=1000, default=1.5
    ),
    sides: int = option(
        "Number of exchanges per group: 1, before its computation; or 2, before and after.",
        min=1,
        max=2,
        default=1,
    ),
    section: str = option(
        "Computation to overlap: sleep, or fourier, the Fourier transforms of a spectral transform.",
        default="sleep",
    ),
    truncation: int = option("Spectral truncation of the Fourier section.", min=1, default=63),
    fields: int = option("Number of fields times levels of the Fourier section.", min=1, default=30),
    sets: str | None = option(
        "Arrangements of the ranks of the Fourier section in V x W sets, such as 1x4,2x2; each is measured "
        "in a job of its own; default 1xN.",
        "VxW[,VxW...]",
    ),
    way: str = option("Direction of the Fourier section: analysis or synthesis.", default="analysis"),
    step: bool = flag("Measure the share of transforms in a step of the spectral model, too.", "--step"),
    groups: str = option("Numbers of groups of fields.", "N[,N...]", default="1,2,3,4,5,6,7,8"),
    methods: list[str] | None = option(
        "Exchange method; repeatable; default isend_irecv and ialltoallv.", None, "--method"
    ),
    progress: list[str] | None = option(
        "Method of message progress: none, poll or thread; repeatable; by default all.", None, "--progress"
    ),
    cores: list[str] | None = option(
        "Cores of the progress thread: auto, shared, or numbers such as 3 or 2,3; repeatable; default auto.",
        None,
        "--core",
    ),
    naps: list[float] | None = option(
        "Sleep of the progress thread between two polls [us], 0: none; repeatable; default 200.",
        None,
        "--nap",
    ),
    trials: int = option("Number of trials; their mean is reported.", min=1, default=5),
    auto: bool = flag("Run the tuning, too, and compare its choice with the fastest of the table.", "--auto"),
    plot: Path | None = option("Figure to write (.png, .pdf or .svg).", "FILE"),
    as_json: AsJson = False,
) -> None:
    """Measure the overlap of communication and computation.

    The computation is sleep or a spectral transform. Prints times for each number of groups, method of
    progress and arrangement in V x W sets."""
    from halcyon.cli.common import whole_numbers
    from halcyon_bench import overlap as overlap_bench
    from halcyon_bench.overlap_tables import report, summary
    from halcyon_bench.sections import SleepSection

    plan = overlap_bench.Plan(
        whole_numbers("--groups", groups),
        methods or overlap_bench.METHODS,
        progress or overlap_bench.PROGRESS,
        cores or ("auto",),
        trials,
        naps or (overlap_bench.NAP_US,),
    )
    if section not in ("sleep", "fourier"):
        reject(f"--section is '{section}'. Use sleep or fourier.")
    if "thread" not in plan.progress:
        reject_options(context, _THREAD_OPTIONS, "only for a progress thread. Give --progress thread, too.")
    if section == "fourier":
        reject_options(
            context, _SLEEP_OPTIONS, "only for the section sleep. Give --section sleep, or leave it out."
        )
        sections = overlap_bench.fourier(ranks, sets, truncation, fields, way)
        ratio = 0.0
    else:
        reject_options(
            context, _FOURIER_OPTIONS, "only for the Fourier section. Give --section fourier, too."
        )
        sections = [(ranks or overlap_bench.RANKS, SleepSection(rank_bytes, sides=sides))]
    draw = figure_writer(plot, "halcyon_bench.pictures.overlap:overlap_plot")
    jobs = [
        overlap_bench.on_ranks(n, computation, plan, ratio=ratio, step=step, auto=auto)
        for n, computation in sections
    ]
    typer.echo(json.dumps({"jobs": jobs, "summary": summary(jobs)}) if as_json else report(jobs))
    draw(jobs, summary(jobs))


@bench.command("wave_cost")
def wave_cost(
    ranks: int = n_ranks(default=1),
    level: int = option("Refinement level of the uniform mesh.", min=2, max=8, default=5),
    repetitions: int = option("Number of repetitions per part; the median is reported.", min=1, default=15),
) -> None:
    """Measure a step of the wave model."""
    from halcyon.plan.probes.wave_cost import measure_on_ranks, table

    typer.echo(table({ranks: measure_on_ranks(ranks, mesh_level=level, repetitions=repetitions)}))


@bench.command("atmosphere_cost")
def atmosphere_cost(
    ranks: int = n_ranks(default=1),
    level: int = option("Refinement level of the uniform mesh.", min=2, max=8, default=5),
    repetitions: int = option("Repetitions of four steps; the median is reported.", min=1, default=5),
) -> None:
    """Measure steps of the atmosphere and STREAM's triad."""
    from halcyon.plan.probes.atmosphere_cost import SETS, AtmosphereSetup, measure_on_ranks, table

    models = [AtmosphereSetup(name, bits) for name in SETS for bits in (64, 32)]
    costs = {
        (model, ranks): measure_on_ranks(ranks, model, mesh_level=level, repetitions=repetitions)
        for model in models
    }
    typer.echo(table(costs))


@bench.command()
def order(
    mesh: str = option("Mesh: G1..G10, or a name such as G8X4.", "MESH", default="G7"),
    levels: int = option("Number of levels of the fields.", min=1, default=30),
    orders: list[str] | None = option("Order of the cells; repeatable; by default all.", None, "--order"),
    repetitions: int = option("Number of repetitions per order; the median is reported.", min=1, default=5),
    patches: str | None = option(
        "Numbers of parts into which METIS cuts the mesh, such as 60,4200; one part is measured.", "N[,N...]"
    ),
    plot: Path | None = option("Figure of the times of the parts, by number of parts.", "PNG"),
) -> None:
    """Measure a stencil in each order of the cells."""
    from halcyon.cli.common import whole_numbers
    from halcyon.mesh.named import level_and_ratio
    from halcyon_bench import order as order_bench
    from halcyon_bench.bisection import bisected_mesh

    names = list(dict.fromkeys(orders or order_bench.NAMES))
    order_bench.require_known(names)
    level, ratio = level_and_ratio(mesh)
    settings = {"names": names, "repetitions": repetitions}
    if patches is None:
        if plot is not None:
            reject("--plot draws the times of the parts of --patches. Give --patches, too.")
        costs = order_bench.stencil_cost(bisected_mesh(level, ratio), levels, **settings)
        typer.echo(order_bench.table(costs))
        return
    numbers = whole_numbers("--patches", patches)
    draw = figure_writer(plot, "halcyon_bench.pictures.patches:patches_plot")
    costs = order_bench.part_costs(mesh, numbers, levels, **settings)
    typer.echo(order_bench.part_table(costs))
    draw({mesh: costs})


@bench.command()
def layout(
    level: int = option("Refinement level of the uniform mesh.", min=1, max=10, default=7),
    levels: int = option("Number of levels of the fields.", min=1, default=30),
    repetitions: int = option("Number of repetitions per layout; the median is reported.", min=1, default=5),
) -> None:
    """Measure a stencil in each memory layout of the fields.

    Either the cell or the level is the innermost index, in flat or nested arrays."""
    from halcyon_bench.layouts import layout_cost, table

    typer.echo(table(layout_cost(level, levels, repetitions=repetitions)))


@bench.command()
def mesh(
    level: int = option("Finest refinement level of the uniform meshes.", min=0, max=10, default=7),
    coarsest: int = option("Coarsest refinement level.", min=0, max=10, default=5),
    tolerance: float = option(
        "Convergence: mean displacement of the points per iteration, over the spacing.", default=1e-6
    ),
    plot: Path | None = option("Figure of time and memory.", "PNG"),
) -> None:
    """Measure making, writing and reading uniform meshes."""
    from halcyon_bench.mesh_making import on_levels, table

    draw = figure_writer(plot, "halcyon_bench.pictures.growth:growth_plot")
    costs = on_levels(range(min(coarsest, level), level + 1), tolerance=tolerance)
    typer.echo(table(costs))
    draw(costs)


@bench.command()
def io(
    mesh: str = option("Mesh: G0..G10, or a name such as G8X4.", "MESH", default="G7"),
    levels: int = option("Number of levels of the field.", min=1, default=6),
    items: str = option("Mesh elements: cells, or all (cells, edges and vertices).", default="cells"),
    order: str = option("Order of the elements in the file: shuffled or natural.", default="shuffled"),
    ranks: int = n_ranks(default=16),
    layouts: list[str] | None = option(
        "File layout: direct, 'groups of N', 'box of N', gather or auto; repeatable; by default all.",
        None,
        "--layout",
    ),
    repetitions: int = option("Number of repetitions per layout; the median is reported.", min=1, default=5),
    folder: Path | None = option("Folder of the files.", "DIR"),
    plot: Path | None = option("Figure of the times.", "PNG"),
    fit: str | None = option(
        "Fit the file system of a machine file (file_system) to the times to write, or to read; one level is"
        " measured too.",
        "write|read",
    ),
) -> None:
    """Measure writing and reading a field in each file layout."""
    from halcyon_bench.io_cases import Case
    from halcyon_bench.io_fit import fit_table
    from halcyon_bench.io_layouts import on_ranks, table
    from halcyon_bench.io_methods import layout_names

    if fit not in (None, "write", "read"):
        reject(f"--fit {fit}: give write or read.")
    cases = [Case(mesh, n, order, ranks, items) for n in ({1, levels} if fit else {levels})]
    draw = figure_writer(plot, "halcyon_bench.pictures.io_layouts:layouts_plot")
    names = layouts or layout_names(ranks)
    results = {case: on_ranks(case, names, repetitions=repetitions, folder=folder) for case in cases}
    for case, times in results.items():
        typer.echo(f"{case}\n{table(times)}")
    draw({str(case): times for case, times in results.items()})
    if fit:
        typer.echo(fit_table(results, fit))


@bench.command()
def halo(
    level: int = option("Refinement level of the uniform mesh.", min=2, max=10, default=6),
    layers: int = option("Number of halo layers.", min=1, default=1),
    numbers: int = option("Number of values per cell.", min=1, default=30),
    dtype: str = option("Data type: float64 or float32.", default="float64"),
    fields: int = option("Number of fields per message.", min=1, default=1),
    ranks: int = n_ranks(default=2),
    methods: list[str] | None = option("Exchange method; repeatable; by default all.", None, "--method"),
    repetitions: int = option("Number of repetitions per method.", min=1, default=50),
) -> None:
    """Measure a halo exchange by each method."""
    from halcyon.halo import METHODS
    from halcyon_bench.halo_exchange import Case, on_ranks, table

    case = Case(level, layers, numbers, dtype, fields, ranks)
    results = on_ranks(case, methods or METHODS, repetitions=repetitions)
    typer.echo(f"{case}\n{table(results)}")
