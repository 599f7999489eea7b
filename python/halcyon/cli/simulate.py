"""`halcyon simulate`: runs the simulations of a case, and prints, stores and draws their results."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import AsJson, Overrides, argument, flag, option, reject

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import SweepPoint
    from halcyon.simulate.many import OnResult

RESUME_HINT = "Completed simulations are kept; repeat the command to continue."  # after an interruption


def simulate(
    case: Path = argument("Case file (YAML) of a simulation.", "CASE", show_default=False),
    output: Path | None = option("Folder of the results [default: CASE.out].", "DIR"),
    overrides: Overrides = None,
    workers: int | None = option(
        "Number of simultaneous simulations [default: one per core].", "N", "-j", "--workers", min=1
    ),
    fresh: bool = flag("Ignore cached results.", "--fresh"),
    picture: bool = option("Figure of the results.", default=True),
    as_json: AsJson = False,
) -> None:
    """Simulate the communication of many ranks on a network.

    Results go into DIR: results.nc, with the full results of a single simulation, or the times of several,
    and a picture. Completed simulations are cached, so that an interrupted command continues when it is
    repeated."""
    from halcyon.launch.interrupt import exit_on_interrupt
    from halcyon.launch.standard_output import tolerate_output_errors

    advice = "The results will be in the output folder."
    with exit_on_interrupt(RESUME_HINT), nullcontext() if as_json else tolerate_output_errors(advice):
        _simulate(case, overrides or [], output, workers, fresh, picture, as_json)


def _simulate(
    path: Path,
    overrides: Sequence[str],
    output: Path | None,
    workers: int | None,
    fresh: bool,
    picture: bool,
    as_json: bool,
) -> None:
    from halcyon.base import printable
    from halcyon.config.points import load_simulation
    from halcyon.launch.output_file import output_file
    from halcyon.simulate.many import simulate_all
    from halcyon.simulate.repetitions import combined
    from halcyon.simulate.results import table

    points = load_simulation(path, overrides)
    folder = results_folder(output or path.with_suffix(".out"))
    files = {"results": output_file(folder / "results.nc", [path])}
    if picture:
        name, draw = _picture(points)
        files["picture"] = output_file(folder / name, [path])

    def warn(text: str) -> None:
        typer.echo(printable(f"warning: {text}"), err=True)

    with progress(len(points), quiet=as_json) as on_result:
        results = simulate_all(points, workers=workers, fresh=fresh, on_result=on_result, warn=warn)
    points, results = combined(points, results)
    write_results(files["results"], results[0] if len(results) == 1 else table(points, results))
    if picture:
        draw(files["picture"], points, results)
    if as_json:
        typer.echo(json.dumps(_document(path, points, results, files)))
    else:
        print_results(points, results)
        for name, file in files.items():
            typer.echo(f"{name:<10} {file}")


def _picture(points: Sequence[SweepPoint]) -> tuple[str, Callable[..., None]]:
    """The file name of a case's picture, and the function that draws it. Raises ConfigError if it
    cannot be drawn."""
    if points[0].case.picture.kind == "network":
        from halcyon.plot.network_page import page

        page.require_drawable(points)
        return "network.html", page.network_page
    from halcyon.plot import simulation

    simulation.require_drawable(points)
    return "picture.png", simulation.simulation_plot


def write_results(path: Path, data: xr.Dataset) -> None:
    """Writes results atomically. Raises RunError if they cannot be written."""
    from halcyon.base import RunError
    from halcyon.simulate.cache import write

    try:
        write(path, data)
    except RunError as error:
        raise RunError(f"{error} Give another folder by --output. Simulations are cached.") from None


def results_folder(path: Path) -> Path:
    """Makes the folder of results. Raises ConfigError if it cannot be made or written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reject(f"--output {path}: {error.strerror}. Choose another folder.")
    if not os.access(path, os.W_OK | os.X_OK):
        reject(f"--output {path} cannot be written to. Choose another folder.")
    return path


@contextmanager
def progress(total: int, *, quiet: bool) -> Iterator[OnResult | None]:
    """Shows progress: a bar on a terminal, else a line per simulation; nothing for a single one."""
    if quiet or total == 1:
        yield None
    elif sys.stdout.isatty():
        from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        bar_column = Progress.get_default_columns()[1]
        columns = bar_column, MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}")
        with Progress(*columns, transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda point, data, cached: bar.update(task, advance=1, description=_label(point))
    else:
        yield _line


def _label(point: SweepPoint) -> str:
    """The label of a simulation, with the seed of a repetition."""
    from halcyon.plot.point_names import label_of

    seed = f"seed {point.case.engine.seed}" if point.case.repetitions > 1 else ""
    return ", ".join(filter(None, [label_of(point), seed]))


def _line(point: SweepPoint, data: xr.Dataset, cached: bool) -> None:
    from halcyon.base import format_seconds, printable

    cost = "cached" if cached else f"{format_seconds(data['cpu_time'].item())} of CPU time"
    approximate = ", approximate" if data.attrs["approximate"] else ""
    lower_bound_s = max(data[f"{name}_bound"].item() for name in ("injection", "ejection", "link"))
    bound = f"lower bound {format_seconds(lower_bound_s)}"
    label = printable(_label(point))
    typer.echo(f"{label}: {format_seconds(data['time'].item())}, {bound}{approximate}  ({cost})")


def _document(
    path: Path, points: Sequence[SweepPoint], results: Sequence[xr.Dataset], files: dict[str, Path]
) -> dict[str, Any]:
    from halcyon.simulate.results import SCALARS

    names = ("topology", "routing", "machine", "fidelity", "approximate")
    runs = []
    for point, data in zip(points, results, strict=True):
        scalars = {name: data[name].item() for name in SCALARS}
        stages = {name: data[f"stage_{name}"].values.tolist() for name in ("first", "mean", "last")}
        runs.append(
            {"series": point.series, "swept": dict(point.swept)}
            | {name: data.attrs[name] for name in names}
            | {"ranks": int(data.attrs["ranks"])}
            | ({"times": data["times"].values.tolist()} if "times" in data else {})
            | {name: None if math.isnan(value) else value for name, value in scalars.items()}
            | {
                "stages": [
                    dict(zip(stages, ends, strict=True)) for ends in zip(*stages.values(), strict=True)
                ]
            }
        )
    return {
        "case": str(path),
        "files": {name: str(file) for name, file in files.items()},
        "simulations": runs,
    }


def print_results(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> None:
    """Prints times, lower bounds, delays, the chunk-size error if it was estimated, and which results are
    approximate."""
    from halcyon.base import format_seconds
    from halcyon.cli.common import print_table
    from halcyon.plot.point_names import LABELS, value_text
    from halcyon.simulate.repetitions import spread_of

    reasons = list(dict.fromkeys(filter(None, (data.attrs["approximate"] for data in results))))
    columns: dict[str, list[str]] = {}
    if any(point.series for point in points):
        columns["series"] = [point.series for point in points]
    for key in points[0].swept:
        if key != "ranks":
            columns[LABELS.get(key, key)] = [value_text(key, point.swept[key]) for point in points]
    columns["ranks"] = [f"{data.attrs['ranks']:,}" for data in results]
    columns["time"] = [format_seconds(data["time"].item()) for data in results]
    if "times" in results[0]:
        spreads: list[Any] = [spread_of(data) for data in results]
        columns["least time"] = [format_seconds(least) for least, _ in spreads]
        columns["greatest"] = [format_seconds(greatest) for _, greatest in spreads]
    names = ("injection_bound", "ejection_bound", "link_bound", "delay_mean", "delay_max")
    columns |= {
        name.replace("_", " "): [format_seconds(data[name].item()) for data in results] for name in names
    }
    if any(data["file_time"].item() > 0 for data in results):
        columns["file"] = [format_seconds(data["file_time"].item()) for data in results]
    errors = [data["chunk_error"].item() for data in results]
    if not all(map(math.isnan, errors)):
        columns["chunk error"] = ["" if math.isnan(part) else f"{100 * part:+.2g} %" for part in errors]
    if reasons:
        marks = {reason: f"yes ({number})" for number, reason in enumerate(reasons, 1)}
        columns["approximate"] = [marks.get(data.attrs["approximate"], "no") for data in results]
    for number, reason in enumerate(reasons, 1):
        typer.echo(f"approximate ({number}): {reason}")
    for text in dict.fromkeys(filter(None, (data.attrs.get("expected_error") for data in results))):
        typer.echo(text)
    if len(points) == 1:
        _print_one(results[0])
    print_table(list(columns), list(zip(*columns.values(), strict=True)))


def _print_one(data: xr.Dataset) -> None:
    from halcyon.base import format_seconds

    attributes = data.attrs
    typer.echo(
        f"{attributes['topology']}, {attributes['routing']}, machine {attributes['machine']}, "
        f"{attributes['fidelity']}"
        + (f" of {data['chunk_bytes'].item():,} bytes" if data["chunk_bytes"] > 0 else "")
        + (", approximate" if attributes["approximate"] else "")
    )
    if "file_part_time" in data:
        parts = zip(data["file_part"].values, data["file_part_time"].values, strict=True)
        listed = ", ".join(f"{name.replace('_', ' ')} {format_seconds(seconds)}" for name, seconds in parts)
        typer.echo(f"file: {listed}; after opening, the slowest of the others counts")
    for job in range(data.sizes.get("job", 0)):
        typer.echo(f"job {job + 1}: ends at {format_seconds(float(data['job_finish'][job]))}")
    for stage in range(min(data.sizes["stage"], 12)):
        ends = (format_seconds(data[f"stage_{name}"].values[stage]) for name in ("first", "mean", "last"))
        typer.echo(f"stage {stage + 1}: ends at {' / '.join(ends)} (first / mean / last rank)")
