"""Runs of the air on one process, for validation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import RunError
from halcyon_validation.globe_runs import local_globe

SETS = tuple(each.name for each in atmosphere.equation_sets() if each.has_levels)
SAFETY = 0.85  # of the longest stable step at the start


def air_core(
    level: int,
    start: str,
    *,
    equations: str = "hydrostatic",
    count: int,
    top: float,
    spacing: str = "stretched",
    options: dict[str, float] | None = None,
    radius: float | None = None,
    rotation: float | None = None,
    scheme: dict[str, float] | None = None,
    **air: Any,
) -> atmosphere.Core:
    """A core on G<level> at a start: on its planet, or on one of another radius [m] and rotation [s-1].
    `count`, `top` [Pa] and `spacing` as of `levels.interfaces`, air as of `AirOptions`."""
    from mpi4py import MPI

    from halcyon.comm import communicator

    planet = atmosphere.air_start_planet(start)
    planet = atmosphere.Planet(
        radius=planet.radius if radius is None else radius,
        rotation=planet.rotation if rotation is None else rotation,
        gravity=planet.gravity,
    )
    a, b = interfaces(count, top, spacing=spacing)
    chosen = atmosphere.AirOptions(a=a, b=b, **air)
    comm = communicator(MPI.COMM_SELF)
    core = atmosphere.make_core(
        comm,
        local_globe(level),
        planet,
        atmosphere.Scheme(**(scheme or {})),
        equations=equations,
        air=chosen,
    )
    core.set(start, options or {})
    return core


def advance(core: atmosphere.Core, duration_s: float, *, step_s: float | None = None) -> None:
    """Takes equal steps, by default nearly the longest that is stable. Raises RunError where it blows up."""
    longest = SAFETY * core.longest_step() if step_s is None else step_s
    steps = math.ceil(duration_s / longest)
    for _ in range(steps):
        core.step(duration_s / steps)
    core.products([])  # looks at the last state
    found = core.trouble
    if found.cell >= 0:
        raise RunError(f"{found.variable} is {found.value:g} in cell {found.cell}, level {found.level}.")


def speed(core: atmosphere.Core) -> np.ndarray:
    """Of the wind [m s-1] (cell, level)."""
    winds = core.products(["eastward_wind", "northward_wind"])
    return np.hypot(winds["eastward_wind"], winds["northward_wind"])
