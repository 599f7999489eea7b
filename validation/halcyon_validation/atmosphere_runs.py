"""Runs of shallow water and air on uniform meshes in a single process, for validation."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon import _core, atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import RunError
from halcyon.config.atmosphere import AIR_HYPERDIFFUSION
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh, scvt, voronoi_mesh
from halcyon.mesh.atomic_file import write_file
from halcyon_validation.check import Check

DAY_S = 86400.0
AIR_SETS = tuple(each.name for each in atmosphere.equation_sets() if each.has_levels)
AIR_SCHEME = {"sharp_vorticity": True, "hyperdiffusion": AIR_HYPERDIFFUSION}  # default of cases
SAFETY, AIR_SAFETY = 0.9, 0.85  # time step of shallow water and air, over the longest stable initial step


@functools.cache
def uniform_mesh(level: int) -> Mesh:
    """The uniform mesh G<level>."""
    return voronoi_mesh(scvt.uniform(level, tolerance=1e-5))


def mesh_of(level: int | Mesh) -> Mesh:
    """A mesh, or the uniform mesh G<level>."""
    return level if isinstance(level, Mesh) else uniform_mesh(level)


@functools.cache
def local_mesh(level: int | Mesh) -> LocalMesh:
    """A mesh, or the uniform mesh G<level>, as the part of a single rank, which is the whole mesh."""
    mesh = mesh_of(level)
    return LocalMesh(mesh, np.zeros(mesh.n_cells, np.int32), 0, 3)  # three halo layers for monotone tracers


def self_communicator() -> Any:
    """The communicator of this process alone (MPI.COMM_SELF)."""
    from mpi4py import MPI

    from halcyon.comm import communicator

    return communicator(MPI.COMM_SELF)


def initial_core(
    level: int | Mesh,
    start: str,
    options: dict[str, float] | None = None,
    *,
    planet: atmosphere.Planet | None = None,
    scheme: dict[str, float] | None = None,
    **settings: Any,
) -> atmosphere.Core:
    """Makes a core on a mesh, or G<level>, with the initial state `start`, by default on the Earth. options:
    of the initial state; settings: of `make_core`."""
    chosen = atmosphere.Scheme(**(scheme or {}))
    core = atmosphere.make_core(
        self_communicator(), local_mesh(level), planet or atmosphere.Planet(), chosen, **settings
    )
    core.set(start, options or {})
    return core


def air_core(
    level: int | Mesh,
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
    """Makes a core of the air on a mesh, or G<level>, with the initial state `start`, by default on the
    planet of that state, with the default scheme of cases; radius [m], rotation [rad s-1]. `count`, `top`
    [Pa] and `spacing`: arguments of `levels.interfaces`; air: of `AirOptions`."""
    planet = atmosphere.air_start_planet(start)
    planet = atmosphere.Planet(
        radius=planet.radius if radius is None else radius,
        rotation=planet.rotation if rotation is None else rotation,
        gravity=planet.gravity,
    )
    a, b = interfaces(count, top, spacing=spacing)
    chosen = atmosphere.AirOptions(a=a, b=b, **air)
    scheme = AIR_SCHEME if scheme is None else scheme
    return initial_core(level, start, options, planet=planet, scheme=scheme, equations=equations, air=chosen)


def advance(core: atmosphere.Core, duration_s: float, *, step_s: float | None = None) -> None:
    """Takes equal steps, by default close to the stability limit. Raises RunError for an invalid state."""
    longest = AIR_SAFETY * core.longest_step() if step_s is None else step_s
    steps = math.ceil(duration_s / longest)
    for _ in range(steps):
        core.step(duration_s / steps)
    core.products([])  # checks the last state
    failure = core.failure
    if failure.cell >= 0:
        raise RunError(
            f"{failure.variable} is {failure.value:g} in cell {failure.cell}, level {failure.level}."
        )


def product(core: Any, name: str) -> np.ndarray:
    """One product of a model."""
    return core.products([name])[name]


@dataclass(frozen=True)
class Run:
    """Result of a run: areas (point), names of the integrals, products (point) at start and end, integrals
    (day, name), steps per day, and solver iterations per step."""

    areas: np.ndarray
    names: list[str]
    first: dict[str, np.ndarray]
    last: dict[str, np.ndarray]
    integrals: np.ndarray
    steps: int = 0
    iterations: float = 0.0

    @property
    def changes(self) -> dict[str, float]:
        """Largest relative change of each integral."""
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


def run(
    level: int | Mesh,
    start: str,
    days: int,
    *,
    rotation: float | None = None,
    step_s: float = np.inf,
    **settings: Any,
) -> Run:
    """Runs shallow water on a mesh, or G<level>, with the longest stable step that divides a day, at most
    step_s; semi-implicit steps leave a margin for growing winds. settings: of `initial_core`."""
    planet = None if rotation is None else atmosphere.Planet(rotation=rotation)
    core = initial_core(level, start, planet=planet, **settings)
    steps = int(np.ceil(DAY_S / min(step_s, SAFETY * core.longest_step_with_margin())))
    names = ["height", "vorticity", "eastward_wind"]
    first, integrals = core.products(names), [core.integrals()]
    for _ in range(days):
        for _ in range(steps):
            core.step(DAY_S / steps)
        integrals.append(core.integrals())
    last = core.products(names)
    if core.failure.cell >= 0:
        raise RunError(f"{core.failure.variable} is {core.failure.value:g} in step {core.failure.step}.")
    areas = np.asarray(mesh_of(level).area_cell)
    rows = [row.name for row in atmosphere.integral_variables()]
    iterations = core.n_iterations / (days * steps)
    return Run(areas, rows, first, last, np.array(integrals), steps, iterations)


def climate_checks(latitude: np.ndarray, wind: np.ndarray, slowest: float, fastest: float) -> list[Check]:
    """Checks of a Held-Suarez climate: symmetric jets near 45 degrees in both hemispheres.

    @param latitude [degrees]  @param wind zonal means (latitude, level)  @param slowest, fastest jet [m s-1]
    """
    source, distance = "Held and Suarez (1994)", np.abs(latitude)
    jets = {"northern": wind[latitude > 0], "southern": wind[latitude < 0][::-1]}
    checks = []
    for name, jet in jets.items():
        position = float(distance[latitude > 0][jet.max(axis=1).argmax()])
        checks += [
            Check(f"maximum of the {name} jet", jet.max(), slowest, fastest, "m s-1", source),
            Check(f"latitude of the {name} jet", position, 35, 55, "degrees", source),
        ]
    easterly, westerly = wind[distance < 10, -1].mean(), wind[np.abs(distance - 45) < 8, -1].mean()
    return [
        *checks,
        Check("northern over southern jet", jets["northern"].max() / jets["southern"].max(), 0.9, 1.1),
        Check("surface easterlies at the equator", easterly, -15, 0, "m s-1", source),
        Check("surface westerlies near 45 degrees", westerly, 1, 15, "m s-1", source),
    ]


def saved_state(path: Path) -> dict[str, np.ndarray] | None:
    """The arrays of a file of `save_state`; None without a file, or if it is older than the compiled library,
    so that no state of other numerics is taken."""
    if not path.exists() or path.stat().st_mtime <= Path(_core.__file__).stat().st_mtime:
        return None
    with np.load(path) as file:
        return dict(file)


def save_state(path: Path, state: Mapping[str, np.ndarray]) -> None:
    """Writes arrays by name, in a folder that is created if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, lambda part: _save(part, state))


def _save(path: str, state: Mapping[str, np.ndarray]) -> None:
    with open(path, "wb") as file:
        np.savez(file, **state)
