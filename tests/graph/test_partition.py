"""Partitions of graphs from Python: options, reports, and two levels."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon import graph
from halcyon.base import ConfigError, InputError

# Offsets and neighbours of a ring of 4 nodes.
RING = np.array([0, 2, 4, 6, 8], np.int32), np.array([1, 3, 0, 2, 1, 3, 2, 0], np.int32)


@pytest.fixture(scope="module")
def g5():
    """Offsets and neighbours of the cells of the uniform mesh of 10,242 cells."""
    mesh = halcyon.mesh.uniform(5, tolerance=1e-3)
    return mesh.cell_offsets, mesh.cells_on_cell


@pytest.mark.parametrize("method", graph.METHODS)
def test_a_report_counts_what_a_partition_has(g5, method):
    """Weights, imbalance and edge cut of the report equal those counted with numpy."""
    parts = graph.partition(*g5, 12, method=method, seed=5, contiguous=True)
    report = graph.partition_report(*g5, parts)
    sizes = np.bincount(parts)
    assert (report.n_parts, report.least_weight, report.most_weight) == (12, sizes.min(), sizes.max())
    assert report.mean_weight == 10242 / 12
    assert report.imbalance == sizes.max() / (10242 / 12) < 1.05
    cell = np.repeat(np.arange(10242), np.diff(g5[0]))
    assert report.edge_cut == np.count_nonzero(parts[cell] != parts[g5[1]]) / 2
    assert (report.n_split, report.n_empty) == (0, 0)


def test_weights_count(g5):
    """Node weights are balanced, and edge weights multiply the edge cut."""
    work = np.arange(10242) % 7
    parts = graph.partition(*g5, 8, node_weights=work)
    report = graph.partition_report(*g5, parts, node_weights=work)
    assert report.most_weight == np.bincount(parts, work).max()
    assert report.imbalance < 1.05
    traffic = np.full(len(g5[1]), 3)
    heavy = graph.partition_report(*g5, parts, edge_weights=traffic)
    assert heavy.edge_cut == 3 * graph.partition_report(*g5, parts).edge_cut


def cuts_between_nodes(g5, n_ranks, ranks_per_node, **options):
    """The edge cuts between compute nodes of consecutive ranks: two-level partition, and METIS alone."""
    partitions = (
        graph.two_level_partition(*g5, n_ranks, ranks_per_node, **options),
        graph.partition(*g5, n_ranks, **options),
    )
    return [graph.partition_report(*g5, owners // ranks_per_node).edge_cut for owners in partitions]


@pytest.mark.parametrize("seed", range(1, 5))
def test_computers_exchange_less_by_two_levels(g5, seed):
    """The cut between compute nodes is smaller by two-level partition than by METIS alone."""
    two_level, metis = cuts_between_nodes(g5, 16, 4, seed=seed)
    assert two_level < metis


@pytest.mark.parametrize("method", graph.METHODS)
def test_computers_exchange_far_less_where_they_are_no_power_of_two(g5, method):
    """With 5 compute nodes of 12 ranks, the cut between nodes is below 0.75 of that of METIS alone."""
    two_level, metis = cuts_between_nodes(g5, 60, 12, method=method)
    assert two_level < 0.75 * metis


def test_the_last_computer_has_the_ranks_that_remain(g5):
    """11 ranks on compute nodes of 4 ranks, the last with 3, have equal numbers of cells within 8 %."""
    owners = graph.two_level_partition(*g5, 11, 4)
    sizes = np.bincount(owners, minlength=11)
    assert len(sizes) == 11
    assert sizes.max() / sizes.mean() < 1.08


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"node_weights": [1, 2, 3]}, "There are 3 node weights for 4 nodes"),
        ({"node_weights": [1, 2, -3, 1]}, "The node weight 2 is -3"),
        ({"node_weights": [1.0, 2.5, 1, 1]}, "node_weights are float64, but must be whole numbers"),
        ({"edge_weights": np.array([], int)}, "edge_weights is empty"),
        ({"edge_weights": [1, 0, 1, 1, 1, 1, 1, 1]}, "The edge weight 1 is 0"),
        (
            {"edge_weights": [1, 2, 3, 4, 5, 6, 7, 8]},
            "The edge from node 0 to 1 weighs 1, but 3 the other way",
        ),
        ({"method": "rib"}, "There is no partition method 'rib'. Use kway or recursive"),
    ],
)
def test_mistakes(options, text):
    with pytest.raises(ConfigError, match=text):
        graph.partition(*RING, 2, **options)
    with pytest.raises(ConfigError, match=text):
        graph.two_level_partition(*RING, 2, 2, **options)


def test_numbers_that_cannot_be():
    with pytest.raises(ConfigError, match="at least 1 part, not 0"):
        graph.partition(*RING, 0)
    with pytest.raises(ConfigError, match="5 ranks but the mesh only 4 cells"):
        graph.partition(*RING, 5)
    with pytest.raises(ConfigError, match="at least 1 rank, not 0"):
        graph.two_level_partition(*RING, 2, 0)
    with pytest.raises(InputError, match="Node 2 is in part -1"):
        graph.partition_report(*RING, [0, 0, -1, 0])
