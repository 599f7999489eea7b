"""Conservative rebinning of spectra."""

import math

import numpy as np

TAIL = 5  # F falls as f^-TAIL beyond the last input frequency


class Rebinning:
    """Rebinning of input spectra, taken as constant in each bin, to the bins of a `SpectralGrid`.

    frequency [Hz]: input frequencies, ascending; direction [rad]: input directions of propagation, clockwise
    from north, in any order. Input bins extend half way to the next bins, but not below the first or above
    the last frequency (trapezoidal rule). Energy below the first bin of the grid is added to this bin; the
    density falls as f^-5 beyond the last input frequency; energy beyond the last frequency of the grid is
    dropped. So F df dtheta is conserved over the common frequency range.
    """

    def __init__(self, frequency, direction, grid):
        self._frequencies = list(_frequency_shares(np.asarray(frequency, float), grid))
        self._directions = list(_direction_shares(np.asarray(direction, float), grid))
        self._sigma = np.asarray(grid.sigma)
        self._n = grid.n_frequencies, grid.n_directions

    def action(self, density):
        """Converts densities [m2 s rad-1] (n, frequency, direction) to action [m2 s2] (n, frequency,
        direction) on the grid."""
        on_frequencies = _weighted_sums(np.moveaxis(density, 1, 0), self._frequencies, self._n[0])
        on_grid = _weighted_sums(np.moveaxis(on_frequencies, 2, 0), self._directions, self._n[1])
        return np.moveaxis(on_grid, (0, 1), (2, 1)) / self._sigma[:, None]


def _weighted_sums(values, shares, n):
    """Returns weighted sums (target, ...) of values (source, ...). shares: tuples of target index, source
    index and weight.

    Terms are added one by one, so that the bits do not depend on the number of spectra."""
    sums = np.zeros((n, *values.shape[1:]))
    for target, source, share in shares:
        sums[target] += share * values[source]
    return sums


def frequency_edges(frequency):
    """Returns the edges [Hz] (n + 1) of the bins of frequencies [Hz] (n)."""
    return np.concatenate([frequency[:1], (frequency[1:] + frequency[:-1]) / 2, frequency[-1:]])


def _frequency_shares(frequency, grid):
    """Yields (target, source, share): index of the grid's frequency, index of the input frequency, and weight
    of the input density in the grid's density."""
    input_edges, grid_edges = frequency_edges(frequency), frequency_edges(np.asarray(grid.frequency))
    grid_edges[0] = 0
    last_input = frequency[-1]
    for target, width in enumerate(grid.frequency_width):
        low, high = grid_edges[target : target + 2]
        for source in range(len(frequency)):
            overlap = min(high, input_edges[source + 1]) - max(low, input_edges[source])
            tail = 0.0
            if source == len(frequency) - 1 and high > last_input:
                tail = (
                    last_input**TAIL * (max(low, last_input) ** (1 - TAIL) - high ** (1 - TAIL)) / (TAIL - 1)
                )
            if overlap > 0 or tail > 0:
                yield target, source, (max(overlap, 0) + tail) / width


def _direction_shares(direction, grid):
    """Yields (target, source, share) for directions, as `_frequency_shares` does for frequencies."""
    order = np.argsort(direction % math.tau, kind="stable")
    angle = direction[order] % math.tau
    next_angle = np.append(angle[1:], angle[0] + math.tau)
    upper_edge = (angle + next_angle) / 2
    lower_edge = np.append(upper_edge[-1] - math.tau, upper_edge[:-1])
    width = grid.direction_width
    for target in range(grid.n_directions):
        for source, low, high in zip(order, lower_edge, upper_edge, strict=True):
            overlap = sum(
                max(0.0, min((target + 1) * width, high + shift) - max(target * width, low + shift))
                for shift in (-math.tau, 0, math.tau)
            )
            if overlap > 1e-12:  # [rad], above round-off
                yield target, int(source), overlap / width
