"""`halcyon calibrate` and `halcyon predict`: measurements on the ranks of this or a new job."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from halcyon.cli.options import AsJson, flag, option

Ranks = Annotated[
    int | None,
    option("Number of MPI ranks [default: one per core, at least 2].", "N", "-n", "--ranks", default=...),
]


def calibrate(
    output: Path = option("Machine file to write.", "FILE", default=Path("machine.yaml")),
    ranks: Ranks = None,
    budget: float = option("Time for each of some 20 to 60 measurements.", "SECONDS", min=0.001, default=0.1),
    busy: bool = flag("Write the machine file although other load disturbed the measurements.", "--busy"),
    as_json: bool = flag("Print the machine file as JSON instead of a table.", "--json"),
) -> None:
    """Measure this machine's network, and write a machine file.

    Measures latency, overhead, bandwidth and contention. Under mpirun or srun, this process is one of the
    ranks. The network between nodes is measured if the ranks run on several nodes.

    If other processes disturb the measurements, no machine file is written (exit code 3)."""
    from halcyon.calibrate.rank import require_rank_count
    from halcyon.launch.output_file import output_file

    require_rank_count("-n", ranks, 2)
    file = output_file(output)

    def work(comm: Any) -> None:
        from halcyon.calibrate.machine_file import quality, write_machine
        from halcyon.calibrate.rank import measure_machine

        options = measure_machine(
            comm,
            report=(lambda text: None) if as_json else typer.echo,
            budget_s=budget,
            accepts_busy=busy,
        )
        if comm.rank == 0:
            write_machine(file, options)
            typer.echo(json.dumps(options) if as_json else f"machine    {file}\n{quality(options)}")

    words = ["calibrate", "--output", str(file), "--budget", str(budget), *(["--busy"] if busy else [])]
    _on_ranks(work, ranks, words, as_json)


def predict(
    machine: str = option("Machine file, or name of a machine.", "FILE", default="machine.yaml"),
    ranks: Ranks = None,
    budget: float = option("Time for the runs of each schedule.", "SECONDS", min=0.001, default=0.3),
    as_json: AsJson = False,
) -> None:
    """Compare simulated communication times with measured ones.

    Halo exchanges, all-to-alls and allreduces are executed by MPI, and simulated on the given machine."""
    from halcyon.calibrate.rank import require_rank_count
    from halcyon.config.load_machine import load_machine

    require_rank_count("-n", ranks, 2)
    load_machine(machine)

    def work(comm: Any) -> None:
        from halcyon.calibrate.predict import compare, table

        comparison = compare(comm, load_machine(machine), budget_s=budget)
        if comm.rank == 0:
            typer.echo(json.dumps(comparison) if as_json else table(comparison))

    _on_ranks(work, ranks, ["predict", "--machine", machine, "--budget", str(budget)], as_json)


def _on_ranks(work: Callable[[Any], None], ranks: int | None, words: list[str], as_json: bool) -> None:
    """Runs `work` if this process is a rank, else launches ranks with the arguments `words`; then exits with
    the exit code."""
    from halcyon.calibrate.rank import launch_ranks, run_on_ranks, warn_of_oversubscription
    from halcyon.launch.mpirun import default_ranks, is_rank

    if not is_rank():
        words += ["--json"] if as_json else []
        raise typer.Exit(launch_ranks(ranks or max(2, default_ranks()), words))

    def warn_and_work(comm: Any) -> None:
        warn_of_oversubscription(comm, lambda text: typer.echo(text, err=True))
        work(comm)

    raise typer.Exit(run_on_ranks(warn_and_work))
