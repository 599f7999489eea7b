"""`halcyon ensemble`: runs of a case as an ensemble, and their statistics."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import typer

from halcyon.cli.options import Overrides, argument, flag, option, reject


def ensemble(
    case: Path = argument("Case file (YAML).", "CASE", show_default=False),
    members: int | None = option("Number of members; by default all, or 20 of a perturbed track.", "N"),
    kind: str | None = option("Kind of the members: auto, gridded, techniques or perturbed.", "KIND"),
    ranks: int | None = option(
        "Number of MPI ranks of each member; by default one if members run at once on all cores.",
        "N",
        "-n",
        "--ranks",
    ),
    at_once: int | None = option(
        "Number of members that run at a time; by default as many as there are cores, or ranks of mpirun or"
        " srun.",
        "N",
    ),
    output: Path | None = option("Folder of the ensemble; by default the case's name with .ens.", "DIR"),
    overrides: Overrides = None,
    quantiles: str | None = option("Quantiles of the members; by default 0.1,0.5,0.9.", "Q,..."),
    exceeding: list[str] | None = option(
        "Threshold whose probability is computed, such as significant_height=4; repeatable.", "NAME=VALUE"
    ),
    overwrite: bool = flag("Replace the results of finished members.", "--overwrite"),
) -> None:
    """Run a case as an ensemble: the members in the files of the wind, the techniques of an a-deck, or a
    track perturbed by statistics of forecast errors.

    Members that are finished are not run again; a second call continues the others. On SIGTERM, SIGUSR1 and
    Ctrl-C the members write restart files and stop, with exit code 75 (Ctrl-C: 130). Under mpirun or srun,
    this process is one of the ranks, which are divided among the members."""
    from halcyon.launch.mpirun import is_rank, require_open_files
    from halcyon.launch.standard_output import tolerate_output_errors

    changes = [*(overrides or ()), *_changes(members, kind, quantiles, exceeding or ())]
    with tolerate_output_errors("The runs continue."):
        if is_rank():
            from halcyon.run.stop import StopRequest

            require_open_files(1)  # mpirun has already opened its own
            stop = StopRequest()  # before the slow imports, so that no signal is lost
            from halcyon.run.ensemble.plan import EnsembleArguments
            from halcyon.run.ensemble.ranks import run_ensemble_rank

            arguments = EnsembleArguments(case, changes, output, ranks, at_once, overwrite)
            code = run_ensemble_rank(arguments, _draw, stop)
        else:
            from halcyon.run.ensemble.launcher import launch_ensemble
            from halcyon.run.ensemble.plan import EnsembleArguments

            arguments = EnsembleArguments(case, changes, output, ranks, at_once, overwrite)
            program = [sys.executable, "-P", "-m", "halcyon", *sys.argv[1:]]
            code = launch_ensemble(arguments, program, _draw)
    raise typer.Exit(code)


def _changes(
    members: int | None, kind: str | None, quantiles: str | None, exceeding: Iterable[str]
) -> list[str]:
    """The overrides of the case, from the options of the command."""
    changes = [] if members is None else [f"ensemble.members={members}"]
    changes += [] if kind is None else [f"ensemble.kind={kind}"]
    changes += [] if quantiles is None else [f"ensemble.quantiles=[{quantiles}]"]
    thresholds: dict[str, list[float]] = {}
    for text in exceeding:
        name, _, value = text.partition("=")
        try:
            thresholds.setdefault(name.strip(), []).append(float(value))
        except ValueError:
            reject(f"--exceeding {text}: give a variable and a number, such as significant_height=4.")
    return changes + ([f"ensemble.exceeding={json.dumps(thresholds)}"] if thresholds else [])


def _draw(folder: Path) -> list[Path]:
    """Draws the pictures of an ensemble. Imports matplotlib only if needed."""
    from halcyon.plot import draw_ensemble

    return draw_ensemble(folder)
