"""`halcyon plot`: draws the pictures of a run again."""

from __future__ import annotations

from pathlib import Path

import typer


def draw(folder: Path) -> None:
    """Draws the pictures of the run in `folder` and names them. Raises InputError when there is no run."""
    from halcyon.plot import draw_run

    for picture in draw_run(folder.absolute()):
        typer.echo(str(picture))
