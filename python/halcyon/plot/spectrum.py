"""Wave spectra at stations: directional spectra and frequency spectra."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from halcyon.base import ConfigError, InputError
from halcyon.plot import style
from halcyon.plot.cells import open_files, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_STATIONS = 40
_HIGHEST_FREQUENCY = 0.4  # [Hz]


def spectra(
    path: Path, file: Path, *, stations: Sequence[str] | None = None, time: np.datetime64 | None = None
) -> None:
    """Plots one row per station of `spectra.nc`, or per point of a file for a nested run, as a PNG: the
    variance density by frequency (radius) and the direction from which waves come, and the frequency
    spectrum.

    stations: names, by default all. time: UTC; the nearest record is shown, if it is within half an
    interval of records; by default the record with the highest waves at each station. Raises InputError for a
    file without spectra, ConfigError for unknown or too many stations, and for a time without record."""
    (dataset,) = open_files(file)
    density = values_of(dataset, "efth")
    known = spectrum_stations(dataset, file)
    requested = list(stations or known)
    for name in requested:
        if name not in known:
            raise ConfigError(f"There is no station '{name}'. There are {', '.join(known)}.")
    if len(requested) > MOST_STATIONS:
        raise ConfigError(
            f"{len(requested)} stations would be too many for a figure. Choose some by --station."
        )
    if time is not None:
        _require_record(density["time"].values.astype("datetime64[s]"), time)
    rows = style.Rows(len(requested), row=3.0, gap=0.85, top=1.1, bottom=0.6)
    with style.picture(path, rows.height, "Wave spectra", "direction from which waves come") as figure:
        for i, name in enumerate(requested):
            record = _record(density.isel(station=known.index(name)), time)
            _polar(figure, rows.axes(figure, i, 0.02, 0.42, projection="polar"), record)
            axes = rows.axes(figure, i, 0.58, 0.4)
            _frequency_spectrum(axes, record)
            axes.set_title(f"{name}, {style.time_text(record['time'].values)} UTC", fontsize=10, loc="left")


def spectrum_stations(dataset: xr.Dataset, file: Path) -> list[str]:
    """The names of the stations."""
    station = values_of(dataset, "station")
    if "names" not in station.attrs:
        raise InputError(
            f"{file} does not name its stations: it is neither spectra.nc of a run "
            "nor a file of spectra for a nest."
        )
    try:
        names = json.loads(station.attrs["names"])
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or len(names) != station.size:
        raise InputError(
            f"{file}: the attribute names of station is not a list of the names. Replace the file."
        )
    return [str(name) for name in names]


def _require_record(times: np.ndarray, time: np.datetime64) -> None:
    """Raises ConfigError for a time that is farther than half an interval from all records."""
    longest = max(np.diff(times), default=np.timedelta64(0, "s"))
    if (2 * abs(times - time)).min() > longest:
        first, last = style.time_text(times[0]), style.time_text(times[-1])
        raise ConfigError(
            f"--time {style.time_text(time)}: the spectra are from {first} to {last} UTC. Give a time in this"
            " range."
        )


def _record(series: xr.DataArray, time: np.datetime64 | None) -> xr.DataArray:
    """The record nearest to a time, or by default the record with the highest waves."""
    if time is not None:
        return series.sel(time=time, method="nearest")
    return series.isel(time=int(_variance(series).argmax("time")))


def _variance(density: xr.DataArray) -> xr.DataArray:
    return _frequency_density(density).integrate("frequency")


def _frequency_density(density: xr.DataArray) -> xr.DataArray:
    """The frequency spectrum [m2 Hz-1], the integral over direction [rad]."""
    return density.sum("direction") * (2 * np.pi / density.sizes["direction"])


def _polar(figure: Figure, axes: Any, record: xr.DataArray) -> None:
    """Draws a directional spectrum; the file has the directions towards which waves travel."""
    shown = record.sel(frequency=slice(0, _HIGHEST_FREQUENCY))
    towards, f = shown["direction"].values, shown["frequency"].values
    half = 180 / len(towards)
    edges = np.radians(np.append(towards - half, towards[-1] + half) + 180)  # directions from
    rings = np.sqrt(f[1:] * f[:-1])  # limits between frequencies
    rings = np.concatenate([[f[0] ** 2 / rings[0]], rings, [f[-1] ** 2 / rings[-1]]])
    values = shown.transpose("frequency", "direction").values
    most = max(float(values.max()), 1e-6)
    mesh = axes.pcolormesh(edges, rings, values, cmap="magma_r", vmin=0, vmax=most, shading="flat")
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_xticks(np.radians([0, 90, 180, 270]), ["N", "E", "S", "W"])
    axes.set_yticks([0.1, 0.2, 0.3], ["0.1 Hz", "0.2", "0.3"], fontsize=7)
    axes.grid(color=style.GRID, linewidth=0.5)
    bar = figure.colorbar(mesh, ax=axes, fraction=0.05, pad=0.1)
    bar.ax.set_title("[m² s rad⁻¹]", fontsize=8, loc="left")


def _frequency_spectrum(axes: Axes, record: xr.DataArray) -> None:
    spectrum = _frequency_density(record)
    axes.plot(record["frequency"], spectrum, color=style.SERIES[0], linewidth=1.6)
    axes.fill_between(record["frequency"], spectrum, color=style.SERIES[0], alpha=0.2, linewidth=0)
    axes.set(xlim=(0, _HIGHEST_FREQUENCY), ylim=(0, None), xlabel="frequency [Hz]", ylabel="[m² Hz⁻¹]")
    height = 4 * float(np.sqrt(_variance(record)))
    axes.text(0.98, 0.92, f"Hs {height:.1f} m", ha="right", transform=axes.transAxes)
    axes.grid(color=style.GRID, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
