"""Figures of an ensemble: maps of mean, spread and probabilities of wave heights, plumes at stations."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.plot import style
from halcyon.plot.cells import cells_of, open_files, values_of
from halcyon.plot.chart import Chart
from halcyon.plot.maps import several_maps
from halcyon.plot.run import case_of, files_of, land_of
from halcyon.plot.series import format_time_axes, station_names
from halcyon.run.ensemble.members import member_tracks

if TYPE_CHECKING:
    import shapely
    import xarray as xr

    from halcyon.wave.track.track import Track


_STEM = "significant_height"
_HEIGHT = f"maximum_{_STEM}"
_QUANTILE = re.compile(rf"{_STEM}_p(\d+(?:_\d+)?)")


def draw_ensemble(folder: str | os.PathLike[str]) -> list[Path]:
    """Plots the figures of the ensemble in `folder`: mean.png and spread.png, with the tracks of the members,
    and probabilities.png, all of the maximum significant height if that is in ensemble.nc; stations.png if
    the case has stations.

    Returns the paths of the figures. Raises InputError if the folder has no statistics yet."""
    folder = Path(folder)
    run, files, fields = files_of(folder)
    case = case_of(run)
    dataset, heading = open_files(fields)[0], f": {case.heading}" if case else ""
    figures = []
    if f"{_HEIGHT}_mean" in dataset:
        members = dataset.attrs["members"].split()
        tracks = member_tracks(case.path, run["overrides"], members) if case else []
        figures += _maps(folder, dataset, land_of(case), tracks, heading)
    if folder / "stations.nc" in files:
        figures.append(folder / "stations.png")
        plumes(figures[-1], folder / "stations.nc", title=f"Significant wave height at stations{heading}")
    return figures


def _maps(
    folder: Path, dataset: xr.Dataset, land: shapely.Geometry | None, tracks: Sequence[Track], heading: str
) -> list[Path]:
    """Plots the maps of an open ensemble.nc; returns their paths."""
    cells, times = cells_of(dataset), values_of(dataset, "time").values.astype("datetime64[s]")
    n_members = len(dataset.attrs["members"].split())
    subtitle = f"{n_members} members   ·   {style.time_text(times[0])} to {style.time_text(times[-1])} UTC"
    figures = []
    for name, title, colours in (("mean", "Mean", "magma_r"), ("spread", "Spread", "YlGnBu")):
        values = dataset[f"{_HEIGHT}_{name}"].values
        figures.append(folder / f"{name}.png")
        with style.settings():
            chart = Chart(cells.box, f"{title} of the maximum significant wave height{heading}", subtitle)
            levels = style.round_levels(np.nanmax(values, initial=0), most=18)
            chart.cells(cells.polygons, values, levels, "significant wave height [m]", colours)
            chart.land(land)
            chart.tracks(tracks, times[0], times[-1])
            chart.save(figures[-1])
    probabilities = {
        f"above {variable.attrs['threshold']:g} m": 100 * variable.values
        for name, variable in dataset.items()
        if str(name).startswith(f"{_HEIGHT}_above_")
    }
    if probabilities:
        figures.append(folder / "probabilities.png")
        levels = np.arange(0, 101, 10)
        scale = (levels, *style.colours(levels, "YlOrRd", (0.0, 1.0)))
        several_maps(
            figures[-1],
            cells,
            probabilities,
            scale,
            title=f"Probability of significant wave heights at any time{heading}",
            subtitle=subtitle,
            label="probability [%]",
            land=land,
        )
    return figures


def plumes(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | xr.Dataset,
    *,
    title: str = "Significant wave height at stations",
) -> None:
    """Plots quantiles of the significant wave height over time, one panel per station, as a PNG: bands
    between pairs of quantiles, and lines of the median and the mean.

    file: `stations.nc` of an ensemble (path or xarray dataset)."""
    dataset = open_files(file)[0]
    times, names = values_of(dataset, "time").values, station_names(dataset)
    found = {m[0]: float(m[1].replace("_", ".")) for name in dataset if (m := _QUANTILE.fullmatch(str(name)))}
    quantiles = sorted(found, key=lambda name: found[name])
    rows = style.Rows(len(names), row=1.55, gap=0.22, top=0.95, bottom=0.55)
    time_range = f"{style.time_text(times[0])} to {style.time_text(times[-1])} UTC"
    pairs = [
        pair
        for pair in zip(quantiles, reversed(quantiles), strict=True)
        if found[pair[0]] < 50 < found[pair[1]]
    ]
    bands = ", ".join(f"{found[low]:g} to {found[high]:g} %" for low, high in pairs)
    subtitle = f"{time_range}   ·   bands {bands}, lines: median, – – mean"
    with style.picture(path, rows.height, title, subtitle) as figure:
        for i, name in enumerate(names):
            axes, of_station = rows.axes(figure, i, 0.085, 0.895), dataset.isel(station=i)
            for low, high in pairs:
                limits = of_station[low].values, of_station[high].values
                axes.fill_between(times, *limits, color=style.SERIES[0], alpha=0.25, linewidth=0)
            if 50.0 in found.values():
                axes.plot(times, of_station[f"{_STEM}_p50"], color=style.SERIES[0], linewidth=1.6)
            axes.plot(times, of_station[f"{_STEM}_mean"], color=style.INK, linewidth=1, linestyle=(0, (4, 2)))
            axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))
            format_time_axes(axes, times, f"{name}\n[m]", is_lowest=i == len(names) - 1)
