"""`halcyon calibrate` and `halcyon predict`: on the ranks of a job, or starting one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from halcyon.calibrate.rank import launched, on_ranks, require_number
from halcyon.launch.mpirun import default_ranks, is_rank
from halcyon.launch.output_file import output_file


def calibrate(output: Path, ranks: int | None, budget_s: float, *, as_json: bool) -> None:
    """Writes a machine file, and prints what was measured, or the file as JSON. Ends with an exit code other
    than 0 where that failed."""
    require_number("-n", ranks, 2)
    file = output_file(output)
    if not is_rank():
        words = ["calibrate", "--output", str(file), "--budget", str(budget_s)]
        words += ["--json"] if as_json else []
        raise typer.Exit(launched(ranks or max(2, default_ranks()), words))

    def work(comm: Any) -> None:
        from halcyon.calibrate.machine_file import quality, write_machine
        from halcyon.calibrate.rank import calibrated, warn_of_crowding

        warn_of_crowding(comm, _complain)
        say = _nothing if as_json else typer.echo
        options = calibrated(comm, say=say, budget_s=budget_s)
        if comm.rank == 0:
            write_machine(file, options)
            typer.echo(json.dumps(options) if as_json else f"machine    {file}\n{quality(options)}")

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
        from halcyon.calibrate.rank import warn_of_crowding

        warn_of_crowding(comm, _complain)
        found = compared(comm, load_machine(machine), budget_s=budget_s)
        if comm.rank == 0:
            typer.echo(json.dumps(found) if as_json else table(found))

    raise typer.Exit(on_ranks(work))


def _complain(text: str) -> None:
    typer.echo(text, err=True)


def _nothing(text: str) -> None:
    pass
