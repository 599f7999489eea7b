"""Bands of frequencies, each with one number of transport steps per source step."""

import itertools

import pytest

from halcyon.run.steps import best_bands


def cost(needed, bands):
    """Checks that the bands (number of frequencies, substeps) are valid, and returns their cost: a substep of
    a band costs one frequency more than the band has. `needed`: minimum number of substeps of each
    frequency."""
    first, total = 0, 0
    for n, steps in bands:
        assert steps >= max(needed[first : first + n])
        first += n
        total += steps * (n + 1)
    assert first == len(needed)
    return total


def test_one_band_takes_the_steps_of_the_fastest():
    assert best_bands([5, 4, 3, 1], max_bands=1) == [(4, 5)]


def test_equal_frequencies_stay_together():
    assert best_bands([2] * 7) == [(7, 2)]


@pytest.mark.parametrize("needed", [[6, 5, 4, 4, 2, 1], [9, 1, 1, 1, 1, 1], [3, 3, 2, 2, 1, 1]])
def test_no_other_bands_cost_less(needed):
    """The chosen bands are as cheap as the cheapest of all partitions, with any number of bands and with two
    at most."""
    n = len(needed)
    partitions = []
    for cuts in itertools.chain.from_iterable(itertools.combinations(range(1, n), k) for k in range(n)):
        ends = [0, *cuts, n]
        partitions.append([(b - a, max(needed[a:b])) for a, b in itertools.pairwise(ends)])
    lowest = min(cost(needed, bands) for bands in partitions)
    assert cost(needed, best_bands(needed)) == lowest
    lowest_of_two = min(cost(needed, bands) for bands in partitions if len(bands) <= 2)
    assert cost(needed, best_bands(needed, max_bands=2)) == lowest_of_two
