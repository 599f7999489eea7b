"""`halcyon score`: compares the waves at the stations of a run with buoy measurements."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

import typer

from halcyon.cli.options import argument, figure_writer, flag, option, reject

_TITLES = ("station", "buoy", "variable", "n", "mean", "bias", "rmse", "SI", "corr", "slope")


def score(
    run: Path = argument("Folder of a run, or its stations.nc.", "RUN"),
    buoy: list[str] = option(
        "NDBC standard meteorological data, text or netCDF; may be repeated. The file name begins with the "
        "name of the station, unless @STATION or @LON,LAT is given.",
        "FILE[@STATION]",
        default=...,
    ),
    window: float = option("Largest time between a measurement and an output time.", "MINUTES", default=30.0),
    mean: bool = flag("Compare the mean of the measurements in the window, not the nearest one.", "--mean"),
    as_json: bool = flag("Print JSON instead of a table.", "--json"),
    plot: Path | None = option("Picture file of scatter plots and time series.", "PNG"),
) -> None:
    """Compare wave heights, periods and directions at a run's stations with buoy measurements."""
    from halcyon.cli.common import print_table
    from halcyon.score import collocate
    from halcyon.score import score as score_of

    if not window > 0:
        reject(f"--window {window:g}: give a positive number of minutes.")
    draw = figure_writer(plot, "halcyon.plot.score:score_plot")
    pairs = collocate(run, buoy, window_s=60 * window, mean=mean)
    scores = [score_of(each) for each in pairs]
    named = [{"station": p.station, "buoy": p.buoy, "variable": p.variable} for p in pairs]
    rows = [names | asdict(found) for names, found in zip(named, scores, strict=True)]
    if as_json:
        numbers = [{k: None if _is_missing(v) else v for k, v in row.items()} for row in rows]
        typer.echo(json.dumps(numbers, indent=2))
    else:
        print_table(_TITLES, [[_text(value) for value in row.values()] for row in rows])
    draw(pairs, scores)
    if plot is not None:
        typer.echo(str(plot), err=as_json)


def _is_missing(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _text(value: object) -> str:
    return "" if _is_missing(value) else f"{value:.3f}" if isinstance(value, float) else str(value)
