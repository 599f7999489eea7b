"""Time series at stations: wave height, period, wind and direction, one panel each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from halcyon.base import InputError
from halcyon.plot import style
from halcyon.plot.cells import open_files, values_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_DATE_FORMATS = [
    "%Y",
    "%-d %b",
    "%-d %b",
    "%H:%M",
    "%H:%M",
    "%S.%f",
]  # for years, months, days, hours, minutes, seconds
_MOST_OTHERS = 6  # panels of a file without the variables of _PANELS
_PANELS = (
    ("significant wave height\n[m]", "significant_height"),
    ("period [s]\npeak, – – mean", "peak_period"),
    ("wind speed at 10 m\n[m s⁻¹]", "wind_speed"),
    ("mean wave direction\nfrom", "mean_direction"),
)


def stations(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | xr.Dataset,
    *,
    title: str = "Waves at the stations",
    subtitle: str | None = None,
) -> None:
    """Plots the time series of all stations, as a PNG.

    file: `stations.nc` of a run (path or xarray dataset) with `station_name` (station), `time`, and
    `significant_height` [m], `peak_period` and `mean_period` [s], `eastward_wind` and `northward_wind` [m
    s-1], `mean_direction` [degrees, from] (time, station); a panel without its variable is omitted. A file
    with none of these gets a panel for each of its first variables.
    Raises InputError if the file cannot be read or has none of the variables.
    """
    dataset = open_files(file)[0]
    panels = [(label, name) for label, name in _PANELS if _series(dataset, name) is not None]
    panels = panels or _other_panels(dataset)
    if not panels:
        raise InputError(
            f"The file has no variable to plot. The variables are {', '.join(map(str, dataset.variables))}."
        )
    times = values_of(dataset, "time").values
    names = station_names(dataset)
    rows = style.Rows(len(panels), row=1.55, gap=0.22, top=1.05, bottom=0.55)
    time_range = f"{style.time_text(times[0])} to {style.time_text(times[-1])} UTC"
    with style.picture(path, rows.height, title, subtitle or time_range) as figure:
        for i, (label, name) in enumerate(panels):
            _panel(rows.axes(figure, i, 0.085, 0.895), dataset, name, times)
            format_time_axes(figure.axes[-1], times, label, is_lowest=i == len(panels) - 1)
        _legend(figure, names, rows.height)


def _other_panels(dataset: xr.Dataset) -> list[tuple[str, str]]:
    """Labels and names of the first variables (time, station) of a file without waves."""
    names = [str(name) for name in dataset.data_vars if {*dataset[name].dims} == {"time", "station"}]
    names = [name for name in names if dataset[name].dtype.kind == "f"][:_MOST_OTHERS]
    return [(f"{name.replace('_', ' ')}\n[{dataset[name].attrs.get('units', '1')}]", name) for name in names]


def _series(dataset: xr.Dataset, name: str) -> np.ndarray | None:
    """Values (time, station), or None if the variable is missing; wind speed is computed from its
    components."""
    if name == "wind_speed" and name not in dataset and {"eastward_wind", "northward_wind"} <= set(dataset):
        return np.hypot(*(_values(dataset, part) for part in ("eastward_wind", "northward_wind")))
    return _values(dataset, name) if name in dataset else None


def _values(dataset: xr.Dataset, name: str) -> np.ndarray:
    return dataset[name].transpose("time", ...).values


def _panel(axes: Axes, dataset: xr.Dataset, name: str, times: np.ndarray) -> None:
    values = _series(dataset, name)
    assert values is not None
    draw = _dots if name == "mean_direction" else _lines
    draw(axes, times, values)
    if name == "peak_period" and "mean_period" in dataset:
        _lines(axes, times, _values(dataset, "mean_period"), linestyle=(0, (4, 2)), linewidth=1.1)
    if name == "mean_direction":
        axes.set(ylim=(0, 360), yticks=[0, 90, 180, 270, 360], yticklabels=["N", "E", "S", "W", "N"])
    elif name in [known for _, known in _PANELS]:
        axes.set_ylim(bottom=0, top=1.08 * np.nanmax(values, initial=1e-3))


def _lines(
    axes: Axes, times: np.ndarray, values: np.ndarray, linestyle: Any = "-", linewidth: float = 1.6
) -> None:
    for station in range(values.shape[1]):
        axes.plot(times, values[:, station], color=_colour(station), linestyle=linestyle, linewidth=linewidth)


def _dots(axes: Axes, times: np.ndarray, values: np.ndarray) -> None:
    for station in range(values.shape[1]):
        axes.plot(times, values[:, station] % 360, ".", color=_colour(station), markersize=3.2)


def station_names(dataset: xr.Dataset) -> list[str]:
    """The names of the stations of an open file."""
    return [_text(name) for name in values_of(dataset, "station_name").values]


def format_time_axes(axes: Axes, times: np.ndarray, label: str, *, is_lowest: bool) -> None:
    """Formats the time axis of a panel, and its label; only the lowest panel has labels of the times."""
    style.date_ticks(
        axes, 4, 10, formats=_DATE_FORMATS, zero_formats=["", *_DATE_FORMATS[:-1]], show_offset=False
    )
    axes.set_xlim(times[0], times[-1] if len(times) > 1 else times[0] + np.timedelta64(1, "h"))
    axes.set_ylabel(label, fontsize=8.8)
    axes.yaxis.set_label_coords(-0.043, 0.5)
    style.plain_axes(axes)
    axes.grid(linewidth=0.6)
    axes.tick_params(length=3, labelbottom=is_lowest)
    if is_lowest:
        axes.set_xlabel("UTC", fontsize=8.8, color=style.MUTED, labelpad=2)


def _legend(figure: Figure, names: Sequence[str], height: float) -> None:
    handles = [
        Line2D([], [], color=_colour(station), linewidth=2.4, label=name)
        for station, name in enumerate(names)
    ]
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.072, 1 - 0.68 / height),
        ncols=min(len(names), 6),
        frameon=False,
        handlelength=1.4,
        borderaxespad=0,
        borderpad=0.2,
    )


def _colour(station: int) -> str:
    return style.SERIES[station % len(style.SERIES)]


def _text(name: str | bytes) -> str:
    return name.decode().strip() if isinstance(name, bytes) else str(name).strip()
