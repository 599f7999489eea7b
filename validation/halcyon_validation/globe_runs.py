"""Runs of the atmosphere on one process, for validation: shallow water and air on uniform meshes."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import RunError
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh, scvt, voronoi_mesh
from halcyon_validation.check import Check

DAY_S = 86400.0
SETS = tuple(each.name for each in atmosphere.equation_sets() if each.has_levels)
SAFETY, SAFETY_OF_AIR = 0.9, 0.85  # of the longest stable step at the start


@functools.cache
def globe(level: int) -> Mesh:
    """The uniform mesh G<level>."""
    return voronoi_mesh(scvt.uniform(level, tolerance=1e-5))


@functools.cache
def local_globe(level: int) -> LocalMesh:
    """The same as the part of one rank."""
    mesh = globe(level)
    return LocalMesh(mesh, np.zeros(mesh.n_cells, np.int32), 0, 3)  # as limited tracers ask for


def alone() -> Any:
    """The communicator of this process by itself."""
    from mpi4py import MPI

    from halcyon.comm import communicator

    return communicator(MPI.COMM_SELF)


def core_of(
    level: int,
    start: str,
    options: dict[str, float] | None = None,
    *,
    planet: atmosphere.Planet | None = None,
    scheme: dict[str, float] | None = None,
    **how: Any,
) -> atmosphere.Core:
    """A core on G<level> at a start, on the Earth or another planet; how as of `make_core`."""
    chosen = atmosphere.Scheme(**(scheme or {}))
    core = atmosphere.make_core(alone(), local_globe(level), planet or atmosphere.Planet(), chosen, **how)
    core.set(start, options or {})
    return core


def air_core(
    level: int,
    start: str,
    *,
    equations: str = "hydrostatic",
    count: int,
    top: float = 219.4,
    spacing: str = "stretched",
    options: dict[str, float] | None = None,
    radius: float | None = None,
    rotation: float | None = None,
    scheme: dict[str, float] | None = None,
    **air: Any,
) -> atmosphere.Core:
    """A core on G<level> at a start: on its planet, or on one of another radius [m] and rotation [s-1].
    `count`, `top` [Pa] and `spacing` as of `levels.interfaces`, air as of `AirOptions`."""
    planet = atmosphere.air_start_planet(start)
    planet = atmosphere.Planet(
        radius=planet.radius if radius is None else radius,
        rotation=planet.rotation if rotation is None else rotation,
        gravity=planet.gravity,
    )
    a, b = interfaces(count, top, spacing=spacing)
    chosen = atmosphere.AirOptions(a=a, b=b, **air)
    return core_of(level, start, options, planet=planet, scheme=scheme, equations=equations, air=chosen)


def advance(core: atmosphere.Core, duration_s: float, *, step_s: float | None = None) -> None:
    """Takes equal steps, by default nearly the longest that is stable. Raises RunError where it blows up."""
    longest = SAFETY_OF_AIR * core.longest_step() if step_s is None else step_s
    steps = math.ceil(duration_s / longest)
    for _ in range(steps):
        core.step(duration_s / steps)
    core.products([])  # looks at the last state
    found = core.trouble
    if found.cell >= 0:
        raise RunError(f"{found.variable} is {found.value:g} in cell {found.cell}, level {found.level}.")


def product(core: Any, name: str) -> np.ndarray:
    """One of the products of a model."""
    return core.products([name])[name]


@dataclass(frozen=True)
class Course:
    """Products (place) at the start and the end of a run, the areas of these places, the integrals by name at
    all its days, how many steps a day had, and of semi-implicit ones iterations a step."""

    areas: np.ndarray
    names: list[str]
    first: dict[str, np.ndarray]
    last: dict[str, np.ndarray]
    integrals: np.ndarray
    steps: int = 0
    iterations: float = 0.0

    @property
    def changes(self) -> dict[str, float]:
        """The largest change of each integral over its value at the start."""
        start = self.integrals[0]
        worst = np.abs(self.integrals - start).max(axis=0) / np.abs(start)
        return dict(zip(self.names, worst.tolist(), strict=True))

    def norms(self, name: str) -> tuple[float, float, float]:
        """l1, l2 and l-infinity of the change of a product (Williamson et al. 1992, equations 82-84)."""
        area, before = self.areas, self.first[name]
        change = self.last[name] - before
        return (
            float((area * np.abs(change)).sum() / (area * np.abs(before)).sum()),
            float(np.sqrt((area * change**2).sum() / (area * before**2).sum())),
            float(np.abs(change).max() / np.abs(before).max()),
        )


def course(
    level: int, start: str, days: int, *, rotation: float | None = None, step_s: float = np.inf, **how: Any
) -> Course:
    """A run of shallow water on G<level> with the longest stable step that divides a day; of semi-implicit
    ones the longest that winds have room for, and at most step_s. How as of `core_of`."""
    planet = None if rotation is None else atmosphere.Planet(rotation=rotation)
    core = core_of(level, start, planet=planet, **how)
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
    areas, rows = np.asarray(globe(level).area_cell), [row.name for row in atmosphere.integral_variables()]
    iterations = core.n_iterations / (days * steps)
    return Course(areas, rows, first, last, np.array(integrals), steps, iterations)


def climate(latitude: np.ndarray, wind: np.ndarray, slowest: float, fastest: float) -> list[Check]:
    """Of the forcing of Held and Suarez: a jet in each hemisphere near 45 degrees, and both alike.

    @param latitude [degrees]  @param wind zonal means (latitude, level)  @param slowest, fastest jet [m s-1]
    """
    source, away = "Held and Suarez (1994)", np.abs(latitude)
    jets = {"north": wind[latitude > 0], "south": wind[latitude < 0][::-1]}
    checks = []
    for name, jet in jets.items():
        place = float(away[latitude > 0][jet.max(axis=1).argmax()])
        checks += [
            Check(f"jet of the {name}", jet.max(), slowest, fastest, "m s-1", source),
            Check(f"its latitude, {name}", place, 35, 55, "degrees", source),
        ]
    easterly, westerly = wind[away < 10, -1].mean(), wind[np.abs(away - 45) < 8, -1].mean()
    return [
        *checks,
        Check("hemispheres: one jet over the other", jets["north"].max() / jets["south"].max(), 0.9, 1.1),
        Check("easterlies at the equator's ground", easterly, -15, 0, "m s-1", source),
        Check("westerlies at the ground near 45", westerly, 1, 15, "m s-1", source),
    ]
