"""Halo exchange from Python: every halo value equals the value on its owner, for any type, shape, location
and number of layers."""

import gc
import time

import numpy as np
import pytest

from halcyon import graph
from halcyon.base import ConfigError, InputError
from halcyon.halo import METHODS, Decomposition, Field, Halo, Topology
from tests.support import sea_states

pytestmark = pytest.mark.mpi

UNTOUCHED = -9  # value of halo items before they are received
GROUP = [
    Field("cell", np.float64, (3,)),
    Field("edge", np.float32, (2, 2), layers=1),
    Field("vertex", np.int32),
    Field("cell", np.int64, layers=1),
]


@pytest.fixture(scope="module")
def mesh():
    return sea_states.sphere(3)


@pytest.fixture(scope="module")
def part(comm, mesh):
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    return Decomposition(mesh, owners, comm.rank, 2)


def index_map_of(part, field):
    return {"cell": part.cells, "edge": part.edges, "vertex": part.vertices}[field.location]


def expected(part, field, *, exchanged):
    """A field of values that depend on global id and component; halo values only if `exchanged`."""
    index_map = index_map_of(part, field)
    n_set = index_map.layer_offsets[field.layers or -1] if exchanged else index_map.n_owned
    components = np.arange(np.prod(field.shape, dtype=int)).reshape(field.shape)
    ids = np.asarray(index_map.to_global).reshape(-1, *(1 for _ in field.shape))
    values = (10 * ids + components).astype(field.dtype)
    values[n_set:] = UNTOUCHED
    return values


def arrays(part, group=GROUP, *, exchanged=False):
    """The fields of a group before an exchange, or after it."""
    return [expected(part, field, exchanged=exchanged) for field in group]


def test_what_a_rank_holds(comm, mesh, part):
    """All cells, edges and vertices are owned once, and layer offsets begin after the owned entities."""
    for index_map, n in (
        (part.cells, mesh.n_cells),
        (part.edges, mesh.n_edges),
        (part.vertices, mesh.n_vertices),
    ):
        assert comm.allreduce(index_map.n_owned) == n
        offsets = index_map.layer_offsets
        assert (offsets[0], offsets[-1], len(offsets)) == (index_map.n_owned, len(index_map.to_global), 3)
    assert 0 <= part.n_inner <= part.cells.n_owned
    assert (part.n_inner == part.cells.n_owned) == (comm.size == 1)


@pytest.mark.parametrize("method", METHODS)
def test_every_halo_value_is_its_owner_s(comm, part, method):
    """Every method fills the halo with the owners' values, in arrays of the caller and of the Halo."""
    halo = Halo(comm, part, GROUP, method=method, node_memory=True)
    assert halo.description.startswith(method)
    for given in (arrays(part), halo.allocate()):
        for _ in range(2):
            for array, values in zip(given, arrays(part), strict=True):
                array[:] = values
            with halo.start(given):
                halo.progress()
            for found, reference in zip(given, arrays(part, exchanged=True), strict=True):
                assert np.array_equal(found, reference)


def arrives(found, reference, poll):
    """Whether the last value of each entity arrives while this rank calls `poll` a million times, every
    0.1 ms (minutes: other programs may use the machine)."""
    for _ in range(1_000_000):
        if np.array_equal(found[..., -1], reference[..., -1]):
            return True
        poll()
        time.sleep(1e-4)
    return False


def test_messages_come_while_a_rank_computes_by_the_turns_that_it_gives(comm, mesh):
    """Messages that are too large to be sent eagerly, received in place: without polls, the rank that starts
    first receives nothing before it waits."""
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    part = Decomposition(mesh, owners, comm.rank, 1)
    wide = [Field("cell", np.float64, (1 << 13,))]
    halo = Halo(comm, part, wide, method="isend_irecv")
    (given,), (reference,) = arrays(part, wide), arrays(part, wide, exchanged=True)
    comm.Barrier()
    with halo.start([given]):
        have_arrived = arrives(given, reference, halo.progress)
        comm.Barrier()  # also progresses messages, which the other ranks need
    assert have_arrived
    assert np.array_equal(given, reference)


@pytest.mark.parametrize("unpack", ["together", "singly"])
def test_messages_may_be_unpacked_elsewhere(comm, part, unpack):
    """Messages that are staged in buffers, and unpacked together or singly, give the same values."""
    halo = Halo(comm, part, GROUP, method="isend_irecv", unpack=unpack)
    given = arrays(part)
    halo.exchange(given)
    for found, reference in zip(given, arrays(part, exchanged=True), strict=True):
        assert np.array_equal(found, reference)
    with pytest.raises(ConfigError, match=r"unpack is 'later'. Use none, together or singly"):
        Halo(comm, part, GROUP, unpack="later")


@pytest.mark.parametrize("method", ["isend_irecv", "shared"])
def test_allocated_fields_are_zeros_and_outlive_the_halo(comm, part, method):
    given = Halo(comm, part, GROUP, method=method).allocate()
    gc.collect()
    for array, reference in zip(given, arrays(part), strict=True):
        assert (array.shape, array.dtype) == (reference.shape, reference.dtype)
        assert not array.any()
        array[:] = reference
        assert np.array_equal(array, reference)


def test_statistics_count_what_was_exchanged(comm, part):
    halo = Halo(comm, part, GROUP, method="isend_irecv")
    given = halo.allocate()
    for _ in range(3):
        halo.exchange(given)
    found = halo.statistics
    assert found.n_exchanges == 3
    assert found.received_bytes == 3 * halo.received_bytes
    assert comm.allreduce(found.sent_bytes) == comm.allreduce(found.received_bytes)
    assert comm.allreduce(found.n_sent) == comm.allreduce(found.n_received)
    assert (found.n_sent > 0) == (comm.size > 1)
    parts = found.pack_s, found.transfer_s, found.wait_s, found.unpack_s
    assert min(parts) >= 0
    assert found.total_s == pytest.approx(sum(parts), rel=1e-12)
    assert found.total_s > 0


def test_any_mesh_is_decomposed_from_its_lists(comm, mesh, part):
    """A topology from neighbour lists has the same parts as the mesh."""
    topology = Topology(mesh.cell_offsets, mesh.cells_on_cell)
    topology.share("edge", mesh.cell_offsets, mesh.edges_on_cell, mesh.n_edges)
    topology.share("vertex", mesh.cell_offsets, mesh.vertices_on_cell, mesh.n_vertices)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    found = Decomposition(topology, owners, comm.rank, 2)
    for index_map, reference in (
        (found.cells, part.cells),
        (found.edges, part.edges),
        (found.vertices, part.vertices),
    ):
        assert np.array_equal(index_map.to_global, reference.to_global)
        assert np.array_equal(index_map.layer_offsets, reference.layer_offsets)
    assert (topology.n_cells, found.n_inner) == (mesh.n_cells, part.n_inner)


def test_global_ids_become_local_ones(mesh, part):
    ids = np.arange(mesh.n_cells, dtype=np.int64)[::-1].copy()
    local = part.cells.to_local(ids)
    is_local = local >= 0
    assert is_local.sum() == len(part.cells.to_global)
    assert np.array_equal(part.cells.to_global[local[is_local]], ids[is_local])


def test_one_message_a_neighbour_of_all_fields(comm, part):
    """The bytes received for a group are the sum of the bytes for each field: the halo cells' values only."""

    def received(*group):
        return Halo(comm, part, group, method="isend_irecv").received_bytes

    assert received(*GROUP) == sum(received(field) for field in GROUP)
    halo_cells = len(part.cells.to_global) - part.cells.n_owned
    assert received(Field("cell", np.float32, (5,))) == 20 * halo_cells


def test_dropping_an_exchange_waits(comm, part):
    """A pending exchange that is deleted has completed."""
    halo = Halo(comm, part, GROUP[:1], method="isend_irecv")
    given = arrays(part, GROUP[:1])
    halo.start(given)
    gc.collect()
    assert np.array_equal(given[0], expected(part, GROUP[0], exchanged=True))
    halo.exchange(given)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda a: a[:1], r"1 arrays were given, but the group has 2 fields"),
        (
            lambda a: [a[0][:-1], a[1]],
            r"Array 0 is float64 \(\d+, 3\), but the field on cell needs float64 \(\d+, 3\)",
        ),
        (lambda a: [a[0].astype("f4"), a[1]], r"Array 0 is float32 .* needs float64"),
        (lambda a: [np.asfortranarray(a[0]), a[1]], r"Array 0 is float64 .*, not contiguous, but"),
        (lambda a: [a[0], read_only(a[1])], r"Array 1 cannot be written"),
    ],
)
def test_arrays_that_do_not_fit(comm, part, change, text):
    """Wrong arrays are refused with a text that names the array, and do not prevent a later exchange."""
    halo = Halo(comm, part, GROUP[:2], method="isend_irecv")
    with pytest.raises(ConfigError, match="0 arrays were given, but the group has 2 fields"):
        halo.start([])
    with pytest.raises(ConfigError, match=text):
        halo.start(change(arrays(part, GROUP[:2])))
    halo.exchange(arrays(part, GROUP[:2]))


def read_only(array):
    array.flags.writeable = False
    return array


def test_groups_that_cannot_be(comm, mesh, part):
    """Invalid locations, methods, layers, types and shapes are refused with texts that name them."""
    with pytest.raises(
        ConfigError, match=r"location of a field is 'corner'\. Give one of cell, edge, vertex"
    ):
        Field("corner")
    with pytest.raises(ConfigError, match=r"There is no exchange method 'post'"):
        Halo(comm, part, GROUP, method="post")
    with pytest.raises(ConfigError, match=r"A halo needs at least 1 layer, not 0"):
        Decomposition(mesh, np.zeros(mesh.n_cells, np.int32), 0, 0)
    with pytest.raises(ConfigError, match=r"A field has -1 halo layers"):
        Halo(comm, part, [Field("cell", layers=-1)], method="isend_irecv")
    with pytest.raises(ConfigError, match=r"A field needs 3 halo layers, but the decomposition has 2"):
        Halo(comm, part, [Field("cell", layers=3)], method="isend_irecv")
    with pytest.raises(ConfigError, match=r"type object, whose values are references to objects of one rank"):
        Field("cell", object)
    with pytest.raises(ConfigError, match=r"the shape \(3, -1\) per cell\. Give sizes of 0 or more"):
        Field("cell", shape=(3, -1))


def test_meshes_that_cannot_be():
    """A one-sided neighbour and an unknown location are refused."""
    offsets, neighbours = np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32)
    with pytest.raises(InputError, match=r"Cell 0 has the neighbour 1, but not vice versa\."):
        Topology(offsets, np.array([1, -1], np.int32))
    with pytest.raises(ConfigError, match=r"The location is 'corner'\. Give 'edge' or 'vertex'\."):
        Topology(offsets, neighbours).share("corner", offsets, neighbours, 2)
