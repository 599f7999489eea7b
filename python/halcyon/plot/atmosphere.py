"""Figures of an atmosphere run: maps at several times, and the change with time of global integrals such as
mass and energy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.plot import style
from halcyon.plot.cells import levels_by_preference, on_level, open_files, values_of
from halcyon.plot.maps import panels

if TYPE_CHECKING:
    import xarray as xr


PREFERRED_VARIABLES = (
    "vorticity",
    "temperature",
    "height",
)  # variables for maps; without these, the first variable
MOST_MAPS = 6


def atmosphere_figures(folder: Path, fields: Sequence[Path], heading: str) -> list[Path]:
    """Plots integrals.png and, if the files have a variable for it, maps.png into the folder of a run.

    fields: the UGRID files of the run in order of time; heading: ending of the titles, such as ": " and the
    name of the case. Returns the paths of the figures."""
    figures = []
    datasets = open_files(fields)
    selected = _variable_and_level(datasets[0])
    if selected is not None:
        variable, level = selected
        figures.append(folder / "maps.png")
        title = f"{values_of(datasets[0], variable).long_name.capitalize()}{heading}"
        options: dict[str, Any] = {
            "every_s": _every_s(datasets),
            "variable": variable,
            "at": level,
            "title": title,
        }
        panels(figures[0], datasets, **options)
    figures.append(folder / "integrals.png")
    integrals(figures[-1], folder / "integrals.nc", title=f"Integrals over the globe{heading}")
    return figures


def integrals(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | xr.Dataset,
    *,
    title: str = "Integrals over the globe",
) -> None:
    """Plots the change of the integrals of a run relative to their initial values, as a PNG.

    file: `integrals.nc` of a run (path or xarray dataset). Raises InputError if it cannot be read."""
    dataset = open_files(file)[0]
    times = values_of(dataset, "time").values
    days = (times - times[0]) / np.timedelta64(86400, "s")
    names = [str(name) for name in dataset.data_vars if dataset[name].dims == ("time",)]
    rows = style.Rows(len(names), row=1.35, gap=0.25, top=1.0, bottom=0.5)
    with style.picture(path, rows.height, title, "change relative to the initial value") as figure:
        for i, name in enumerate(names):
            axes, values = rows.axes(figure, i, 0.13, 0.84), dataset[name].values
            change = (values - values[0]) / (abs(values[0]) or 1)
            axes.plot(days, change, color=style.SERIES[i % len(style.SERIES)], linewidth=1.4)
            axes.set_ylabel(name.replace("_", "\n"))
            axes.grid(color=style.GRID, linewidth=0.5)
            axes.tick_params(labelbottom=name == names[-1])
        axes.set_xlabel("days")


def _variable_and_level(dataset: xr.Dataset) -> tuple[str, float | None] | None:
    """The preferred variable for the maps, and the preferred one of its levels with values (a pressure level
    below the ground has none). None if no variable has values."""
    changing = [str(name) for name in dataset.data_vars if {"time", "face"} <= {*dataset[name].dims}]
    for variable in [*(name for name in PREFERRED_VARIABLES if name in changing), *changing]:
        for level in levels_by_preference(dataset, variable):
            if np.isfinite(on_level(dataset, variable, level)[0].values).any():
                return variable, level
    return None


def _every_s(datasets: Sequence[xr.Dataset]) -> float:
    """The interval of the maps [s], a multiple of the interval of the records, so that there are at most
    `MOST_MAPS` maps and, if possible, the last map shows the last record."""
    times = np.concatenate([values_of(dataset, "time").values for dataset in datasets])
    interval_s, n = (times[1] - times[0]) / np.timedelta64(1, "s"), len(times) - 1
    n_intervals = next((i for i in range(MOST_MAPS - 1, 1, -1) if n % i == 0), None)
    return float(interval_s * (n // n_intervals if n_intervals else -(-n // (MOST_MAPS - 1))))
