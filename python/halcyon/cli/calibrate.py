"""`halcyon calibrate` and `halcyon predict`: on the ranks of a job, or starting one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from halcyon.cli.options import AsJson, flag, option

Ranks = Annotated[
    int | None,
    option("Number of MPI ranks, at least 2; by default one per core.", "N", "-n", "--ranks", default=...),
]


def calibrate(
    output: Path = option("Machine file to write.", "FILE", default=Path("machine.yaml")),
    ranks: Ranks = None,
    budget: float = option(
        "Time budget of each of the 20 to 60 measurements.", "SECONDS", min=0.001, default=0.1
    ),
    as_json: bool = flag("Print the machine file as JSON instead of a table.", "--json"),
) -> None:
    """Measure latency, overhead, bandwidth and contention of this machine, and write a machine file.

    Under mpirun or srun this process is one of the ranks; their nodes are found, and a network is measured
    where there are several."""
    from halcyon.calibrate.rank import require_number
    from halcyon.launch.output_file import output_file

    require_number("-n", ranks, 2)
    file = output_file(output)

    def work(comm: Any) -> None:
        from halcyon.calibrate.machine_file import quality, write_machine
        from halcyon.calibrate.rank import calibrated

        options = calibrated(comm, say=(lambda text: None) if as_json else typer.echo, budget_s=budget)
        if comm.rank == 0:
            write_machine(file, options)
            typer.echo(json.dumps(options) if as_json else f"machine    {file}\n{quality(options)}")

    _on_ranks(work, ranks, ["calibrate", "--output", str(file), "--budget", str(budget)], as_json)


def predict(
    machine: str = option("Machine file, or name of a machine.", "FILE", default="machine.yaml"),
    ranks: Ranks = None,
    budget: float = option("Time budget of each schedule.", "SECONDS", min=0.001, default=0.3),
    as_json: AsJson = False,
) -> None:
    """Compare simulated communication times with measured ones, and print the errors.

    Halo exchanges, all-to-alls and allreduces are run with MPI and simulated on the machine of the file."""
    from halcyon.calibrate.rank import require_number
    from halcyon.config.load_machine import load_machine

    require_number("-n", ranks, 2)
    load_machine(machine)

    def work(comm: Any) -> None:
        from halcyon.calibrate.predict import compared, table

        found = compared(comm, load_machine(machine), budget_s=budget)
        if comm.rank == 0:
            typer.echo(json.dumps(found) if as_json else table(found))

    _on_ranks(work, ranks, ["predict", "--machine", machine, "--budget", str(budget)], as_json)


def _on_ranks(work: Callable[[Any], None], ranks: int | None, words: list[str], as_json: bool) -> None:
    """Does the work as a rank, or starts as many that do what the words say; ends with the exit code."""
    from halcyon.calibrate.rank import launched, on_ranks, warn_of_crowding
    from halcyon.launch.mpirun import default_ranks, is_rank

    if not is_rank():
        words += ["--json"] if as_json else []
        raise typer.Exit(launched(ranks or max(2, default_ranks()), words))

    def warned(comm: Any) -> None:
        warn_of_crowding(comm, lambda text: typer.echo(text, err=True))
        work(comm)

    raise typer.Exit(on_ranks(warned))
