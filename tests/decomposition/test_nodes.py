"""Traffic between nodes, compared with the published example and with known optima."""

import numpy as np
import pytest

from halcyon import graph, mesh
from halcyon.base import ConfigError
from halcyon.decomposition import Volumes, block_map, halo_volumes, reordered_map, traffic


def volumes_of(links, ranks, size=8):
    """The volumes of ranks that exchange `size` bytes in both directions of each link."""
    pairs = sorted({pair for a, b in links for pair in ((a, b), (b, a))})
    receivers, senders = np.array(pairs).T
    ones = np.ones(len(pairs), np.int64)
    return Volumes(np.searchsorted(receivers, np.arange(ranks + 1)), senders, ones, size * ones)


def lattice(rows, columns):
    """The links of a lattice whose ranks are numbered row by row."""
    ranks = np.arange(rows * columns).reshape(rows, columns)
    return [
        *zip(ranks[:, :-1].ravel().tolist(), ranks[:, 1:].ravel().tolist(), strict=True),
        *zip(ranks[:-1].ravel().tolist(), ranks[1:].ravel().tolist(), strict=True),
    ]


def shuffled(links, ranks, seed=1):
    """The links of ranks that are numbered at random."""
    numbers = np.random.default_rng(seed).permutation(ranks)
    return [(int(numbers[a]), int(numbers[b])) for a, b in links]


@pytest.mark.parametrize(
    ("nodes", "links", "most_of_a_node"),
    [
        ([[0, 1], [2, 5], [3, 4]], 4, 3),
        ([[0, 3], [1, 4], [2, 5]], 4, 4),
        ([[0, 4], [1, 5], [2, 3]], 7, None),
    ],
)
def test_the_example_of_figures_1_and_2_of_the_published_topology(nodes, links, most_of_a_node):
    """Six ranks in two rows, two per node, as in Pang et al. (2025): the links between nodes, and the most
    of one node, are 4 and 3 (a), 4 and 4 (b); 7 links (c)."""
    node_of = np.empty(6, int)
    for node, ranks in enumerate(nodes):
        node_of[ranks] = node
    found = traffic(volumes_of(lattice(2, 3), 6), node_of)
    assert found.links == links
    assert found.bytes_between == 2 * 8 * links
    assert found.bytes_within == 2 * 8 * (7 - links)
    assert np.array_equal(found.node_bytes, 2 * 8 * found.node_links)
    assert found.node_links.sum() == 2 * links
    assert most_of_a_node is None or found.node_links.max() == most_of_a_node


def test_the_best_map_of_that_example_is_found():
    """Consecutive ranks per node have 5 links between nodes; the reordered map has the optimum, 4."""
    volumes = volumes_of(lattice(2, 3), 6)
    assert traffic(volumes, block_map(6, 2)).links == 5
    assert traffic(volumes, reordered_map(volumes, 2)).links == 4


def test_the_busiest_node_has_most_bytes():
    """Links, bytes and the busiest node of a chain of four ranks on three nodes."""
    found = traffic(volumes_of([(0, 1), (1, 2), (2, 3)], 4), np.array([0, 1, 2, 2]))
    assert found.node_links.tolist() == [1, 2, 1]
    assert found.node_bytes.tolist() == [16, 32, 16]
    assert found.busiest == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_shuffled_ring_is_laid_out_again(seed):
    """The reordered map of 48 ranks on 6 nodes has the optimum: 6 links between nodes."""
    ring = [(i, (i + 1) % 48) for i in range(48)]
    volumes = volumes_of(shuffled(ring, 48, seed), 48)
    assert traffic(volumes, reordered_map(volumes, 8)).links == 6


def test_a_shuffled_lattice_is_nearly_cut_into_squares():
    """The links between nodes are at most 1.25 times those of the optimum, squares of 4 x 4 ranks."""
    volumes = volumes_of(shuffled(lattice(16, 16), 256), 256)
    node_of = reordered_map(volumes, 16)
    assert np.bincount(node_of).tolist() == [16] * 16
    assert traffic(volumes, block_map(256, 16)).links > 400
    assert traffic(volumes, node_of).links < 1.25 * 2 * 3 * 16  # squares of 4 x 4 cut 96 links


@pytest.mark.parametrize(("ranks", "per_node"), [(60, 8), (64, 16), (5, 8), (7, 1)])
def test_reordering_never_makes_it_worse_and_fills_nodes_alike(ranks, per_node):
    sphere = mesh.uniform(4, tolerance=1e-3)
    owners = graph.partition(sphere.cell_offsets, sphere.cells_on_cell, ranks)
    volumes = halo_volumes(sphere, owners, ranks, cell_bytes=4)
    blocks, node_of = block_map(ranks, per_node), reordered_map(volumes, per_node)
    assert sorted(np.bincount(node_of)) == sorted(np.bincount(blocks))
    before, after = traffic(volumes, blocks), traffic(volumes, node_of)
    assert after.bytes_between <= before.bytes_between
    assert after.bytes_between + after.bytes_within == volumes.bytes.sum()
    assert np.array_equal(node_of, reordered_map(volumes, per_node))


def test_ranks_that_exchange_nothing_have_nodes_too():
    nothing = Volumes(np.zeros(6, int), *[np.empty(0, np.int64)] * 3)
    assert np.bincount(reordered_map(nothing, 2)).tolist() == [2, 2, 1]
    assert traffic(nothing, block_map(5, 2)).links == 0


def test_mistakes():
    volumes = volumes_of(lattice(2, 3), 6)
    with pytest.raises(ConfigError, match="node_of has 5 entries for 6 ranks"):
        traffic(volumes, np.zeros(5, int))
    with pytest.raises(ConfigError, match="at least 1 rank, not 0"):
        block_map(6, 0)
