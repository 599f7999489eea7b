"""`halcyon calibrate` and `halcyon predict`: on the ranks of a job, or starting one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from halcyon.calibrate.rank import launched, on_ranks, require_number
from halcyon.cli.output_file import output_file
from halcyon.run.launcher import default_ranks
from halcyon.run.rank import is_rank


def calibrate(output: Path, ranks: int | None, budget_s: float) -> None:
    """Writes a machine file. Ends with an exit code other than 0 where that failed."""
    require_number("-n", ranks, 2)
    file = output_file(output)
    if not is_rank():
        words = ["calibrate", "--output", str(file), "--budget", str(budget_s)]
        raise typer.Exit(launched(ranks or max(2, default_ranks()), words))

    def work(comm: Any) -> None:
        from halcyon.calibrate.machine_file import write_machine
        from halcyon.calibrate.rank import calibrated

        options = calibrated(comm, say=typer.echo, budget_s=budget_s)
        if comm.rank == 0:
            write_machine(file, options)
            error = options["measured"]["error"]
            typer.echo(
                f"machine    {file}\n"
                f"simulated against measured: {100 * error['median']:.0f} % off at the median, "
                f"{100 * error['percentile_95']:.0f} % at the 95th percentile"
            )

    raise typer.Exit(on_ranks(work))


def predict(machine: str, ranks: int | None, budget_s: float, *, as_json: bool) -> None:
    """Prints what schedules take here and what they take simulated."""
    from halcyon.config.load_machine import load_machine

    require_number("-n", ranks, 2)
    load_machine(machine)
    if not is_rank():
        words = ["predict", "--machine", machine, "--budget", str(budget_s), *(["--json"] if as_json else [])]
        raise typer.Exit(launched(ranks or max(2, default_ranks()), words))

    def work(comm: Any) -> None:
        from halcyon.calibrate.predict import compared, table

        found = compared(comm, load_machine(machine), budget_s=budget_s)
        if comm.rank == 0:
            typer.echo(json.dumps(found) if as_json else table(found))

    raise typer.Exit(on_ranks(work))
