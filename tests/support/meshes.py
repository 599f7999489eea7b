"""Small global meshes on which several tests run the atmosphere."""

import functools

import numpy as np
from mpi4py import MPI

import halcyon.mesh
from halcyon import atmosphere
from tests.support import sea_states

PLANET = atmosphere.Planet()


@functools.cache
def globe(level):
    """G<level>, well converged; cached, so callers must not modify it."""
    return halcyon.mesh.voronoi_mesh(sea_states.triangulation(level))


def core(mesh, comm=MPI.COMM_SELF, *, start=None, options=None, planet=PLANET, scheme=None, **ways):
    """Collective. Creates a core on the ranks of comm, with an initial state; ways: options of
    `halcyon.atmosphere.make_core` and of `sea_states.local_mesh`."""
    decomposition = {name: ways.pop(name) for name in ("partition", "seed", "layers") if name in ways}
    local = sea_states.local_mesh(mesh, comm, **decomposition)
    made = atmosphere.make_core(
        sea_states.core_comm(comm), local, planet, atmosphere.Scheme(**(scheme or {})), **ways
    )
    if start is not None:
        made.set(start, options or {})
    return made


def gathered(comm, core, products=()):
    """Collective. Gathers the state and some products of all ranks in the order of global ids."""
    owned = {"cell": core.owned_cells, "edge": core.owned_edges}
    prognostic = [row for row in core.variables if row.restart]
    found = {
        row.name: sea_states.gathered(comm, owned[row.dimensions[0]], core.prognostic(row.name))
        for row in prognostic
    }
    values = core.products(list(products))
    return found | {name: sea_states.gathered(comm, owned["cell"], each) for name, each in values.items()}


def norms(mesh, found, exact):
    """The relative norms l1, l2 and l-infinity of an error (Williamson et al. 1992, equations 82-84)."""
    area, error = np.asarray(mesh.area_cell), found - exact
    return (
        (area * abs(error)).sum() / (area * abs(exact)).sum(),
        np.sqrt((area * error**2).sum() / (area * exact**2).sum()),
        abs(error).max() / abs(exact).max(),
    )
