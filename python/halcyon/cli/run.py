"""`halcyon run`: starts the ranks of a run, or runs as one of them."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from halcyon.cli.options import Overrides, argument, flag, option, reject


def run(
    case: Path = argument("Case file (YAML).", "CASE", show_default=False),
    ranks: int | None = option("Number of MPI ranks; by default one per core.", "N", "-n", "--ranks"),
    output: Path | None = option("Output folder.", "DIR"),
    overrides: Overrides = None,
    resume: bool = flag("Resume from the newest restart file in the output folder.", "--resume"),
    overwrite: bool = flag("Replace the results of another run in the output folder.", "--overwrite"),
    record: Path | None = option(
        "File for a record of all messages and computation times, which `halcyon simulate` can replay.",
        "FILE",
    ),
) -> None:
    """Run a case. Under mpirun or srun, this process is one of the ranks.

    On SIGTERM, SIGUSR1 and Ctrl-C a run writes a restart file and stops, with exit code 75 (Ctrl-C: 130)."""
    from halcyon.launch.mpirun import is_rank, require_open_files
    from halcyon.launch.standard_output import tolerate_output_errors

    if resume and overwrite:
        reject("--resume continues the run that --overwrite would replace. Give only one of them.")
    changes = _changes(overrides, output)
    with tolerate_output_errors("The run continues; its messages are in log.txt of the output folder."):
        if is_rank():
            from halcyon.run.stop import StopRequest

            require_open_files(1)  # mpirun has already opened its own
            stop = StopRequest()  # before the slow imports, so that no signal is lost
            from halcyon.run.rank import run_rank

            code = run_rank(
                case, changes, ranks, resume=resume, overwrite=overwrite, record=record, draw=_draw, stop=stop
            )
        else:
            from halcyon.run.launcher import launch

            code = launch(
                case, ranks=ranks, overrides=changes, resume=resume, overwrite=overwrite, record=record
            )
    raise typer.Exit(code)


def _changes(overrides: list[str] | None, output: Path | None) -> list[str]:
    changes = list(overrides or [])
    if output is not None:
        changes.append(f"output.folder={json.dumps(str(output.absolute()), ensure_ascii=False)}")
    return changes


def _draw(folder: Path) -> list[Path]:
    """Draws the pictures of a run. Imports matplotlib only if needed."""
    from halcyon.plot import draw_run

    return draw_run(folder)
