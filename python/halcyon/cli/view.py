"""`halcyon view`: a page to look at a run in a browser."""

from __future__ import annotations

import math
from pathlib import Path

import typer

from halcyon.cli.options import argument, comma_separated, flag, option, reject
from halcyon.cli.working import working


def view(
    run: Path = argument("Folder of the run or ensemble.", "RUN_DIR"),
    other: Path | None = argument(
        "Folder of a second run, to compare.", "OTHER_DIR", None, show_default=False
    ),
    output: Path | None = option("Page to write; default view.html in the run's folder.", "HTML"),
    variables: str | None = option("Variables of the fields files; by default all that fit.", "NAMES"),
    buoy: list[str] | None = option(
        "Measurements at a station, as of `halcyon score`; repeatable.", "FILE[@STATION]"
    ),
    size: float = option("Largest size of the page.", "MB", default=10.0),
    opens: bool = flag("Open the page in the browser.", "--open/--no-open", default=True),
) -> None:
    """Write a web page with the fields of a run on a globe or a flat map, and open it.

    The page is one file that needs no network. It shows the cells with their values in time, levels,
    stations with their series and spectra, the track of a storm, members and statistics of an ensemble; of
    two runs also the difference."""
    from halcyon.base import printable
    from halcyon.launch.output_file import output_file
    from halcyon.plot.view.page import view_page

    if not 0 < size < math.inf:
        reject(f"--size {size:g}: give megabytes above 0.")
    if not run.is_dir():
        reject(f"{run} is not a folder. Give the folder of a run or ensemble.")
    name = output or run / "view.html"
    page = output_file(name)
    with working(f"writing {page.name}"):
        view_page(
            page,
            [folder.absolute() for folder in (run, other) if folder is not None],
            variables=comma_separated(variables),
            buoys=buoy or (),
            size=1e6 * size,
            report=lambda text: typer.echo(printable(text), err=True),
        )
    typer.echo(printable(str(name)))
    if opens:
        _open(page)


def _open(page: Path) -> None:
    """Opens a page in the browser; without a display or a browser says how to."""
    import webbrowser

    if not webbrowser.open(page.as_uri()):
        typer.echo("no browser was found; open the page in one, also on another machine", err=True)
