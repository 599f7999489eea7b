"""Estimated halo volumes, compared with meshes partitioned by METIS."""

import numpy as np
import pytest

from halcyon import graph, mesh
from halcyon.config.workload import MeshHalo
from halcyon.decomposition import halo_volumes
from halcyon.simulate.mesh_volumes import estimate_volumes, halo_cells, halo_edges, volumes_of


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("ranks", [8, 16, 64])
def test_the_law_holds_for_real_decompositions(ranks, layers):
    """Mean halo cells and edges per rank are within 8 % of the estimate for compact patches."""
    sphere = mesh.uniform(4, tolerance=1e-3)
    owners = graph.partition(sphere.cell_offsets, sphere.cells_on_cell, ranks)
    counted = halo_volumes(sphere, owners, ranks, layers=layers, cell_bytes=1)
    received = counted.received(counted.bytes)
    estimate = halo_cells(sphere.n_cells / ranks, layers)
    assert received.mean() == pytest.approx(estimate, rel=0.08)
    assert received.max() < 1.35 * estimate
    edges = halo_volumes(sphere, owners, ranks, layers=layers, edge_bytes=1)
    estimate = halo_edges(sphere.n_cells / ranks, layers)
    assert edges.received(edges.bytes).mean() == pytest.approx(estimate, rel=0.08)


def test_a_hexagon_has_the_halo_that_it_has():
    """Hexagons of cells: the estimate is 1.1 times the number of cells in the next one or two rings."""
    for side in range(1, 6):
        cells = 3 * side * (side + 1) + 1
        assert halo_cells(cells, 1) == pytest.approx(1.1 * 6 * (side + 1))
        assert halo_cells(cells, 2) == pytest.approx(1.1 * 6 * (2 * side + 3))


@pytest.mark.parametrize("ranks", [7, 8, 10, 97, 1000])
def test_an_estimate_is_symmetric_with_six_neighbours(ranks):
    volumes = estimate_volumes(10**6, ranks, 2, 100)
    assert volumes.is_symmetric() and np.all(np.diff(volumes.offsets) == 6)
    peers = volumes.peers.reshape(-1, 6)
    assert np.all(np.diff(peers, axis=1) > 0) and not np.any(peers == np.arange(ranks)[:, None])
    assert len({tuple(volumes.peers[6 * rank : 6 * rank + 6]) for rank in range(ranks)}) > 1
    distance = np.abs(volumes.peers - volumes.receivers)
    assert np.median(distance) < max(8, ranks / 20)


def test_the_same_exchange_counted_and_estimated():
    work = MeshHalo(type="mesh_halo", mesh="G4", bins=10, edge_bins=7)
    counted, estimated = volumes_of(work, 36), volumes_of(work.model_copy(update={"cut": "estimate"}), 36)
    assert estimated.bytes.sum() == pytest.approx(counted.bytes.sum(), rel=0.08)
