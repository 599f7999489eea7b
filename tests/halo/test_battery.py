"""Every halo value is its owner's, bit for bit: by every method, in every order of the mesh, with one to
three layers, on cells, edges and vertices, of every type. `make test-ranks` has 8 and 16 ranks, too."""

import numpy as np
import pytest

import seas
from halcyon import graph
from halcyon.base import EARTH_RADIUS
from halcyon.halo import LOCATIONS, Decomposition, Field, Halo
from halcyon.mesh import ordered

pytestmark = pytest.mark.mpi

METHODS = (
    *("isend_recv", "isend_irecv", "persistent", "neighbor", "ineighbor", "neighbor_persistent"),
    *("shared", "auto"),
)
TYPES = (np.float32, np.float64, np.int32)
LAYERS = (1, 2, 3)
UNTOUCHED = -9


@pytest.fixture(scope="module")
def meshes():
    whole = seas.sphere(3)
    return {order: ordered(whole, order) for order in graph.ORDERS}


@pytest.fixture(scope="module")
def parts(comm, meshes):
    """This rank's part of the mesh in each order, with each number of layers."""
    owners = {
        order: graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
        for order, mesh in meshes.items()
    }
    return {
        (order, layers): Decomposition(meshes[order], owners[order], comm.rank, layers)
        for order in meshes
        for layers in LAYERS
    }


def shares(part):
    return dict(zip(LOCATIONS, (part.cells, part.edges, part.vertices), strict=True))


def points(mesh, location):
    return np.asarray(getattr(mesh, f"{location}_points"))


def due(mesh, part, field):
    """The coordinates [m] of each place that the rank holds, whatever its number in this order."""
    ids = np.asarray(shares(part)[field.location].to_global)
    return (EARTH_RADIUS * points(mesh, field.location)[ids]).astype(field.dtype)


@pytest.mark.parametrize("method", METHODS)
def test_all_that_can_be_exchanged(comm, meshes, parts, method):
    for (order, layers), part in parts.items():
        if method == "auto" and order != "hilbert":
            continue  # it measures all others at each set-up, and takes one of them
        group = [Field(location, dtype, (3,)) for location in LOCATIONS for dtype in TYPES]
        halo = Halo(comm, part, group, method=method)
        expected = [due(meshes[order], part, field) for field in group]
        for _ in range(2):
            given = [values.copy() for values in expected]
            for values, field in zip(given, group, strict=True):
                values[shares(part)[field.location].n_owned :] = UNTOUCHED
            halo.exchange(given)
            for found, wanted, field in zip(given, expected, group, strict=True):
                assert found.tobytes() == wanted.tobytes(), (order, layers, field)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("location", LOCATIONS)
def test_an_exchange_is_the_adjoint_of_summing_what_ranks_hold(comm, meshes, parts, location, method):
    """<E x, y> = <x, E' y> in whole numbers: E copies x from owners to all that hold a place, E' sums y over
    these, which is done here by global id."""
    part = parts["hilbert", 2]
    share = shares(part)[location]
    ids, owned = np.asarray(share.to_global), slice(0, share.n_owned)
    generator = np.random.default_rng(comm.rank)
    x, y = generator.integers(-1000, 1000, (2, len(ids)))
    given = x.copy()
    Halo(comm, part, [Field(location, np.int64)], method=method).exchange([given])
    sums = np.zeros(len(points(meshes["hilbert"], location)), np.int64)
    np.add.at(sums, ids, y)
    sums = comm.allreduce(sums)
    assert comm.allreduce(int(given @ y)) == comm.allreduce(int(x[owned] @ sums[ids[owned]]))
    assert np.array_equal(given[owned], x[owned])
