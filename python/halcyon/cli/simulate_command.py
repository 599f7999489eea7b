"""`halcyon simulate`: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli.app_options import Overrides


def simulate(
    case: Annotated[
        Path, typer.Argument(metavar="CASE", help="The case file (YAML) of a simulation.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="Folder of the results; by default CASE.out."),
    ] = None,
    overrides: Overrides = None,
    workers: Annotated[
        int | None,
        typer.Option("-j", "--workers", metavar="N", min=1, help="At a time; by default one a core."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Simulate anew what has been simulated.")] = False,
    picture: Annotated[bool, typer.Option(help="Draw the results.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Simulate what ranks send each other, on networks that need not exist.

    Results go into DIR: results.nc, and a picture; a simulation alone is there whole, of several the times.
    What has been simulated is kept, so that an interrupted command goes on when it is given again."""
    from halcyon.cli.simulate import run

    run(case, overrides or [], output, workers=workers, fresh=fresh, picture=picture, as_json=as_json)
