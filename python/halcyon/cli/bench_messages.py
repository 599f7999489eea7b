"""`halcyon bench alltoall` and `overlap`: what messages of a transform cost, and what of it hides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli import bench_options as options

AsJson = Annotated[bool, options.as_json()]


def bench_alltoall(
    ranks: Annotated[int, options.ranks(2)] = 4,
    sizes: Annotated[
        str, typer.Option("--bytes", metavar="N[,N...]", help="Of a block.")
    ] = "8,512,4096,32768,262144",
    names: Annotated[
        list[str] | None,
        options.several(
            "--algorithm", "burst, bruck or ring-K; may be repeated. By default all, K by powers of two."
        ),
    ] = None,
    method: Annotated[str, typer.Option(help="By which their messages travel.")] = "isend_irecv",
    repetitions: Annotated[int, typer.Option(min=1, help="Of each; the best counts.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Measure what an all-to-all takes by each algorithm, beside MPI_Alltoallv."""
    from halcyon.cli.whole_numbers import whole_numbers
    from halcyon_bench.alltoall import Case, algorithms, on_ranks, table

    cases = [Case(ranks, size) for size in whole_numbers("--bytes", sizes)]
    found = on_ranks(cases, names or algorithms(ranks), method=method, repetitions=repetitions)
    typer.echo(json.dumps(found) if as_json else f"{ranks} ranks, {method}\n{table(cases, found)}")


_OF_FOURIER = {"truncation": "--truncation", "fields": "--fields", "sets": "--sets"}
_OF_FOURIER |= {"way": "--way", "step": "--step"}
_OF_SLEEP = {"rank_bytes": "--bytes", "ratio": "--ratio", "sides": "--sides"}
_OF_THREAD = {"cores": "--core", "naps": "--nap"}


def bench_overlap(
    context: typer.Context,
    ranks: Annotated[
        int | None, options.ranks(2, "MPI ranks; by default 4, or V W of --sets.", show_default=False)
    ] = None,
    rank_bytes: Annotated[
        int, typer.Option("--bytes", metavar="N", min=1, help="That a rank has of all groups.")
    ] = 4_000_000,
    ratio: Annotated[
        float, typer.Option(min=0.01, max=1000, help="Of the computation to the blocking communication.")
    ] = 1.5,
    sides: Annotated[int, typer.Option(min=1, max=2, help="1: groups come; 2: they leave, too.")] = 1,
    section: Annotated[
        str, typer.Option(help="sleep, or fourier: rows and wavenumbers of a spectral transform.")
    ] = "sleep",
    truncation: Annotated[int, typer.Option(min=1, help="Of the Fourier section.")] = 63,
    fields: Annotated[int, typer.Option(min=1, help="Of the Fourier section, all levels.")] = 30,
    sets: Annotated[
        str | None,
        typer.Option(
            metavar="VxW[,VxW...]",
            help="Of the ranks of the Fourier section, such as 1x4,2x2: a job each, and a table by V x W. By"
            " default 1xN.",
            show_default=False,
        ),
    ] = None,
    way: Annotated[str, typer.Option(help="Of the Fourier section: analysis or synthesis.")] = "analysis",
    step: Annotated[
        bool,
        typer.Option("--step", help="Measure what transforms take of a step of the spectral model, too."),
    ] = False,
    groups: Annotated[
        str, typer.Option(metavar="N[,N...]", help="Into which fields are cut.")
    ] = "1,2,3,4,5,6,7,8",
    methods: Annotated[
        list[str] | None,
        options.several("--method", "May be repeated. By default isend_irecv and ialltoallv."),
    ] = None,
    progress: Annotated[
        list[str] | None,
        options.several("--progress", "none, poll or thread; may be repeated. By default all."),
    ] = None,
    cores: Annotated[
        list[str] | None,
        options.several(
            "--core",
            "Of a thread: auto, shared, or numbers such as 3 or 2,3; may be repeated. By default auto.",
        ),
    ] = None,
    naps: Annotated[
        list[float] | None,
        options.several(
            "--nap",
            "Of a thread from turn to turn [us], 0: it never sleeps; may be repeated. By default 200.",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Whose mean counts.")] = 5,
    auto: Annotated[
        bool, typer.Option("--auto", help="Tune it, too: what auto chooses, beside the best of the table.")
    ] = False,
    figure: Annotated[
        Path | None, options.picture("--plot", "FILE", "Draw it all there, as .png, .pdf or .svg.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how much of the communication hides behind computation, sleep or a spectral transform, by
    groups and progress, and by V x W sets of ranks."""
    from halcyon.base import ConfigError
    from halcyon.cli import bench_overlap as overlap
    from halcyon.cli.whole_numbers import whole_numbers
    from halcyon_bench.overlap import METHODS, NAP_US, PROGRESS, Plan
    from halcyon_bench.sections import Asleep

    numbers = whole_numbers("--groups", groups)
    plan = Plan(
        numbers, methods or METHODS, progress or PROGRESS, cores or ("auto",), trials, naps or (NAP_US,)
    )
    if section not in ("sleep", "fourier"):
        raise ConfigError(f"--section is '{section}'. Use sleep or fourier.")
    if "thread" not in plan.progress:
        options.refuse_given(context, _OF_THREAD, "of a thread. Give --progress thread, too.")
    if section == "fourier":
        options.refuse_given(context, _OF_SLEEP, "of sleep. Give --section sleep, or leave it out.")
        jobs = overlap.fourier(ranks, sets, truncation, fields, way)
        return overlap.measure(jobs, plan, figure, as_json, step=step, auto=auto)
    options.refuse_given(context, _OF_FOURIER, "of the Fourier section. Give --section fourier, too.")
    count = ranks or overlap.RANKS
    jobs = [(count, Asleep(rank_bytes, sides=sides))]
    overlap.measure(jobs, plan, figure, as_json, ratio=ratio, auto=auto)
