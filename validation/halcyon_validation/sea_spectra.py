"""Spectra of the model against those of a buoy: energy, mean direction and spreading by frequency."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from halcyon.plot import style
from halcyon.score.pairs import mean_direction, smaller_angle
from halcyon.score.spectra import FrequencySpectra
from halcyon_validation.check import Table

LEAST_ENERGY = 0.02  # of the largest density of a spectrum: directions of less energy are noise
_WINDOW_S = 1800


def spectra_table(
    modelled: FrequencySpectra, measured: FrequencySpectra, times: np.ndarray
) -> tuple[Table, Callable[[Path], None]] | None:
    """Returns a table of means over some times by frequency of the buoy, and a function that draws them; None
    where no spectra of both are near these times."""
    rows = [(_nearest(modelled.times, t), _nearest(measured.times, t)) for t in times]
    common = [pair for pair in rows if None not in pair]
    if not common:
        return None
    found = _Means(modelled, measured, common)
    rows = [
        (
            f"{found.frequency[i]:.4f}",
            f"{found.energy[1][i]:.2f}",
            f"{found.energy[0][i]:.2f}",
            *(_text(value) for value in (found.direction[1][i], found.turn[i], found.turn_rms[i])),
            *(_text(value) for value in (found.spreading[1][i], found.spreading[0][i])),
            str(found.count[i]),
        )
        for i in np.flatnonzero(found.count >= 3)
    ]
    heads = (
        "frequency [Hz]",
        "E of the buoy [m2 s]",
        "E of the model [m2 s]",
        "direction of the buoy [degrees]",
        "model minus buoy [degrees]",
        "root mean square [degrees]",
        "spreading of the buoy [degrees]",
        "of the model [degrees]",
        "spectra with energy",
    )
    return Table(heads, rows), lambda path: _draw(path, found)


class _Means:
    """Means over common spectra, of indices (model, buoy), at the frequencies of the buoy. Directions and
    spreading are means over the spectra in which both have LEAST_ENERGY at a frequency, `count` in number."""

    def __init__(self, modelled: FrequencySpectra, measured: FrequencySpectra, common: list):
        a, b = (np.array(index) for index in zip(*common, strict=True))
        within = (measured.frequency >= modelled.frequency[0]) & (
            measured.frequency <= modelled.frequency[-1]
        )
        self.frequency = measured.frequency[within]
        moments = (
            _at_frequencies(modelled, self.frequency).moments[a],
            measured.moments[b][:, :, within],
        )
        series = [FrequencySpectra(modelled.times[a], self.frequency, each) for each in moments]
        energetic = np.all(
            [s.energy >= LEAST_ENERGY * s.energy.max(axis=1, keepdims=True) for s in series], axis=0
        )
        self.n_spectra, self.count = len(common), energetic.sum(axis=0)
        self.energy = [s.energy.mean(axis=0) for s in series]
        self.direction = [_by_frequency(mean_direction, s.direction, energetic) for s in series]
        self.spreading = [_by_frequency(np.mean, s.spreading, energetic) for s in series]
        turn = smaller_angle(series[0].direction - series[1].direction)
        self.turn = _by_frequency(np.mean, turn, energetic)
        self.turn_rms = np.sqrt(_by_frequency(np.mean, turn**2, energetic))


def _nearest(times: np.ndarray, time: np.datetime64) -> int | None:
    offset = np.abs((times - time).astype("timedelta64[s]").astype(float))
    return int(offset.argmin()) if offset.min() <= _WINDOW_S else None


def _at_frequencies(spectra: FrequencySpectra, frequency: np.ndarray) -> FrequencySpectra:
    """Interpolates moments linearly to other frequencies."""
    moments = np.apply_along_axis(lambda m: np.interp(frequency, spectra.frequency, m), 2, spectra.moments)
    return FrequencySpectra(spectra.times, frequency, moments)


def _by_frequency(mean: Callable, values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Returns the mean at each frequency of the chosen values (n, f), NaN where there are none."""
    columns = zip(values.T, chosen.T, strict=True)
    return np.array([float(mean(column[rows])) if rows.any() else np.nan for column, rows in columns])


def _text(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.0f}"


def _draw(path: Path, found: _Means) -> None:
    labels = "variance density [m² s]", "mean direction, from [°]", "spreading [°]"
    shown = np.where(found.count >= 3, 1, np.nan)
    with style.settings():
        figure = style.new_figure(3.4)
        panels = figure.subplots(
            1, 3, gridspec_kw={"left": 0.07, "right": 0.99, "wspace": 0.28, "top": 0.9, "bottom": 0.15}
        )
        values = found.energy, [d * shown for d in found.direction], [s * shown for s in found.spreading]
        for axes, label, (model, buoy) in zip(panels, labels, values, strict=True):
            axes.plot(found.frequency, model, "-", color=style.SERIES[0], label="model")
            axes.plot(found.frequency, buoy, ".", color=style.INK, label="buoy")
            axes.set(xlabel="frequency [Hz]", xlim=(0.03, 0.4))
            axes.set_title(label, fontsize=9, loc="left")
            style.plain_axes(axes)
        panels[0].legend(frameon=False)
        panels[0].set_title(f"{labels[0]}, mean of {found.n_spectra} hours", fontsize=9, loc="left")
        figure.savefig(path)
