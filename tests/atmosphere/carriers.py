"""Flows of mass in closed form in which tests carry tracers."""

from dataclasses import dataclass

import numpy as np
from mpi4py import MPI

from halcyon import atmosphere
from halcyon.operators import Operators
from tests.support import meshes, sea_states

DAY_S = 86400.0
AROUND_S = 12 * DAY_S


def column(values):
    return np.ascontiguousarray(np.asarray(values)[:, None])


def points(mesh):
    return np.asarray(mesh.cell_points)


def rotation(mesh, tilt=0.7):
    """The wind [m s-1] (edge, 1) of a solid rotation once around in AROUND_S, which does not diverge."""
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    speed = 2 * np.pi * meshes.PLANET.radius / AROUND_S
    psi = meshes.PLANET.radius * speed * column(np.asarray(mesh.vertex_points) @ axis)
    return operators(mesh).tangential_gradient(np.ascontiguousarray(psi))


def operators(mesh):
    return Operators(sea_states.local_mesh(mesh), meshes.PLANET.radius)


@dataclass
class Flow:
    """Fluxes of mass F (edge, level) and M (cell, interface) with the masses m (cell, level) that they leave;
    on a mesh that is whole."""

    mesh: object
    levels: int
    divergent: float = 20.0  # m s-1, of a circulation that is closed in the vertical
    filling: float = 0.3  # of it, what is not closed but changes the mass of layers

    def __post_init__(self):
        at = points(self.mesh)
        chi = column(meshes.PLANET.radius * at[:, 0] * at[:, 2])
        self.operators = operators(self.mesh)
        self.turning, self.rising = rotation(self.mesh), self.operators.gradient(chi)
        k = np.arange(self.levels)
        self.profile = np.cos(np.pi * (k + 0.5) / self.levels)  # its sum is zero
        self.mass = np.repeat(column(1000 * (1 + 0.2 * at[:, 1])), self.levels, axis=1) * (1 + 0.1 * k)

    def step(self, dt, strength=1.0):
        """F, M, m before and after a step; the masses go on from it."""
        wind = self.turning + strength * self.divergent * self.rising * self.profile
        flux = 1000 * wind
        across = self.operators.divergence(np.ascontiguousarray(flux))
        downwards = np.zeros((self.mesh.n_cells, self.levels + 1))
        downwards[:, 1:-1] = -(1 - self.filling) * np.cumsum(across, axis=1)[:, :-1]
        before = self.mass
        self.mass = before - dt * (across + np.diff(downwards, axis=1))
        return tuple(np.ascontiguousarray(each) for each in (flux, downwards, before, self.mass))


class Carrier:
    """Tracers on the ranks of comm, in fluxes that are given for the whole mesh."""

    def __init__(
        self, mesh, comm=MPI.COMM_SELF, *, levels=1, tracers=1, scheme=None, method="isend_irecv", **how
    ):
        local = sea_states.local_mesh(mesh, comm, **{"layers": 3, **how})
        self.comm = comm
        self.cells, self.edges = local.part.cells.to_global, local.part.edges.to_global
        self.owned = self.cells[: local.part.cells.n_owned]
        self.transport = atmosphere.Transport(
            sea_states.core_comm(comm),
            local,
            meshes.PLANET,
            atmosphere.Scheme(**(scheme or {})),
            levels=levels,
            tracers=tracers,
            method=method,
        )

    def set(self, values, tracer=0):
        self.transport.values(tracer)[:] = values[self.owned]

    def step(self, dt, flux, downwards, before, after):
        """Collective."""
        cells, edges = self.cells, self.edges
        self.transport.step(dt, flux[edges], downwards[cells], before[cells], after[cells])

    def values(self, tracer=0):
        """Collective. Of the whole mesh (cell, level)."""
        return sea_states.gathered(self.comm, self.owned, self.transport.values(tracer).copy())


def turned(mesh, q, days, step_s, **scheme):
    """A field (cell) after some days of solid rotation, in one layer whose mass stays."""
    carrier = Carrier(mesh, scheme=scheme)
    carrier.set(column(q))
    mass, still = np.full((mesh.n_cells, 1), 1e4), np.zeros((mesh.n_cells, 2))
    flux = 1e4 * rotation(mesh)
    for _ in range(round(days * DAY_S / step_s)):
        carrier.step(step_s, flux, still, mass, mass)
    return carrier.values()[:, 0]


def distance(mesh, centre=(0, -1, 0)):
    """From a point [rad] (cell)."""
    return np.arccos(np.clip(points(mesh) @ np.asarray(centre, float), -1, 1))


def box(mesh):
    """1 in a disc with a slot, 0.1 elsewhere (cell)."""
    east = np.remainder(mesh.cell_longitude, 2 * np.pi) - 1.5 * np.pi
    slot = (abs(east) < 1 / 12) & (mesh.cell_latitude > -0.2)
    return np.where((distance(mesh) < 0.5) & ~slot, 1.0, 0.1)
