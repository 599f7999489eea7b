"""`halcyon simulate`: runs the simulations of a case, prints, keeps and draws what they give."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.base import EXIT_INTERRUPTED, ConfigError

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import Point
    from halcyon.simulate.many import Done

COLUMNS = ("time", "injection_bound", "ejection_bound", "link_bound", "delay_mean", "delay_max")


def run(
    path: Path,
    overrides: Sequence[str],
    output: Path | None,
    *,
    workers: int | None,
    fresh: bool,
    picture: bool,
    as_json: bool,
) -> None:
    """Does what `halcyon simulate` is asked for."""
    from halcyon.config.points import load_simulation
    from halcyon.simulate.many import simulate_all
    from halcyon.simulate.results import table

    points = load_simulation(path, overrides)
    folder = _folder(output or path.with_suffix(".out"))
    with _interruptible(), progress(len(points), quiet=as_json) as done:
        found = simulate_all(points, workers=workers, fresh=fresh, done=done)
    data = found[0] if len(found) == 1 else table(points, found)
    data.to_netcdf(folder / "results.nc")
    files = {"results": folder / "results.nc"}
    if picture:
        files["picture"] = _picture(folder, points, found)
    if as_json:
        typer.echo(json.dumps(_document(path, points, found, files)))
    else:
        _print(points, found)
        for name, file in files.items():
            typer.echo(f"{name:<10} {file}")


def _picture(folder: Path, points: Sequence[Point], found: Sequence[xr.Dataset]) -> Path:
    if points[0].case.picture.kind == "network":
        from halcyon.plot.network_page.page import network_page

        network_page(folder / "network.html", points, found)
        return folder / "network.html"
    from halcyon.plot.simulation import simulation_plot

    simulation_plot(folder / "picture.png", points, found)
    return folder / "picture.png"


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--output {path}: {error.strerror}. Choose another folder.") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise ConfigError(f"--output {path} cannot be written to. Choose another folder.")
    return path


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends the process at once: the engine's threads would otherwise be waited for."""
    try:
        yield
    except KeyboardInterrupt:
        print("error: interrupted. What was simulated is kept; the same command goes on.", file=sys.stderr)
        sys.stderr.flush()
        os._exit(EXIT_INTERRUPTED)


@contextmanager
def progress(total: int, *, quiet: bool) -> Iterator[Done | None]:
    """A bar on a terminal; elsewhere a line for each simulation; nothing for one alone."""
    if quiet or total == 1:
        yield None
    elif sys.stdout.isatty():
        from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = Progress.get_default_columns()[1:2], MofNCompleteColumn(), TimeRemainingColumn()
        with Progress(*columns[0], *columns[1:], TextColumn("{task.description}"), transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda point, data, known: bar.update(task, advance=1, description=str(point))
    else:
        yield _line


def _line(point: Point, data: xr.Dataset, known: bool) -> None:
    from halcyon.plot.numbers import seconds

    note = "  (known)" if known else f"  ({seconds(data['cpu_time'].item())} of CPU time)"
    typer.echo(f"{point}: {seconds(data['time'].item())}{note}")


def _print(points: Sequence[Point], found: Sequence[xr.Dataset]) -> None:
    from halcyon.cli.describe import print_table
    from halcyon.plot.numbers import seconds

    keys = [key for key in points[0].swept if key != "ranks"]
    named = any(point.series for point in points)
    titles = (*(["series"] if named else []), *keys, "ranks", *(name.replace("_", " ") for name in COLUMNS))
    rows = [
        (
            *([point.series] if named else []),
            *(str(point.swept[key]) for key in keys),
            f"{data.attrs['ranks']:,}",
            *(seconds(data[name].item()) for name in COLUMNS),
        )
        for point, data in zip(points, found, strict=True)
    ]
    if len(points) == 1:
        _print_one(found[0])
    print_table(titles, rows)


def _print_one(data: xr.Dataset) -> None:
    from halcyon.plot.numbers import seconds

    about = data.attrs
    typer.echo(
        f"{about['topology']}, {about['routing']}, machine {about['machine']}, {about['fidelity']}"
        + (f" of {data['chunk_bytes'].item():,} bytes" if data["chunk_bytes"] > 0 else "")
    )
    for stage in range(min(data.sizes["stage"], 12)):
        ends = (seconds(data[f"stage_{name}"].values[stage]) for name in ("first", "mean", "last"))
        typer.echo(f"stage {stage + 1}: ends at {' / '.join(ends)} (first / mean / last rank)")


def _document(
    path: Path, points: Sequence[Point], found: Sequence[xr.Dataset], files: dict[str, Path]
) -> dict[str, Any]:
    from halcyon.simulate.results import SCALARS

    runs = [
        {"series": point.series, "swept": dict(point.swept), **_about(data)}
        | {name: data[name].item() for name in SCALARS}
        | {
            "stages": [
                {n: data[f"stage_{n}"].values[i].item() for n in ("first", "mean", "last")}
                for i in range(data.sizes["stage"])
            ]
        }
        for point, data in zip(points, found, strict=True)
    ]
    return {
        "case": str(path),
        "files": {name: str(file) for name, file in files.items()},
        "simulations": runs,
    }


def _about(data: xr.Dataset) -> dict[str, Any]:
    return {name: data.attrs[name] for name in ("topology", "routing", "machine", "fidelity")} | {
        "ranks": int(data.attrs["ranks"])
    }
