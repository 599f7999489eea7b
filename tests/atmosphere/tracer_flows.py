"""Analytic mass fluxes and tracer fields for tests of tracer transport."""

from dataclasses import dataclass

import numpy as np
from mpi4py import MPI

from halcyon import atmosphere
from halcyon.operators import Operators
from tests.support import meshes, sea_states

DAY_S = 86400.0
REVOLUTION_S = 12 * DAY_S


def column(values):
    """Values as an array with one level (item, 1)."""
    return np.ascontiguousarray(np.asarray(values)[:, None])


def points(mesh):
    """Cell centres on the unit sphere (cell, 3)."""
    return np.asarray(mesh.cell_points)


def rotation(mesh, tilt=0.7):
    """Nondivergent normal wind [m s-1] (edge, 1) of solid-body rotation with period REVOLUTION_S; tilt
    [rad] of the axis."""
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    speed = 2 * np.pi * meshes.PLANET.radius / REVOLUTION_S
    psi = meshes.PLANET.radius * speed * column(np.asarray(mesh.vertex_points) @ axis)
    return operators(mesh).tangential_gradient(np.ascontiguousarray(psi))


def operators(mesh):
    return Operators(sea_states.local_mesh(mesh), meshes.PLANET.radius)


@dataclass
class Flow:
    """Analytic flow on a global mesh with consistent horizontal mass fluxes F [kg m-1 s-1] (edge, level),
    downward mass fluxes M [kg m-2 s-1] (cell, interface) and masses m [kg m-2] (cell, level)."""

    mesh: object
    levels: int
    divergent: float = 20.0  # [m s-1] amplitude of the overturning circulation
    filling: float = 0.3  # fraction of the divergence that changes the mass of layers

    def __post_init__(self):
        p = points(self.mesh)
        chi = column(meshes.PLANET.radius * p[:, 0] * p[:, 2])
        self.operators = operators(self.mesh)
        self.rotational, self.overturning = rotation(self.mesh), self.operators.gradient(chi)
        k = np.arange(self.levels)
        self.profile = np.cos(np.pi * (k + 0.5) / self.levels)  # its sum is zero
        self.mass = np.repeat(column(1000 * (1 + 0.2 * p[:, 1])), self.levels, axis=1) * (1 + 0.1 * k)

    def step(self, dt, strength=1.0):
        """Returns F, M, and m before and after a step; advances the masses."""
        wind = self.rotational + strength * self.divergent * self.overturning * self.profile
        flux = 1000 * wind
        outflow = self.operators.divergence(np.ascontiguousarray(flux))
        downwards = np.zeros((self.mesh.n_cells, self.levels + 1))
        downwards[:, 1:-1] = -(1 - self.filling) * np.cumsum(outflow, axis=1)[:, :-1]
        before = self.mass
        self.mass = before - dt * (outflow + np.diff(downwards, axis=1))
        return tuple(np.ascontiguousarray(values) for values in (flux, downwards, before, self.mass))


class TracerTransport:
    """Tracer transport on the ranks of comm by fluxes that are given on the global mesh."""

    def __init__(
        self, mesh, comm=MPI.COMM_SELF, *, levels=1, tracers=1, scheme=None, method="isend_irecv",
        overlap=True, **options,
    ):  # fmt: skip
        local = sea_states.local_mesh(mesh, comm, **{"layers": 3, **options})
        self.comm = comm
        self.cells, self.edges = local.part.cells.to_global, local.part.edges.to_global
        self.owned = self.cells[: local.part.cells.n_owned]
        self.core = atmosphere.Transport(
            sea_states.core_comm(comm),
            local,
            meshes.PLANET,
            atmosphere.Scheme(**(scheme or {})),
            levels=levels,
            tracers=tracers,
            method=method,
            overlap=overlap,
        )

    def set(self, values, tracer=0):
        self.core.values(tracer)[:] = values[self.owned]

    def step(self, dt, flux, downwards, before, after):
        """Collective. Takes a step of dt [s] by the fluxes and masses that `Flow.step` returns."""
        cells, edges = self.cells, self.edges
        self.core.step(dt, flux[edges], downwards[cells], before[cells], after[cells])

    def values(self, tracer=0):
        """Collective. Returns q on the global mesh (cell, level)."""
        return sea_states.gathered(self.comm, self.owned, self.core.values(tracer).copy())


def rotated(mesh, q, days, step_s, **scheme):
    """The field q (cell) after advection by solid-body rotation in one layer of constant mass."""
    transport = TracerTransport(mesh, scheme=scheme)
    transport.set(column(q))
    mass, no_flux = np.full((mesh.n_cells, 1), 1e4), np.zeros((mesh.n_cells, 2))
    flux = 1e4 * rotation(mesh)
    for _ in range(round(days * DAY_S / step_s)):
        transport.step(step_s, flux, no_flux, mass, mass)
    return transport.values()[:, 0]


def distance(mesh, centre=(0, -1, 0)):
    """Distance from a point [rad] (cell)."""
    return np.arccos(np.clip(points(mesh) @ np.asarray(centre, float), -1, 1))


def slotted_disc(mesh):
    """1 in a slotted disc, 0.1 elsewhere (cell)."""
    east = np.remainder(mesh.cell_longitude, 2 * np.pi) - 1.5 * np.pi
    slot = (abs(east) < 1 / 12) & (mesh.cell_latitude > -0.2)
    return np.where((distance(mesh) < 0.5) & ~slot, 1.0, 0.1)
