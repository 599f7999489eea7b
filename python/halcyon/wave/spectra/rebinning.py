"""Conservative rebinning of spectra."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from halcyon._core.wave import SpectralGrid


TAIL = 5  # F falls as f^-TAIL beyond the last input frequency


class Rebinning:
    """Rebinning of input spectra, taken as constant in each bin, to the bins of a `SpectralGrid`.

    frequency [Hz]: input frequencies, ascending; direction [rad]: input directions of propagation, clockwise
    from north, in any order. Input bins extend half way to the next bins, but not below the first or above
    the last frequency (trapezoidal rule); beyond it the density falls as f^-5, see `Tail`. Energy below the
    first bin of the grid is added to this bin. The density in the last bin is such that this bin and the f^-5
    tail of the grid above it hold all energy of the input there. So the integral of F df dtheta, with both
    tails, is conserved. The mean direction of each frequency is conserved by a turn within the width of a
    bin, and with them the mean direction over all frequencies, with both tails.

    tail_of_last: see `Tail`.
    """

    def __init__(
        self, frequency: ArrayLike, direction: ArrayLike, grid: SpectralGrid, *, tail_of_last: bool = False
    ) -> None:
        self._tail = Tail(frequency, direction, of_last=tail_of_last)
        self._frequencies = list(_frequency_shares(np.asarray(frequency, float), grid))
        self._directions = list(_direction_shares(np.asarray(direction, float), grid))
        self._angles = np.asarray(direction, float), np.asarray(grid.direction)
        self._sigma, self._width = np.asarray(grid.sigma), grid.direction_width
        self._input_widths = direction_edges(np.asarray(direction, float))[2]
        self._n = grid.n_frequencies, grid.n_directions

    def action(self, density: np.ndarray) -> np.ndarray:
        """Converts densities [m2 s rad-1] (n, frequency, direction) to action [m2 s2] (n, frequency,
        direction) on the grid."""
        density = self._tail.added_to(density)
        on_frequencies = np.moveaxis(
            _weighted_sums(np.moveaxis(density, 1, 0), self._frequencies, self._n[0]), 2, 0
        )
        on_grid = _weighted_sums(on_frequencies, self._directions, self._n[1])
        wanted = _moments(on_frequencies * self._input_widths[:, None, None], self._angles[0])
        present = _moments(on_grid * self._width, self._angles[1])
        on_grid = _turned(on_grid, wanted, present, self._width)
        return np.moveaxis(on_grid, (0, 1), (2, 1)) / self._sigma[:, None]


class Tail:
    """The f^-5 tail of spectra with given bins: frequency [Hz], direction [rad].

    of_last: whether the tail has the directions of the last frequency, as in the products of Halcyon (and of
    WAVEWATCH III, whose files are read without it). Otherwise mean direction and spreading with the tail are
    those of the bins alone. These depend on the width of the last bin: half its distance to the bin below
    (trapezoidal rule: WAM, WAVEWATCH III) or all of it (wavespectra). The mean of both is taken, so that
    neither differs more than half as much as both.
    """

    def __init__(self, frequency: ArrayLike, direction: ArrayLike, *, of_last: bool) -> None:
        frequency = np.asarray(frequency, float)
        self._of_last, self._length = of_last, frequency[-1] / (TAIL - 1)
        self._directions = direction_edges(np.asarray(direction, float))[2]
        self._widths = np.diff(frequency_edges(frequency))
        self._counted = np.append(self._widths[:-1], 1.5 * self._widths[-1])

    def added_to(self, density: np.ndarray) -> np.ndarray:
        """Returns densities (n, frequency + 1, direction): those given (n, frequency, direction), then the
        density of the tail at the last frequency, whose integral over direction is that of the last."""
        last = density[:, -1]
        if self._of_last:
            return np.concatenate([density, last[:, None]], axis=1)
        present, counted = (
            sum(width * density[:, f] for f, width in enumerate(widths))
            for widths in (self._widths, self._counted)
        )
        energy = _energy(present, self._directions) + self._length * _energy(last, self._directions)
        energy_counted = _energy(counted, self._directions)
        scale = np.divide(energy, energy_counted, out=np.ones_like(energy), where=energy_counted > 0)
        tail = np.maximum(scale[:, None] * counted - present, 0) / self._length
        return np.concatenate([density, tail[:, None]], axis=1)


def _energy(density: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Returns the integrals (n) of densities (n, direction) over directions of the given widths [rad]."""
    return sum(width * density[:, i] for i, width in enumerate(widths))


def _moments(values: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Returns the sums (2, ...) of values (direction, ...) times the cosine and the sine of the angles."""
    sums = np.zeros((2, *values.shape[1:]))
    for value, angle in zip(values, angles, strict=True):
        sums[0] += value * math.cos(angle)
        sums[1] += value * math.sin(angle)
    return sums


def _turned(values: np.ndarray, wanted: np.ndarray, present: np.ndarray, width: float) -> np.ndarray:
    """Returns values (direction, ...) turned from the direction of the moments `present` to that of `wanted`,
    by shares of the adjacent bins of the given width [rad]; at most by one bin."""
    along = wanted[0] * present[0] + wanted[1] * present[1]
    across = wanted[1] * present[0] - wanted[0] * present[1]
    tangent = np.divide(across, along, out=np.zeros_like(along), where=along > 0)
    # (1 - s) + s exp(i width) has this tangent.
    size = np.abs(tangent)
    share = np.minimum(size / (np.sin(width) + size * (1 - np.cos(width))), 1)
    ahead = tangent > 0
    before = np.where(ahead, np.roll(values, 1, axis=0), np.roll(values, -1, axis=0))
    return (1 - share) * values + share * before


def _weighted_sums(values: np.ndarray, shares: Iterable[tuple[int, int, float]], n: int) -> np.ndarray:
    """Returns weighted sums (target, ...) of values (source, ...). shares: tuples of target index, source
    index and weight.

    Terms are added one by one, so that the bits do not depend on the number of spectra."""
    sums = np.zeros((n, *values.shape[1:]))
    for target, source, share in shares:
        sums[target] += share * values[source]
    return sums


def frequency_edges(frequency: np.ndarray) -> np.ndarray:
    """Returns the edges [Hz] (n + 1) of the bins of frequencies [Hz] (n)."""
    return np.concatenate([frequency[:1], (frequency[1:] + frequency[:-1]) / 2, frequency[-1:]])


def _frequency_shares(frequency: np.ndarray, grid: SpectralGrid) -> Iterator[tuple[int, int, float]]:
    """Yields (target, source, share): index of the grid's frequency, index of the input frequency, or for the
    tail the number of input frequencies, and weight of the input density in the grid's density."""
    input_edges, grid_edges = frequency_edges(frequency), frequency_edges(np.asarray(grid.frequency))
    widths = np.array(grid.frequency_width)
    widths[-1] += grid_edges[-1] / (TAIL - 1)  # of the tail, in terms of the last density
    grid_edges[0], grid_edges[-1] = 0, math.inf
    last_input = frequency[-1]
    for target, width in enumerate(widths):
        low, high = grid_edges[target : target + 2]
        for source in range(len(frequency)):
            overlap = min(high, input_edges[source + 1]) - max(low, input_edges[source])
            if overlap > 0:
                yield target, source, overlap / width
        if high > last_input:
            tail = last_input**TAIL * (max(low, last_input) ** (1 - TAIL) - high ** (1 - TAIL)) / (TAIL - 1)
            yield target, len(frequency), tail / width


def direction_edges(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the lower and upper edges of the bins of directions [rad], half way between neighbours on the
    circle, and their widths; lower edges may be negative, upper edges above 2 pi."""
    order = np.argsort(direction % math.tau, kind="stable")
    angle = direction[order] % math.tau
    upper = (angle + np.append(angle[1:], angle[0] + math.tau)) / 2
    lower = np.append(upper[-1] - math.tau, upper[:-1])
    unsorted = np.empty_like(order)
    unsorted[order] = np.arange(len(order))
    return lower[unsorted], upper[unsorted], (upper - lower)[unsorted]


def _direction_shares(direction: np.ndarray, grid: SpectralGrid) -> Iterator[tuple[int, int, float]]:
    """Yields (target, source, share) for directions, as `_frequency_shares` does for frequencies."""
    lower, upper, _ = direction_edges(direction)
    width = grid.direction_width
    for target in range(grid.n_directions):
        for source, (low, high) in enumerate(zip(lower, upper, strict=True)):
            overlap = sum(
                max(0.0, min((target + 1) * width, high + shift) - max(target * width, low + shift))
                for shift in (-math.tau, 0, math.tau)
            )
            if overlap > 1e-12:  # [rad], above round-off
                yield target, source, overlap / width
