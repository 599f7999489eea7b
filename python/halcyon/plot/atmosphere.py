"""The pictures of a run of the atmosphere: maps at some times, and the course of the integrals."""

import numpy as np

from halcyon.plot import style
from halcyon.plot.cells import levels_by_preference, on_level, open_files, values_of
from halcyon.plot.maps import panels

PREFERRED = ("vorticity", "temperature", "height")  # on the maps; else what the files hold first
MOST_MAPS = 6


def atmosphere_pictures(folder, fields, heading):
    """Draws maps.png, where the files hold something to draw, and integrals.png into the folder of a run;
    returns the paths. fields: its files."""
    pictures = []
    datasets = open_files(fields)
    shown = _shown(datasets[0])
    if shown is not None:
        variable, level = shown
        pictures.append(folder / "maps.png")
        title = f"{values_of(datasets[0], variable).long_name.capitalize()}{heading}"
        options = {"every_s": _every_s(datasets), "variable": variable, "at": level, "title": title}
        panels(pictures[0], datasets, **options)
    pictures.append(folder / "integrals.png")
    integrals(pictures[-1], folder / "integrals.nc", title=f"Integrals over the globe{heading}")
    return pictures


def integrals(path, file, *, title="Integrals over the globe"):
    """Draws how far the integrals of a run are from what they were at its start, over that, as a PNG.

    file: `integrals.nc` of a run (path or xarray dataset). Raises InputError when it cannot be read."""
    dataset = open_files(file)[0]
    times = values_of(dataset, "time").values
    days = (times - times[0]) / np.timedelta64(86400, "s")
    names = [name for name in dataset.data_vars if dataset[name].dims == ("time",)]
    rows = style.Rows(len(names), 1.35, 0.25, 1.0, 0.5)
    with style.picture(path, rows.height, title, "change since the start over what they were then") as figure:
        for i, name in enumerate(names):
            axes, values = rows.axes(figure, i, 0.13, 0.84), dataset[name].values
            change = (values - values[0]) / (abs(values[0]) or 1)
            axes.plot(days, change, color=style.SERIES[i], linewidth=1.4)
            axes.set_ylabel(name.replace("_", "\n"))
            axes.grid(color=style.GRID, linewidth=0.5)
            axes.tick_params(labelbottom=name == names[-1])
        axes.set_xlabel("days")


def _shown(dataset):
    """The variable of the maps, what is preferred first, and its level: the first with values, which a
    surface of pressure below all levels of the air has not. None where there is none."""
    changing = [name for name in dataset.data_vars if {"time", "face"} <= {*dataset[name].dims}]
    for variable in [*(name for name in PREFERRED if name in changing), *changing]:
        for level in levels_by_preference(dataset, variable):
            if np.isfinite(on_level(dataset, variable, level)[0].values).any():
                return variable, level
    return None


def _every_s(datasets):
    """The time between maps [s], a multiple of that between records: few maps, the last of the last record
    where that can be."""
    times = np.concatenate([values_of(dataset, "time").values for dataset in datasets])
    step, n = (times[1] - times[0]) / np.timedelta64(1, "s"), len(times) - 1
    parts = next((parts for parts in range(MOST_MAPS - 1, 1, -1) if n % parts == 0), None)
    return float(step * (n // parts if parts else -(-n // (MOST_MAPS - 1))))
