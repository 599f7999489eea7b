"""Runs of shallow water on one process, for validation."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from halcyon import atmosphere
from halcyon.base import RunError
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh, scvt, voronoi_mesh

DAY_S = 86400.0
SAFETY = 0.9


@functools.cache
def globe(level: int) -> Mesh:
    """The uniform mesh G<level>."""
    return voronoi_mesh(scvt.uniform(level, tolerance=1e-5))


@functools.cache
def local_globe(level: int) -> LocalMesh:
    """The same as the part of one rank."""
    mesh = globe(level)
    return LocalMesh(mesh, np.zeros(mesh.n_cells, np.int32), 0, 3)  # as limited tracers ask for


@dataclass(frozen=True)
class Course:
    """A state (cell) at the start and the end of a run, by product, the integrals at all its days, and how
    many steps a day had; of semi-implicit ones iterations a step."""

    mesh: Mesh
    first: dict[str, np.ndarray]
    last: dict[str, np.ndarray]
    integrals: np.ndarray
    steps: int
    iterations: float

    @property
    def changes(self) -> dict[str, float]:
        """The largest change of each integral over its value at the start."""
        start = self.integrals[0]
        worst = np.abs(self.integrals - start).max(axis=0) / np.abs(start)
        names = [row.name for row in atmosphere.integral_variables()]
        return dict(zip(names, worst.tolist(), strict=True))

    def norms(self, name: str) -> tuple[float, float, float]:
        """l1, l2 and l-infinity of the change of a product (Williamson et al. 1992, equations 82-84)."""
        area, before = np.asarray(self.mesh.area_cell), self.first[name]
        change = self.last[name] - before
        return (
            float((area * np.abs(change)).sum() / (area * np.abs(before)).sum()),
            float(np.sqrt((area * change**2).sum() / (area * before**2).sum())),
            float(np.abs(change).max() / np.abs(before).max()),
        )


def course(
    level: int,
    start: str,
    days: int,
    *,
    options: dict[str, float] | None = None,
    scheme: dict[str, float] | None = None,
    rotation: float | None = None,
    semi_implicit: bool = False,
    step_s: float = np.inf,
) -> Course:
    """A run on G<level> with the longest stable step, that divides a day; of semi-implicit ones the longest
    that winds have room for, and at most step_s."""
    from mpi4py import MPI

    from halcyon.comm import communicator

    planet = atmosphere.Planet() if rotation is None else atmosphere.Planet(rotation=rotation)
    core = atmosphere.make_core(
        communicator(MPI.COMM_SELF),
        local_globe(level),
        planet,
        atmosphere.Scheme(**(scheme or {})),
        semi_implicit=semi_implicit,
    )
    core.set(start, options or {})
    steps = int(np.ceil(DAY_S / min(step_s, SAFETY * core.longest_step_with_room())))
    names = ["height", "vorticity", "eastward_wind"]
    first, integrals = core.products(names), [core.integrals()]
    for _ in range(days):
        for _ in range(steps):
            core.step(DAY_S / steps)
        integrals.append(core.integrals())
    last = core.products(names)
    if core.trouble.cell >= 0:
        raise RunError(f"{core.trouble.variable} is {core.trouble.value:g} in step {core.trouble.step}.")
    return Course(globe(level), first, last, np.array(integrals), steps, core.n_iterations / (days * steps))
