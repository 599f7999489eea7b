"""Tracers have the same bytes on any number of ranks, with any method of exchange, partition and order."""

import functools

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from tests.atmosphere import carriers
from tests.support import meshes

pytestmark = pytest.mark.mpi

LEVELS = 7
STEP_S = 3600.0
WAYS = [
    {},
    {"method": "persistent"},
    {"method": "shared"},
    {"layers": 4},
    {"partition": "recursive", "seed": 7},
    {"scheme": {"monotone": False}},
    {"scheme": {"monotone": False}, "layers": 2},
    {"scheme": {"transport_order": 2}},
]


@functools.cache
def fluxes():
    """Of some steps, and the values of two tracers at the start."""
    mesh = meshes.globe(3)
    flow = carriers.Flow(mesh, LEVELS)
    steps = [flow.step(STEP_S) for _ in range(6)]
    q = np.random.default_rng(4).uniform(0, 1, (mesh.n_cells, LEVELS))
    q[:, 3:] *= carriers.box(mesh)[:, None]
    return steps, (q, carriers.box(mesh)[:, None] + 0 * q)


def run(mesh, comm, steps, start, **ways):
    carrier = carriers.Carrier(mesh, comm, levels=LEVELS, tracers=2, **ways)
    for tracer, values in enumerate(start):
        carrier.set(values, tracer)
    for step in steps:
        carrier.step(STEP_S, *step)
    return [carrier.values(tracer) for tracer in (0, 1)]


def alone(scheme=None):
    return run(meshes.globe(3), MPI.COMM_SELF, *fluxes(), scheme=scheme)


def same(ours, theirs):
    return [a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True)]


@pytest.mark.parametrize("ways", WAYS, ids=str)
def test_any_way_leaves_the_same_bytes(comm, ways):
    found = run(meshes.globe(3), comm, *fluxes(), **ways)
    assert same(found, alone(ways.get("scheme"))) == [True, True]
    assert not any(same(found, fluxes()[1]))
    if "scheme" in ways:
        assert not any(same(found, alone()))


def test_any_order_leaves_the_same_bytes(comm):
    """Edges may be turned round by it: their fluxes change sign."""
    mesh = meshes.globe(3)
    order = np.random.default_rng(3).permutation(mesh.n_cells).astype(np.int32)
    other = halcyon.mesh.select(mesh, order)
    edges, signs = same_edges(mesh, other, order)
    steps, start = fluxes()
    steps = [
        (signs[:, None] * F[edges], *(each[order] for each in (M, before, after)))
        for F, M, before, after in steps
    ]
    found = run(other, comm, steps, [values[order] for values in start])
    assert same(found, [values[order] for values in alone()]) == [True, True]


def same_edges(mesh, other, order):
    """The edges of a mesh that those of the other are, and -1 where they are turned round."""
    ends = {tuple(sorted(pair)): e for e, pair in enumerate(np.asarray(mesh.cells_on_edge).tolist())}
    pairs = order[np.asarray(other.cells_on_edge)]
    edges = np.array([ends[tuple(sorted(pair))] for pair in pairs.tolist()])
    signs = np.where(np.asarray(mesh.cells_on_edge)[edges, 0] == pairs[:, 0], 1.0, -1.0)
    return edges, signs


@pytest.mark.parametrize("single", [False, True])
def test_a_bell_leaves_the_same_bytes(comm, single):
    """In shallow water, where the thickness of a wind that stays is carried by upwinded fluxes."""

    def thickness(on, **ways):
        core = meshes.core(meshes.globe(3), on, start="cosine_bell", single=single, layers=2, **ways)
        for _ in range(6):
            core.step(STEP_S)
        return meshes.gathered(on, core)["layer_thickness"].tobytes()

    found = thickness(MPI.COMM_SELF)
    assert thickness(comm) == found and thickness(comm, overlap=False) == found
