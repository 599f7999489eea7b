"""From the bins of one spectrum to those of another, conserving energy."""

import math

import numpy as np

TAIL = 5  # F falls as f^-TAIL beyond the last frequency that is given


class Rebinning:
    """Means over the bins of a `SpectralGrid` of a density that is constant in each bin of another spectrum.

    frequency [Hz] ascending; direction [rad], towards, clockwise from north, of any order: bins reach half
    way to the neighbours, and end at the first and the last frequency (the trapezoidal rule). What lies below
    the first bin of the grid is added to it; beyond the last frequency given the density falls as f^-5;
    beyond the last of the grid nothing is taken. So the sum of F df dtheta is the same within the
    frequencies that both have.
    """

    def __init__(self, frequency, direction, grid):
        self._frequencies = list(_frequency_shares(np.asarray(frequency, float), grid))
        self._directions = list(_direction_shares(np.asarray(direction, float), grid))
        self._sigma = np.asarray(grid.sigma)
        self._n = grid.n_frequencies, grid.n_directions

    def action(self, density):
        """Action [m2 s2] (n, frequency, direction) of densities [m2 s rad-1] (n, frequency, direction)."""
        by_frequency = _mixed(np.moveaxis(density, 1, 0), self._frequencies, self._n[0])
        by_direction = _mixed(np.moveaxis(by_frequency, 2, 0), self._directions, self._n[1])
        return np.moveaxis(by_direction, (0, 1), (2, 1)) / self._sigma[:, None]


def _mixed(values, shares, n):
    """Sums over the first axis, one share after the other, so that the bits depend on no other axis."""
    mixed = np.zeros((n, *values.shape[1:]))
    for target, source, share in shares:
        mixed[target] += share * values[source]
    return mixed


def frequency_edges(frequency):
    """The edges [Hz] (n + 1) of the bins of frequencies [Hz] (n)."""
    return np.concatenate([frequency[:1], (frequency[1:] + frequency[:-1]) / 2, frequency[-1:]])


def _frequency_shares(frequency, grid):
    """(target, source, share): what a bin of the grid has of the density of one given."""
    given, wanted = frequency_edges(frequency), frequency_edges(np.asarray(grid.frequency))
    wanted[0] = 0
    last = frequency[-1]
    for target, width in enumerate(grid.frequency_width):
        low, high = wanted[target : target + 2]
        for source in range(len(frequency)):
            shared = min(high, given[source + 1]) - max(low, given[source])
            tail = 0.0
            if source == len(frequency) - 1 and high > last:
                tail = last**TAIL * (max(low, last) ** (1 - TAIL) - high ** (1 - TAIL)) / (TAIL - 1)
            if shared > 0 or tail > 0:
                yield target, source, (max(shared, 0) + tail) / width


def _direction_shares(direction, grid):
    order = np.argsort(direction % math.tau, kind="stable")
    angle = direction[order] % math.tau
    after = np.append(angle[1:], angle[0] + math.tau)
    upper = (angle + after) / 2
    lower = np.append(upper[-1] - math.tau, upper[:-1])
    width = grid.direction_width
    for target in range(grid.n_directions):
        for source, low, high in zip(order, lower, upper, strict=True):
            shared = sum(
                max(0.0, min((target + 1) * width, high + turn) - max(target * width, low + turn))
                for turn in (-math.tau, 0, math.tau)
            )
            if shared > 1e-12:
                yield target, int(source), shared / width
