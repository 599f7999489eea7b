"""`halcyon bench alltoall` and `overlap`: what messages of a transform cost, and what of it hides."""

from __future__ import annotations

import json
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Ranks = Annotated[int, typer.Option("-n", "--ranks", metavar="N", min=2, help="MPI ranks.")]


def bench_alltoall(
    ranks: Ranks = 4,
    sizes: Annotated[
        str, typer.Option("--bytes", metavar="N[,N...]", help="Of a block.")
    ] = "8,512,4096,32768,262144",
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            help="burst, bruck or ring-K; may be repeated. By default all, K by powers of two.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[str, typer.Option(help="By which their messages travel.")] = "isend_irecv",
    repetitions: Annotated[int, typer.Option(min=1, help="Of each; the best counts.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Measure what an all-to-all takes by each algorithm, beside MPI_Alltoallv."""
    from halcyon.bench.alltoall import Case, algorithms, on_ranks, table
    from halcyon.cli.whole_numbers import whole_numbers

    cases = [Case(ranks, size) for size in whole_numbers("--bytes", sizes)]
    found = on_ranks(cases, names or algorithms(ranks), method=method, repetitions=repetitions)
    typer.echo(json.dumps(found) if as_json else f"{ranks} ranks, {method}\n{table(cases, found)}")


def bench_overlap(
    ranks: Ranks = 4,
    rank_bytes: Annotated[
        int, typer.Option("--bytes", metavar="N", min=1, help="That a rank has of all groups.")
    ] = 4_000_000,
    ratio: Annotated[
        float, typer.Option(min=0.01, help="Of the computation to the blocking communication.")
    ] = 1.5,
    sides: Annotated[int, typer.Option(min=1, max=2, help="1: groups come; 2: they leave, too.")] = 1,
    section: Annotated[
        str, typer.Option(help="sleep, or fourier: rows and wavenumbers of a spectral transform.")
    ] = "sleep",
    truncation: Annotated[int, typer.Option(min=1, help="Of the Fourier section.")] = 63,
    fields: Annotated[int, typer.Option(min=1, help="Of the Fourier section, all levels.")] = 30,
    sets: Annotated[
        str | None,
        typer.Option(metavar="VxW", help="Of its ranks, such as 2x2; by default 1xN.", show_default=False),
    ] = None,
    way: Annotated[str, typer.Option(help="Of the Fourier section: analysis or synthesis.")] = "analysis",
    groups: Annotated[
        str, typer.Option(metavar="N[,N...]", help="Into which fields are cut.")
    ] = "1,2,3,4,5,6,7,8",
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            help="May be repeated. By default isend_irecv and ialltoallv.",
            show_default=False,
        ),
    ] = None,
    progress: Annotated[
        list[str] | None,
        typer.Option(help="none, poll or thread; may be repeated. By default all.", show_default=False),
    ] = None,
    core: Annotated[
        str, typer.Option(help="Of a thread: auto, shared, or numbers such as 3 or 2,3.")
    ] = "auto",
    trials: Annotated[int, typer.Option(min=1, help="Whose mean counts.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Measure how much of the communication hides behind computation, sleep or a spectral transform, by
    groups and progress."""
    from halcyon.base import ConfigError
    from halcyon.bench.overlap import METHODS, PROGRESS, Plan, on_ranks, table
    from halcyon.bench.sections import Asleep, Fourier
    from halcyon.cli.whole_numbers import whole_numbers

    plan = Plan(whole_numbers("--groups", groups), methods or METHODS, progress or PROGRESS, core, trials)
    if section == "sleep":
        found = on_ranks(ranks, Asleep(rank_bytes, sides=sides), plan, ratio=ratio)
    elif section == "fourier":
        rows = 2 * ((3 * truncation + 4) // 4)  # of a quadratic grid
        found = on_ranks(ranks, Fourier(truncation, rows, fields, _counts(sets), way), plan)
    else:
        raise ConfigError(f"--section is '{section}'. Use sleep or fourier.")
    typer.echo(json.dumps(found) if as_json else table(found))


def _counts(sets: str | None) -> tuple[int, int] | None:
    """V and W of "VxW"."""
    from halcyon.base import ConfigError

    if sets is None:
        return None
    v, _, w = sets.partition("x")
    if not (v.isdecimal() and w.isdecimal()):
        raise ConfigError(f"--sets is '{sets}'. Give V and W, such as 2x2.")
    return int(v), int(w)
