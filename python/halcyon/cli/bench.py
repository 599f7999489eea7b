"""`halcyon bench`: what parts of Halcyon cost on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from halcyon.cli.options import AsJson, drawing, flag, n_ranks, option, refuse, refuse_given, require_package

bench = typer.Typer(no_args_is_help=True, help="Measure Halcyon on this machine.")
_OF_FOURIER = {name: f"--{name}" for name in ("truncation", "fields", "sets", "way", "step")}
_OF_SLEEP = {"rank_bytes": "--bytes", "ratio": "--ratio", "sides": "--sides"}
_OF_THREAD = {"cores": "--core", "naps": "--nap"}


@bench.callback()
def _package() -> None:
    require_package("halcyon_bench", "bench")


@bench.command()
def alltoall(
    ranks: int = n_ranks(2, default=4),
    sizes: str = option("Of a block.", "N[,N...]", "--bytes", default="8,512,4096,32768,262144"),
    names: list[str] | None = option(
        "burst, bruck or ring-K; may be repeated. By default all, K by powers of two.", None, "--algorithm"
    ),
    method: str = option("By which their messages travel.", default="isend_irecv"),
    repetitions: int = option("Of each; the best counts.", min=1, default=50),
    as_json: AsJson = False,
) -> None:
    """Measure what an all-to-all takes by each algorithm, beside MPI_Alltoallv."""
    from halcyon.cli.common import whole_numbers
    from halcyon_bench.alltoall import Case, algorithms, on_ranks, table

    cases = [Case(ranks, size) for size in whole_numbers("--bytes", sizes)]
    found = on_ranks(cases, names or algorithms(ranks), method=method, repetitions=repetitions)
    typer.echo(json.dumps(found) if as_json else f"{ranks} ranks, {method}\n{table(cases, found)}")


@bench.command()
def overlap(
    context: typer.Context,
    ranks: int | None = n_ranks(2, "MPI ranks; by default 4, or V W of --sets.", show_default=False),
    rank_bytes: int = option("That a rank has of all groups.", "N", "--bytes", min=1, default=4_000_000),
    ratio: float = option(
        "Of the computation to the blocking communication.", min=0.01, max=1000, default=1.5
    ),
    sides: int = option("1: groups come; 2: they leave, too.", min=1, max=2, default=1),
    section: str = option(
        "sleep, or fourier: rows and wavenumbers of a spectral transform.", default="sleep"
    ),
    truncation: int = option("Of the Fourier section.", min=1, default=63),
    fields: int = option("Of the Fourier section, all levels.", min=1, default=30),
    sets: str | None = option(
        "Of the ranks of the Fourier section, such as 1x4,2x2: a job each, and a table by V x W. By"
        " default 1xN.",
        "VxW[,VxW...]",
    ),
    way: str = option("Of the Fourier section: analysis or synthesis.", default="analysis"),
    step: bool = flag("Measure what transforms take of a step of the spectral model, too.", "--step"),
    groups: str = option("Into which fields are cut.", "N[,N...]", default="1,2,3,4,5,6,7,8"),
    methods: list[str] | None = option(
        "May be repeated. By default isend_irecv and ialltoallv.", None, "--method"
    ),
    progress: list[str] | None = option(
        "none, poll or thread; may be repeated. By default all.", None, "--progress"
    ),
    cores: list[str] | None = option(
        "Of a thread: auto, shared, or numbers such as 3 or 2,3; may be repeated. By default auto.",
        None,
        "--core",
    ),
    naps: list[float] | None = option(
        "Of a thread from turn to turn [us], 0: it never sleeps; may be repeated. By default 200.",
        None,
        "--nap",
    ),
    trials: int = option("Whose mean counts.", min=1, default=5),
    auto: bool = flag("Tune it, too: what auto chooses, beside the best of the table.", "--auto"),
    plot: Path | None = option("Draw it all there, as .png, .pdf or .svg.", "FILE"),
    as_json: AsJson = False,
) -> None:
    """Measure how much of the communication hides behind computation, sleep or a spectral transform, by
    groups and progress, and by V x W sets of ranks."""
    from halcyon.cli.common import whole_numbers
    from halcyon_bench import overlap as bench
    from halcyon_bench.overlap_tables import report, summary
    from halcyon_bench.sections import Asleep

    plan = bench.Plan(
        whole_numbers("--groups", groups),
        methods or bench.METHODS,
        progress or bench.PROGRESS,
        cores or ("auto",),
        trials,
        naps or (bench.NAP_US,),
    )
    if section not in ("sleep", "fourier"):
        refuse(f"--section is '{section}'. Use sleep or fourier.")
    if "thread" not in plan.progress:
        refuse_given(context, _OF_THREAD, "of a thread. Give --progress thread, too.")
    if section == "fourier":
        refuse_given(context, _OF_SLEEP, "of sleep. Give --section sleep, or leave it out.")
        sections = bench.fourier(ranks, sets, truncation, fields, way)
        ratio = 0.0
    else:
        refuse_given(context, _OF_FOURIER, "of the Fourier section. Give --section fourier, too.")
        sections = [(ranks or bench.RANKS, Asleep(rank_bytes, sides=sides))]
    draw = drawing(plot, "halcyon_bench.pictures.overlap:overlap_plot")
    jobs = [bench.on_ranks(n, each, plan, ratio=ratio, step=step, auto=auto) for n, each in sections]
    typer.echo(json.dumps({"jobs": jobs, "summary": summary(jobs)}) if as_json else report(jobs))
    draw(jobs, summary(jobs))


@bench.command("wave_cost")
def wave_cost(
    ranks: int = n_ranks(default=1),
    level: int = option("Level of the uniform mesh.", min=2, max=8, default=5),
    repetitions: int = option("Of each part; the median counts.", min=1, default=15),
) -> None:
    """Measure what a step of the wave model costs, beside a copy of its spectra."""
    from halcyon.plan.probes.wave_cost import on_ranks, table

    typer.echo(table({ranks: on_ranks(ranks, level=level, repetitions=repetitions)}))


@bench.command("atmosphere_cost")
def atmosphere_cost(
    ranks: int = n_ranks(default=1),
    level: int = option("Level of the uniform mesh.", min=2, max=8, default=5),
    repetitions: int = option("Of four steps; the median counts.", min=1, default=5),
) -> None:
    """Measure what a step of the atmosphere costs, for each set of equations, beside STREAM's triad."""
    from halcyon.plan.probes.atmosphere_cost import SETS, Air, on_ranks, table

    airs = [Air(name, bits) for name in SETS for bits in (64, 32)]
    costs = {(air, ranks): on_ranks(ranks, air, level=level, repetitions=repetitions) for air in airs}
    typer.echo(table(costs))


@bench.command()
def order(
    mesh: str = option("G1..G10, or a name such as G8X4.", "MESH", default="G7"),
    levels: int = option("Of the fields.", min=1, default=30),
    orders: list[str] | None = option("May be repeated. By default all.", None, "--order"),
    repetitions: int = option("Of each order; the median counts.", min=1, default=5),
    patches: str | None = option(
        "Take a part of the mesh alone, one of so many that METIS makes, such as 60,4200.", "N[,N...]"
    ),
    plot: Path | None = option("Draw the costs of patches there.", "PNG"),
) -> None:
    """Measure what a stencil on edges and cells costs in each order of the cells."""
    from halcyon.cli.common import whole_numbers
    from halcyon.mesh.named import level_and_ratio
    from halcyon_bench import order as bench
    from halcyon_bench.bisection import bisected_mesh

    names = list(dict.fromkeys(orders or bench.NAMES))
    bench.require_known(names)
    level, ratio = level_and_ratio(mesh)
    how = {"names": names, "repetitions": repetitions}
    if patches is None:
        if plot is not None:
            refuse("--plot draws the costs of patches. Give --patches too.")
        typer.echo(bench.table(bench.stencil_cost(bisected_mesh(level, ratio), levels, **how)))
        return
    numbers = whole_numbers("--patches", patches)
    draw = drawing(plot, "halcyon_bench.pictures.patches:patches_plot")
    costs = bench.part_costs(mesh, numbers, levels, **how)
    typer.echo(bench.part_table(costs))
    draw({mesh: costs})


@bench.command()
def layout(
    level: int = option("Level of the uniform mesh.", min=1, max=10, default=7),
    levels: int = option("Of the fields.", min=1, default=30),
    repetitions: int = option("Of each layout; the median counts.", min=1, default=5),
) -> None:
    """Measure what a stencil costs by which index of fields is innermost, and with flat arrays or not."""
    from halcyon_bench.layouts import layout_cost, table

    typer.echo(table(layout_cost(level, levels, repetitions=repetitions)))


@bench.command()
def mesh(
    level: int = option("Finest level of the uniform meshes.", min=0, max=10, default=7),
    coarsest: int = option("Coarsest level.", min=0, max=10, default=5),
    tolerance: float = option("Mean move over the spacing at which points rest.", default=1e-6),
    plot: Path | None = option("Draw time and memory there.", "PNG"),
) -> None:
    """Measure what uniform meshes take, from nothing to a file and back."""
    from halcyon_bench.mesh_making import on_levels, table

    draw = drawing(plot, "halcyon_bench.pictures.growth:growth_plot")
    made = on_levels(range(min(coarsest, level), level + 1), tolerance=tolerance)
    typer.echo(table(made))
    draw(made)


@bench.command()
def io(
    mesh: str = option("G0..G10, or a name such as G8X4.", "MESH", default="G7"),
    levels: int = option("Of the field.", min=1, default=6),
    items: str = option("cells, or all: edges and vertices too.", default="cells"),
    order: str = option("Of the items in the file: shuffled or natural.", default="shuffled"),
    ranks: int = n_ranks(default=16),
    layouts: list[str] | None = option(
        "direct, 'groups of N', 'box of N', gather or auto; may be repeated. By default all.",
        None,
        "--layout",
    ),
    repetitions: int = option("Of each layout; the median counts.", min=1, default=5),
    folder: Path | None = option("Where files are written.", "DIR"),
    plot: Path | None = option("Draw the times there.", "PNG"),
) -> None:
    """Measure what writing and reading a field takes in each layout, on the disk of a folder."""
    from halcyon_bench.io_cases import Case
    from halcyon_bench.io_layouts import on_ranks, table
    from halcyon_bench.io_ways import way_names

    case = Case(mesh, levels, order, ranks, items)
    draw = drawing(plot, "halcyon_bench.pictures.io_layouts:layouts_plot")
    found = on_ranks(case, layouts or way_names(ranks), repetitions=repetitions, folder=folder)
    typer.echo(f"{case}\n{table(found)}")
    draw({str(case): found})


@bench.command()
def halo(
    level: int = option("Level of the uniform mesh.", min=2, max=10, default=6),
    layers: int = option("Of the halo.", min=1, default=1),
    numbers: int = option("At a cell.", min=1, default=30),
    dtype: str = option("float64 or float32.", default="float64"),
    fields: int = option("In one message.", min=1, default=1),
    ranks: int = n_ranks(default=2),
    methods: list[str] | None = option("May be repeated. By default all.", None, "--method"),
    repetitions: int = option("Of each method.", min=1, default=50),
) -> None:
    """Measure what a halo exchange takes by each method, beside a copy of what arrives."""
    from halcyon.halo import METHODS
    from halcyon_bench.halo_exchange import Case, on_ranks, table

    case = Case(level, layers, numbers, dtype, fields, ranks)
    found = on_ranks(case, methods or METHODS, repetitions=repetitions)
    typer.echo(f"{case}\n{table(found)}")
