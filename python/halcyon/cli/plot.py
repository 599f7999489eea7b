"""`halcyon plot`: draws the pictures of a run again."""

from __future__ import annotations

from pathlib import Path

import typer

from halcyon.base import InputError


def draw(folder: Path) -> None:
    """Draws the pictures of the run in `folder` and names them. Raises InputError when there is no run."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Give the folder of a run, such as case.out.")
    if not (folder / "run.json").exists():
        raise InputError(f"{folder} has no run.json: it is not the folder of a run.")
    if not any(folder.glob("fields_*.nc")):
        raise InputError(f"{folder} has no whole fields_*.nc yet, so there is nothing to draw.")
    from halcyon.plot import draw_run

    for picture in draw_run(folder):
        typer.echo(str(picture))
