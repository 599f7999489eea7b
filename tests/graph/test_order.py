"""Orders of graphs and points, from Python."""

import numpy as np
import pytest

from halcyon import graph
from halcyon.base import InputError
from halcyon.mesh import sphere

# Offsets and neighbours of a ring of 4 nodes.
RING = np.array([0, 2, 4, 6, 8], np.int32), np.array([1, 3, 0, 2, 1, 3, 2, 0], np.int32)


def test_orders_of_a_ring():
    assert graph.bfs_order(*RING).tolist() == [0, 1, 3, 2]
    assert graph.rcm_order(*RING).tolist() == [0, 3, 1, 2]
    assert graph.ORDERS == ("natural", "bfs", "rcm", "hilbert", "morton", "grist_hilbert", "grist_morton")


@pytest.mark.parametrize("order", [graph.hilbert_order, graph.morton_order, graph.grist_morton_order])
def test_curves_keep_near_points_near(order):
    """The median step is below two point distances; only the Morton orders jump, at most every 16th point."""
    points = sphere.fibonacci(4000)
    found = order(points)
    assert np.array_equal(np.sort(found), np.arange(4000))
    steps = np.linalg.norm(np.diff(points[found], axis=0), axis=1)
    assert np.median(steps) < 2 * np.sqrt(4 * np.pi / 4000)
    jumps = (steps > 4 * np.sqrt(4 * np.pi / 4000)).sum()
    assert jumps == 0 if order is graph.hilbert_order else 50 < jumps < 4000 / 16


def test_mistakes():
    offsets, neighbours = RING
    with pytest.raises(InputError, match="begin with 0 and end with 8"):
        graph.bfs_order(offsets[:-1], neighbours)
    with pytest.raises(InputError, match="neighbour 9"):
        graph.rcm_order(offsets, np.where(neighbours == 3, 9, neighbours).astype(np.int32))
    with pytest.raises(InputError, match="Point 1 is at distance 2"):
        graph.morton_order(np.array([[1.0, 0, 0], [2, 0, 0]]))
    with pytest.raises(InputError, match="no point at latitude 95"):
        graph.geohash(95, 10, 6)


def test_geohash():
    """GeoHashes of two places: of the published GRIST example, and a widely quoted one."""
    assert graph.geohash(31.1932993, 121.4396019, 6) == "wtw37q"
    assert graph.geohash(57.64911, 10.40744, 11) == "u4pruydqqvj"
