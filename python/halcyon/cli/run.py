"""`halcyon run`: starts the ranks of a run, or is one of them."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from halcyon.cli.options import Overrides, argument, flag, option


def run(
    case: Path = argument("Case file (YAML).", "CASE", show_default=False),
    ranks: int | None = option("Number of MPI ranks; by default one per core.", "N", "-n", "--ranks"),
    output: Path | None = option("Folder of the results.", "DIR"),
    overrides: Overrides = None,
    resume: bool = flag("Continue from the newest restart file in the folder.", "--resume"),
    record: Path | None = option(
        "File of the recorded communication and computation, for a replay by `halcyon simulate`.", "FILE"
    ),
) -> None:
    """Run a case. Under mpirun or srun this process is one of its ranks.

    SIGTERM and SIGUSR1 stop a run cleanly: it writes a restart file and ends with exit code 75."""
    from halcyon.launch.mpirun import is_rank

    changes = _changes(overrides, output)
    if is_rank():
        from halcyon.run.stop import Stop

        stop = Stop()  # who asks a run to stop may do so while it imports what it needs
        from halcyon.run.rank import run_rank

        raise typer.Exit(run_rank(case, changes, ranks, resume=resume, record=record, draw=_draw, stop=stop))
    from halcyon.run.launcher import launch

    raise typer.Exit(launch(case, ranks=ranks, overrides=changes, resume=resume, record=record))


def _changes(overrides: list[str] | None, output: Path | None) -> list[str]:
    changes = list(overrides or [])
    if output is not None:
        changes.append(f"output.folder={json.dumps(str(output.absolute()), ensure_ascii=False)}")
    return changes


def _draw(folder: Path) -> list[Path]:
    """The pictures of a run; only where they are drawn is matplotlib loaded."""
    from halcyon.plot import draw_run

    return draw_run(folder)
