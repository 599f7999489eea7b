"""Energy, mean direction and spreading by frequency, of spectra of buoys and of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon.wave.spectra.rebinning import direction_edges, frequency_edges

if TYPE_CHECKING:
    from halcyon.wave.spectra import SpectraSource


@dataclass(frozen=True)
class FrequencySpectra:
    """Directional moments of a series of spectra.

    times datetime64[s] (n); frequency [Hz] (f); moments [m2 s] (n, 3, f): the integrals over direction of F,
    F sin theta and F cos theta, theta clockwise from north, towards which waves travel."""

    times: np.ndarray
    frequency: np.ndarray
    moments: np.ndarray

    @property
    def energy(self) -> np.ndarray:
        """Variance density [m2 s] (n, f)."""
        return self.moments[:, 0]

    @property
    def direction(self) -> np.ndarray:
        """Mean direction [degrees] (n, f), from which waves come; NaN without energy."""
        return _direction(self.moments)

    @property
    def spreading(self) -> np.ndarray:
        """Directional spreading sqrt(2 (1 - r)) [degrees] (n, f) (Kuik et al. 1988), NaN without energy."""
        return _spreading(self.moments)

    def integrals(self) -> dict[str, np.ndarray]:
        """Returns the series (n) of height [m], periods [s], directions [degrees, from] and spreading
        [degrees] over the frequencies of the spectra, by Halcyon's names; NaN for a calm sea. The peak is the
        frequency of the largest density."""
        widths = np.diff(frequency_edges(self.frequency))
        m = {n: (self.energy * self.frequency**n * widths).sum(axis=1) for n in (-1, 0, 1, 2)}
        m[0] = np.where(m[0] > 0, m[0], np.nan)
        peak = self.energy.argmax(axis=1)
        at_peak = self.moments[np.arange(len(peak)), :, peak]
        total = (self.moments * widths).sum(axis=2)
        return {
            "significant_height": 4 * np.sqrt(m[0]),
            "peak_period": np.where(np.isfinite(m[0]), 1 / self.frequency[peak], np.nan),
            "mean_period": m[-1] / m[0],
            "mean_period_01": m[0] / m[1],
            "mean_period_02": np.sqrt(m[0] / m[2]),
            "peak_direction": _direction(at_peak),
            "mean_direction": _direction(total),
            "spreading": _spreading(total),
        }


def frequency_spectra(source: SpectraSource, point: int = 0) -> FrequencySpectra:
    """Returns the moments of all spectra of a `SpectraSource` at one of its points."""
    theta = np.asarray(source.direction)
    weights = direction_edges(theta)[2] * np.stack([np.ones_like(theta), np.sin(theta), np.cos(theta)])
    densities = (source.density(record, np.array([point]))[0] for record in range(len(source.times)))
    found = [weights @ density.T for density in densities]
    return FrequencySpectra(source.times.astype("datetime64[s]"), source.frequency, np.array(found))


def _direction(moments: np.ndarray) -> np.ndarray:
    """Returns the direction [degrees, from] (n, ...) of moments (n, 3, ...)."""
    towards = np.degrees(np.arctan2(moments[:, 1], moments[:, 2]))
    return np.where(moments[:, 0] > 0, (towards + 180) % 360, np.nan)


def _spreading(moments: np.ndarray) -> np.ndarray:
    length = np.hypot(moments[:, 1], moments[:, 2])
    r = np.divide(length, moments[:, 0], out=np.full(length.shape, np.nan), where=moments[:, 0] > 0)
    return np.degrees(np.sqrt(2 * np.maximum(1 - r, 0)))
