"""Messages and bytes of halo exchanges, compared with independent counts."""

import numpy as np
import pytest

from halcyon import graph, mesh
from halcyon.base import ConfigError, InputError
from halcyon.decomposition import Decomposition, Volumes, areas_of, halo_volumes
from halcyon.decomposition.cost import Exchange, cost


@pytest.fixture(scope="module")
def g4():
    return mesh.uniform(4, tolerance=1e-3)


def owners_of(whole, ranks):
    """The owner of each cell of a mesh that METIS partitions."""
    return np.asarray(graph.partition(whole.cell_offsets, whole.cells_on_cell, ranks))


def counted(whole, owners, ranks):
    """Numbers of cells (receiver, sender) of a halo of one layer, counted from pairs of neighbours only."""
    receiver = np.repeat(owners, np.diff(whole.cell_offsets))
    cells = whole.cells_on_cell
    is_remote = (cells >= 0) & (receiver != owners[cells])
    pairs = np.unique(np.stack([receiver[is_remote], cells[is_remote]]), axis=1)
    matrix = np.zeros((ranks, ranks), np.int64)
    np.add.at(matrix, (pairs[0], owners[pairs[1]]), 1)
    return matrix


def dense(volumes, values):
    """The values of pairs of ranks as a matrix (receiver, sender)."""
    matrix = np.zeros((volumes.n_ranks, volumes.n_ranks), np.int64)
    matrix[volumes.receivers, volumes.peers] = values
    return matrix


@pytest.mark.parametrize("ranks", [1, 2, 12, 400])
def test_a_layer_of_cells(g4, ranks):
    """Bytes and messages between each pair of ranks are those of cells counted independently."""
    owners = owners_of(g4, ranks)
    found, expected = halo_volumes(g4, owners, ranks, cell_bytes=5040), counted(g4, owners, ranks)
    assert np.array_equal(dense(found, found.bytes), 5040 * expected)
    assert np.array_equal(dense(found, found.messages), expected > 0)
    assert np.array_equal(found.received(found.bytes), 5040 * expected.sum(axis=1))
    assert np.array_equal(found.sent(found.bytes), 5040 * expected.sum(axis=0))
    assert found.is_symmetric()


def test_a_limited_area(g4):
    """On a mesh with a boundary, bytes are also those of cells counted independently."""
    part = mesh.cut(g4, (g4.cell_latitude > 0.3).astype(np.uint8))
    owners = owners_of(part, 9)
    found = halo_volumes(part, owners, 9, cell_bytes=1)
    assert np.array_equal(dense(found, found.bytes), counted(part, owners, 9))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_layers_are_those_of_the_parts(g4, layers):
    """The bytes from each sender are the cells that it owns in the halo of the decomposition."""
    owners = owners_of(g4, 12)
    halo = halo_volumes(g4, owners, 12, layers=layers, cell_bytes=1)
    for rank in range(12):
        part = areas_of(Decomposition(g4, owners, rank, layers))
        assert len(part.layers) == layers
        by_owner = np.bincount(owners[np.concatenate(part.layers)], minlength=12)
        assert np.array_equal(dense(halo, halo.bytes)[rank], by_owner)


def test_fields_on_cells_edges_and_vertices_travel_in_one_message(g4):
    owners = owners_of(g4, 12)
    single = [halo_volumes(g4, owners, 12, **{f"{name}_bytes": 8}) for name in ("cell", "edge", "vertex")]
    together = halo_volumes(g4, owners, 12, cell_bytes=8, edge_bytes=8, vertex_bytes=8)
    summed = sum(dense(volumes, volumes.bytes) for volumes in single)
    assert np.array_equal(dense(together, together.bytes), summed)
    assert together.messages.max() == 1
    nothing = halo_volumes(g4, owners, 12)
    assert len(nothing.peers) == 0 and nothing.n_ranks == 12


def test_areas(g4):
    """The owned cells of a part; inner cells have owned neighbours only, boundary cells also others."""
    owners = owners_of(g4, 12)
    part = areas_of(Decomposition(g4, owners, 7, 1))
    owned = np.flatnonzero(owners == 7)
    assert np.array_equal(np.sort(part.owned), owned)
    for cells, is_inner in ((part.inner, True), (part.boundary, False)):
        for cell in cells:
            neighbours = g4.cells_on_cell[g4.cell_offsets[cell] : g4.cell_offsets[cell + 1]]
            assert (owners[neighbours] == 7).all() == is_inner


def test_symmetry_is_found_where_it_is():
    def volumes(pairs):
        receivers, senders = np.array(sorted(pairs)).T
        offsets = np.searchsorted(receivers, np.arange(4))
        return Volumes(offsets, senders, np.ones(len(pairs), int), np.full(len(pairs), 8))

    assert volumes([(0, 1), (1, 0), (1, 2), (2, 1)]).is_symmetric()
    assert not volumes([(0, 1), (1, 2), (2, 0)]).is_symmetric()
    assert not volumes([(0, 1), (1, 0), (1, 2)]).is_symmetric()


def test_eq_2_of_the_published_topology(g4):
    """The bytes that rank i receives from its neighbours j are those of Eq. 2 of Pang et al. (2025),
    V_i = sum_j num_recv_j * num_fre * num_dir * len_data * steps, with the cells num_recv_j counted
    independently."""
    owners, exchange = owners_of(g4, 8), Exchange(bins=35 * 36, bytes_per_value=4, steps=60)
    found = cost(exchange.owned(g4, owners, 8), exchange.volumes(g4, owners, 8), exchange)
    received = counted(g4, owners, 8).sum(axis=1)
    assert found["bytes_total"] == (received * 35 * 36 * 4 * 60).sum()
    assert found["cells_halo"] == {"min": received.min(), "mean": received.mean(), "max": received.max()}
    assert found["bytes_received"]["max"] == received.max() * 35 * 36 * 4
    assert found["imbalance_bytes"] == received.max() / received.mean()
    assert found["cells_owned"]["mean"] == g4.n_cells / 8


@pytest.mark.parametrize(("on", "kind"), [("edges", 1), ("vertices", 2)])
def test_what_edges_and_vertices_cost(g4, on, kind):
    """The cost report of fields on edges or vertices counts the owned and halo items of the decomposition."""
    owners, exchange = owners_of(g4, 6), Exchange(bins=3, bytes_per_value=8, layers=2, on=on)
    found = cost(exchange.owned(g4, owners, 6), exchange.volumes(g4, owners, 6), exchange)
    parts = [Decomposition(g4, owners, rank, 2) for rank in range(6)]
    index_maps = [(part.cells, part.edges, part.vertices)[kind] for part in parts]
    owned = np.array([index_map.n_owned for index_map in index_maps])
    halo = np.array([len(index_map.to_global) for index_map in index_maps]) - owned
    assert found[f"{on}_owned"] == {"min": owned.min(), "mean": owned.mean(), "max": owned.max()}
    assert found[f"{on}_halo"] == {"min": halo.min(), "mean": halo.mean(), "max": halo.max()}
    assert found["bytes_total"] == 24 * 60 * halo.sum()


def test_halos_are_nearly_as_small_as_hexagons_allow(g4):
    """n cells of a plane of hexagons have at least sqrt(12 n - 3) + 3 neighbours, if they form a hexagon."""
    owners = owners_of(g4, 20)
    fewest = np.sqrt(12 * np.bincount(owners) - 3) + 3
    volumes = halo_volumes(g4, owners, 20, cell_bytes=1)
    found = volumes.received(volumes.bytes)
    assert (found > 0.9 * fewest).all()
    assert found.mean() < 1.15 * fewest.mean()


def test_mistakes(g4):
    """Invalid layers, sizes, owners and options are refused with texts that name them."""
    owners = owners_of(g4, 4)
    with pytest.raises(ConfigError, match="at least 1 layer, not 0"):
        halo_volumes(g4, owners, 4, layers=0, cell_bytes=1)
    with pytest.raises(ConfigError, match="bytes per item are -8"):
        halo_volumes(g4, owners, 4, cell_bytes=-8)
    with pytest.raises(InputError, match="owned by rank 3, but the ranks are 0 to 2"):
        halo_volumes(g4, owners, 3, cell_bytes=1)
    with pytest.raises(InputError, match="5 owners of 2562 cells"):
        halo_volumes(g4, owners[:5], 4, cell_bytes=1)
    with pytest.raises(ConfigError, match="bytes_per_value is 0, but must be at least 1"):
        Exchange(bytes_per_value=0)
    with pytest.raises(ConfigError, match="on is 'faces', but must be one of cells, edges, vertices"):
        Exchange(on="faces")
