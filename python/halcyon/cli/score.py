"""`halcyon score`: a run's series at stations against buoys."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

import typer

from halcyon.cli.options import argument, flag, option

_TITLES = ("station", "buoy", "variable", "n", "mean", "bias", "rmse", "SI", "corr", "slope")


def score(
    run: Path = argument("A run's folder, or its stations.nc.", "RUN"),
    buoy: list[str] = option(
        "NDBC's standard meteorological data, text or netCDF; may be repeated. By default of the "
        "station that the file's name begins with; @STATION or @LON,LAT says another.",
        "FILE[@STATION]",
        default=...,
    ),
    window: float = option("Within which a measurement counts.", "MINUTES", default=30.0),
    mean: bool = flag("Take the mean of the measurements in the window, not the nearest.", "--mean"),
    as_json: bool = flag("Print JSON, not a table.", "--json"),
    plot: Path | None = option("Draw scatter and series.", "PNG"),
) -> None:
    """Compare a run's heights, periods and directions at its stations with what buoys measured."""
    from halcyon.base import ConfigError
    from halcyon.cli.common import print_table
    from halcyon.launch.output_file import picture_file
    from halcyon.score import pairs_of
    from halcyon.score import score as score_of

    if not window > 0:
        raise ConfigError(f"--window {window:g}: give minutes above 0.")
    picture = None if plot is None else picture_file(plot)
    pairs = pairs_of(run, buoy, window_s=60 * window, mean=mean)
    scores = [score_of(each) for each in pairs]
    if as_json:
        rows = [
            {"station": p.station, "buoy": p.buoy, "variable": p.variable, **asdict(s)}
            for p, s in zip(pairs, scores, strict=True)
        ]
        typer.echo(json.dumps([{k: _jsonable(v) for k, v in row.items()} for row in rows], indent=2))
    else:
        lines = [
            (p.station, p.buoy, p.variable, str(s.n), *(_figure(v) for v in list(asdict(s).values())[1:]))
            for p, s in zip(pairs, scores, strict=True)
        ]
        print_table(_TITLES, lines)
    if picture is not None:
        from halcyon.plot.score import score_plot

        score_plot(picture, pairs, scores)
        typer.echo(str(plot), err=as_json)


def _jsonable(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def _figure(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"
