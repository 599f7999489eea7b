"""Tracers are bitwise independent of the number of ranks, exchange method, partition and cell order."""

import functools

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from tests.atmosphere import tracer_flows
from tests.support import meshes

pytestmark = pytest.mark.mpi

LEVELS = 7
STEP_S = 3600.0
SETTINGS = [
    {},
    {"method": "persistent"},
    {"method": "shared"},
    {"overlap": False},
    {"layers": 4},
    {"partition": "recursive", "seed": 7},
    {"scheme": {"monotone": False}},
    {"scheme": {"monotone": False}, "layers": 2},
    {"scheme": {"transport_order": 2}},
]


@functools.cache
def fluxes():
    """The fluxes and masses of six steps, as `Flow.step` returns them, and the initial values of two
    tracers."""
    mesh = meshes.globe(3)
    flow = tracer_flows.Flow(mesh, LEVELS)
    steps = [flow.step(STEP_S) for _ in range(6)]
    q = np.random.default_rng(4).uniform(0, 1, (mesh.n_cells, LEVELS))
    q[:, 3:] *= tracer_flows.slotted_disc(mesh)[:, None]
    return steps, (q, tracer_flows.slotted_disc(mesh)[:, None] + 0 * q)


def run(mesh, comm, steps, start, **settings):
    """Collective. The values of both tracers on the global mesh after the steps."""
    transport = tracer_flows.TracerTransport(mesh, comm, levels=LEVELS, tracers=2, **settings)
    for tracer, values in enumerate(start):
        transport.set(values, tracer)
    for step in steps:
        transport.step(STEP_S, *step)
    return [transport.values(tracer) for tracer in (0, 1)]


def single_rank_result(scheme=None):
    return run(meshes.globe(3), MPI.COMM_SELF, *fluxes(), scheme=scheme)


def have_same_bytes(tracers, other):
    """Whether each tracer has the bytes of the other."""
    return [a.tobytes() == b.tobytes() for a, b in zip(tracers, other, strict=True)]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_any_way_leaves_the_same_bytes(comm, settings):
    """Every exchange method, halo width, partition and scheme gives the bits of one rank."""
    tracers = run(meshes.globe(3), comm, *fluxes(), **settings)
    assert have_same_bytes(tracers, single_rank_result(settings.get("scheme"))) == [True, True]
    assert not any(have_same_bytes(tracers, fluxes()[1]))
    if "scheme" in settings:
        assert not any(have_same_bytes(tracers, single_rank_result()))


def test_any_order_leaves_the_same_bytes(comm):
    """On a mesh with cells in random order tracers have the same bytes; reversed edges have fluxes of the
    opposite sign."""
    mesh = meshes.globe(3)
    order = np.random.default_rng(3).permutation(mesh.n_cells).astype(np.int32)
    reordered = halcyon.mesh.select(mesh, order)
    edges, signs = same_edges(mesh, reordered, order)
    steps, start = fluxes()
    steps = [
        (signs[:, None] * F[edges], *(values[order] for values in (M, before, after)))
        for F, M, before, after in steps
    ]
    tracers = run(reordered, comm, steps, [values[order] for values in start])
    assert have_same_bytes(tracers, [values[order] for values in single_rank_result()]) == [True, True]


def same_edges(mesh, reordered, order):
    """Maps the edges of `reordered` to edges of `mesh`; signs are -1 for edges of opposite direction."""
    ends = {tuple(sorted(pair)): e for e, pair in enumerate(np.asarray(mesh.cells_on_edge).tolist())}
    pairs = order[np.asarray(reordered.cells_on_edge)]
    edges = np.array([ends[tuple(sorted(pair))] for pair in pairs.tolist()])
    signs = np.where(np.asarray(mesh.cells_on_edge)[edges, 0] == pairs[:, 0], 1.0, -1.0)
    return edges, signs


@pytest.mark.parametrize("single", [False, True])
def test_a_bell_leaves_the_same_bytes(comm, single):
    """Shallow water with a fixed wind, which advects thickness with upwinded fluxes."""

    def thickness(comm, **settings):
        core = meshes.core(meshes.globe(3), comm, start="cosine_bell", single=single, layers=2, **settings)
        for _ in range(6):
            core.step(STEP_S)
        return meshes.gathered(comm, core)["layer_thickness"].tobytes()

    expected = thickness(MPI.COMM_SELF)
    assert thickness(comm) == expected and thickness(comm, overlap=False) == expected
