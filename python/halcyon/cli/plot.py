"""`halcyon plot`: draws the pictures of a run again."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from halcyon.base import InputError


def draw(folder: Path) -> None:
    """Draws the pictures of the run in `folder` and names them. Raises InputError when there is no run."""
    _check(folder)
    from halcyon.plot import draw_run

    for picture in draw_run(folder):
        typer.echo(str(picture))


def _check(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Give the folder of a run, such as case.out.")
    path = folder / "run.json"
    if not path.exists():
        raise InputError(f"{folder} has no run.json: it is not the folder of a run.")
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise InputError(f"{path} is damaged. Run the case again.") from None
