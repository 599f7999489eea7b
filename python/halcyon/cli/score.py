"""`halcyon score`: compares the waves of a run with measurements of buoys and altimeters."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from halcyon.cli.options import argument, figure_writer, flag, option, reject
from halcyon.cli.working import working

if TYPE_CHECKING:
    from halcyon.score import Pairs, Peak


_TITLES = ("station", "buoy", "variable", "n", "mean", "bias", "rmse", "SI", "corr", "slope")


def score(
    run: Path = argument("Folder of a run, or its stations.nc.", "RUN"),
    buoy: list[str] | None = option(
        "Measurements of a buoy: NDBC text (standard meteorological data, or one of the five files of "
        "spectra), CSV with named columns, netCDF of NDBC, CDIP or Copernicus Marine; may be repeated. The "
        "file name begins with the name of the station, unless @STATION or @LON,LAT is given.",
        "FILE[@STATION]",
    ),
    altimeter: list[Path] | None = option(
        "Wave heights of an altimeter along its track (level 3, netCDF), for the fields of the run; may be "
        "repeated.",
        "FILE",
    ),
    window: float = option("Largest time between a measurement and an output time.", "MINUTES", default=30.0),
    mean: bool = flag("Compare the mean of the measurements in the window, not the nearest one.", "--mean"),
    anemometer_height: float = option(
        "Height of the anemometer; winds are brought to 10 m (Hsu et al. 1994).", "METRES", default=5.0
    ),
    land_distance: float = option(
        "Least distance of an altimeter's measurement from land.", "KM", default=50.0
    ),
    along_track: float | None = option(
        "Length over which an altimeter and the model are averaged; by default the spacing of the mesh.", "KM"
    ),
    above: float = option(
        "Only hours in which the measured height (for the wind, the wind) is above this part of its largest.",
        "FRACTION",
        default=0.0,
    ),
    peaks: bool = flag("Add the largest values, their error and the time of the modelled peak.", "--peaks"),
    as_json: bool = flag("Print JSON instead of a table.", "--json"),
    plot: Path | None = option("Picture file of scatter plots and time series.", "PNG"),
) -> None:
    """Compare waves and wind of a run with measurements of buoys and altimeters."""
    from halcyon.base import printable
    from halcyon.cli.common import print_table
    from halcyon.score import collocate, high_hours, peak
    from halcyon.score import score as score_of

    numbers = {"--window": window, "--anemometer-height": anemometer_height}
    numbers |= {} if along_track is None else {"--along-track": along_track}
    for name, value in numbers.items():
        if not value > 0:
            reject(f"{name} {value:g}: give a positive number.")
    if not 0 <= above < 1:
        reject(f"--above {above:g}: give a fraction from 0 to below 1.")
    if not (buoy or altimeter):
        reject("Give --buoy or --altimeter with a file of measurements.")
    draw = figure_writer(plot, "halcyon.plot.score:score_plot")
    pairs = []
    if buoy:
        with working("reading measurements"):
            pairs = collocate(
                run,
                buoy,
                window_s=60 * window,
                mean=mean,
                anemometer_height=anemometer_height,
                warn=lambda text: typer.echo(printable(f"warning: {text}"), err=True),
            )
    if altimeter:
        from halcyon.score.altimeter import collocate_altimeter

        with working("reading measurements of altimeters"):
            pairs += collocate_altimeter(
                run,
                altimeter,
                window_s=60 * window,
                land_distance=1e3 * land_distance,
                length=None if along_track is None else 1e3 * along_track,
            )
    if above:
        pairs = high_hours(pairs, above)
    scores = [score_of(each) for each in pairs]
    named = [{"station": p.station, "buoy": p.buoy, "variable": p.variable} for p in pairs]
    rows = [names | asdict(found) for names, found in zip(named, scores, strict=True)]
    titles: tuple[str, ...] = _TITLES
    if peaks:
        titles = (*titles, "peak", "model", "error", "late [h]")
        rows = [row | _peak(each, peak(each)) for row, each in zip(rows, pairs, strict=True)]
    if as_json:
        values = [{k: None if _is_missing(v) else v for k, v in row.items()} for row in rows]
        typer.echo(json.dumps(values, indent=2))
    else:
        print_table(titles, [[_text(value) for value in row.values()] for row in rows])
    draw(pairs, scores)
    if plot is not None:
        typer.echo(str(plot), err=as_json)


def _peak(pairs: Pairs, found: Peak) -> dict[str, float]:
    """Peaks of the buoy and the model, the relative error, and the delay of the model [h]; NaN for
    directions."""
    values = found.measured, found.modelled, found.error, found.delay_s / 3600
    names = "peak", "modelled_peak", "peak_error", "peak_delay_h"
    return {n: math.nan if pairs.is_circular else v for n, v in zip(names, values, strict=True)}


def _is_missing(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _text(value: object) -> str:
    return "" if _is_missing(value) else f"{value:.3f}" if isinstance(value, float) else str(value)
