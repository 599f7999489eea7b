"""A run leaves the same bytes on any number of ranks, with any method of exchange, partition and order."""

import functools

import numpy as np
import pytest
from mpi4py import MPI

import globes
import halcyon.mesh

pytestmark = pytest.mark.mpi

PRODUCTS = ("height", "eastward_wind", "northward_wind", "vorticity", "potential_vorticity", "kinetic_energy")
WAYS = [
    {},
    {"method": "isend_recv"},
    {"method": "persistent"},
    {"method": "neighbor"},
    {"method": "ineighbor"},
    {"method": "neighbor_persistent"},
    {"method": "shared"},
    {"method": "auto", "layers": 3},
    {"overlap": False},
    {"method": "shared", "overlap": False},
    {"layers": 3},
    {"partition": "recursive", "seed": 7},
]
SCHEMES = {
    "plain": {"vertex_energy": 0.0, "anticipation": 0.0},
    "dissipating": {"diffusion": 0.01, "hyperdiffusion": 0.05, "divergence_damping": 0.05},
}
STEP_S = 600.0


def run(comm, mesh, *, start="mountain", scheme=None, **ways):
    """The state, products and integrals of all ranks after some steps."""
    core = globes.core(mesh, comm, start=start, scheme=scheme, **{"layers": 2, **ways})
    for _ in range(12):
        core.step(STEP_S)
    assert core.trouble.cell == -1
    return globes.gathered(comm, core, PRODUCTS) | {"integrals": core.integrals()}


@functools.cache
def alone(start="mountain", scheme=None, single=False):
    return run(MPI.COMM_SELF, globes.globe(3), start=start, scheme=SCHEMES.get(scheme), single=single)


def differing(ours, theirs):
    assert ours.keys() == theirs.keys()
    return [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()]


def test_the_run_is_worth_comparing():
    found = alone()
    assert all(np.isfinite(values).all() for values in found.values())
    assert np.ptp(found["height"]) > 900 and abs(found["northward_wind"]).max() > 0.9


@pytest.mark.parametrize("ways", WAYS, ids=lambda ways: "-".join(map(str, ways.values())) or "default")
def test_any_way_leaves_the_same_bytes(comm, ways):
    assert differing(run(comm, globes.globe(3), **ways), alone()) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("layers", [2, 3])
def test_any_scheme_leaves_the_same_bytes(comm, scheme, layers):
    found = run(comm, globes.globe(3), scheme=SCHEMES[scheme], layers=layers)
    assert differing(found, alone(scheme=scheme)) == []
    assert differing(found, alone()) != []


def test_32_bits_leave_the_same_bytes(comm):
    found = run(comm, globes.globe(3), single=True)
    assert found["layer_thickness"].dtype == np.float32
    assert differing(found, alone(single=True)) == []


def test_a_wind_that_stays_leaves_the_same_bytes(comm):
    assert differing(run(comm, globes.globe(3), start="cosine_bell"), alone("cosine_bell")) == []


def test_the_longest_step_is_the_same(comm):
    core = globes.core(globes.globe(3), comm, start="barotropic_jet")
    longest = comm.allreduce(core.longest_step(), op=MPI.MIN)
    assert longest == globes.core(globes.globe(3), start="barotropic_jet").longest_step()


def test_any_order_leaves_the_same_bytes(comm):
    mesh = globes.globe(3)
    order = np.random.default_rng(3).permutation(mesh.n_cells).astype(np.int32)
    found = run(comm, halcyon.mesh.select(mesh, order))
    for name in ("layer_thickness", *PRODUCTS):
        assert found[name].tobytes() == alone()[name][order].tobytes(), name
    assert found["integrals"].tobytes() == alone()["integrals"].tobytes()
