"""`halcyon run`: starts the ranks of a run, or runs as one of them. `halcyon record`: records the MPI calls
of any program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from halcyon.cli.options import Overrides, argument, flag, option, reject

if TYPE_CHECKING:
    from halcyon.schedule.trace import Trace

_VARIABLES = ("LD_PRELOAD", "HALCYON_RECORD", "HALCYON_RECORD_CLOCK")  # of the recorder


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


def record(
    command: list[str] = argument(
        "Command that starts the program, after two hyphens.", "COMMAND", show_default=False
    ),
    output: Path = option("Folder of the recording.", "FOLDER", "-o", "--output", default=Path("recording")),
    clock: str = option(
        "Clock of computation times: wall, or cpu if more ranks than cores run.", "CLOCK", default="wall"
    ),
    overwrite: bool = flag("Replace the recording in the folder.", "--overwrite"),
    library: Path | None = option(
        "Recorder built for the program's MPI, if this is another one than Halcyon's.", "FILE"
    ),
) -> None:
    """Record the MPI calls of an unmodified program, one file per rank.

    The program uses MPI through C or Fortran, or a language that calls these, such as Python. `halcyon
    describe trace FOLDER` summarizes the recording; `halcyon simulate` replays it (workload: {type: replay,
    file: FOLDER}). The exit code is that of the command."""
    from halcyon.schedule.trace.recording import files_of

    if clock not in ("wall", "cpu"):
        reject(f"--clock {clock}: there is no such clock. Give wall or cpu.")
    if shutil.which(command[0]) is None:
        reject(
            f"{command[0]} was not found. Give a command, such as: halcyon record -- mpirun -n 8 ./program"
        )
    if output.exists() and not output.is_dir():
        reject(f"{output} is a file. Give the name of a folder.")
    if files_of(output) and not overwrite:
        reject(f"{output} has a recording. Give another folder, or --overwrite.")
    preloaded = _recorder(library)
    for file in files_of(output):
        file.unlink()
    output.mkdir(parents=True, exist_ok=True)
    others = os.environ.get("LD_PRELOAD", "")
    environment = dict(
        os.environ,
        LD_PRELOAD=f"{preloaded} {others}".strip(),
        HALCYON_RECORD=str(output.absolute()),
        HALCYON_RECORD_CLOCK=clock,
    )
    code = subprocess.run(_with_variables(command), env=environment).returncode
    if code == 0:
        _report(output)
    raise typer.Exit(code if code >= 0 else 128 - code)


def _recorder(library: Path | None) -> Path:
    from halcyon import _core

    path = (library or Path(_core.__file__).with_name("libhalcyon_record.so")).absolute()
    if not path.is_file():
        reject(f"{path} does not exist. Give --library a recorder, or build Halcyon again.")
    return path


def _with_variables(command: list[str]) -> list[str]:
    """The command; mpirun of Open MPI passes the variables also to other hosts."""
    if Path(command[0]).name.split(".")[0] not in ("mpirun", "mpiexec", "orterun"):
        return command
    version = subprocess.run([command[0], "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in version and "OpenRTE" not in version:
        return command
    return [command[0], *(word for name in _VARIABLES for word in ("-x", name)), *command[1:]]


def _report(folder: Path) -> None:
    from halcyon.base import RunError, format_bytes
    from halcyon.schedule.trace.recording import files_of

    files = files_of(folder)
    if not files:
        raise RunError(
            "No rank was recorded. The command must start a program that is dynamically linked with the MPI "
            "that Halcyon was built with; for another MPI, give --library a recorder built with it."
        )
    size = format_bytes(sum(file.stat().st_size for file in files))
    typer.echo(f"recorded {len(files)} ranks in {folder}, {size}", err=True)


def print_summary(trace: Trace, as_json: bool) -> None:
    """Prints the ranks, calls, bytes and times of a trace."""
    from halcyon.base import format_bytes, format_seconds, printable
    from halcyon.schedule.trace import summary

    counted = summary(trace)
    computing, calling = counted.compute_s, counted.call_s
    if as_json:
        values = {
            "file": trace.source,
            "format": trace.format,
            "library": trace.library,
            "ranks": counted.ranks,
            "communicators": len(trace.communicators),
            "calls": counted.calls,
            "messages": counted.messages,
            "bytes": counted.bytes,
            "collective_bytes": counted.collective_bytes,
            "compute_s": computing.tolist(),
            "call_s": calling.tolist(),
            "notes": trace.notes,
        }
        typer.echo(json.dumps(values))
        return
    typer.echo(printable(f"{trace.source}: {trace.format}, {counted.ranks} ranks"))
    if trace.library:
        typer.echo(printable(f"  MPI library         {trace.library}"))
    typer.echo(f"  communicators       {len(trace.communicators)}")
    typer.echo(f"  messages            {counted.messages:,}, {format_bytes(counted.bytes)}")
    typer.echo(f"  in collectives      {format_bytes(counted.collective_bytes)} contributed by the ranks")
    for label, times in (("computation", computing), ("MPI calls", calling)):
        spread = f"{format_seconds(times.min())} to {format_seconds(times.max())}"
        typer.echo(f"  {label:<20}{format_seconds(times.mean())} per rank ({spread})")
    typer.echo("calls:")
    for name, count in sorted(counted.calls.items(), key=lambda item: -item[1]):
        typer.echo(f"  {name:<28}{count:>12,}")
    for note in trace.notes:
        typer.echo(printable(f"note: {note}"))
