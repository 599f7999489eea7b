"""Dynamical cores of the air on small meshes, used by several tests."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from tests.support import meshes

EQUATION_SETS = ("hydrostatic", "nonhydrostatic")
DAY_S = 86400
AIR = atmosphere.Air()
PLANET = atmosphere.Planet()
AT_REST = {"start": "held_suarez", "options": {"perturbation": 0}}  # isothermal air of 300 K
SMOOTH_MOUNTAINS = {"half_width": 3e6, "wavelength": 3e6}  # [m], options of the start mountain_waves

each_equation_set = pytest.mark.parametrize("equations", EQUATION_SETS)


def core(
    mesh, equations, comm=MPI.COMM_SELF, *, start, count=8, top=5000.0, options=None, levels=None, **settings
):
    """Collective. Makes a core of one of the EQUATION_SETS, by default on the planet of its start.

    count: number of levels; top: pressure at the top [Pa]; levels: options of
    `halcyon.atmosphere.levels.interfaces`; options: options of the start; settings: options of `meshes.core`
    and `AirOptions`."""
    air_options = {name: settings.pop(name) for name in _AIR_OPTIONS if name in settings}
    a, b = interfaces(count, top, **(levels or {}))
    air = atmosphere.AirOptions(a=a, b=b, nonhydrostatic=equations == "nonhydrostatic", **air_options)
    settings.setdefault("planet", atmosphere.air_start_planet(start))
    return meshes.core(mesh, comm, start=start, options=options, air=air, **settings)


_AIR_OPTIONS = (
    "off_centring",
    "sponge_pressure",
    "sponge_rate",
    "physics",
    "held_suarez",
    "reference",
    "keep_energy",
    "tracers",
    "tile_bytes",
    "moist",
)


def advanced(core, duration_s, step_s):
    """Collective. The core after steps of step_s over duration_s; fails if the state became invalid."""
    for _ in range(round(duration_s / step_s)):
        core.step(step_s)
    assert core.failure.cell == -1
    return core


def change(core, before):
    """Relative changes of the global integrals (mass, energy, ...) since `before`."""
    return (core.integrals() - before) / abs(before)


def max_wind(core):
    """Collective. The largest component of horizontal wind [m s-1] on this rank."""
    return max(abs(values).max() for values in core.products(["eastward_wind", "northward_wind"]).values())


def columns(core, a, b):
    """Pressure, mass and Exner function of layers (cell, level) at the present surface pressure."""
    interfaces = a + b * core.prognostic("surface_pressure")[:, None]
    layer = (interfaces[:, 1:] + interfaces[:, :-1]) / 2
    return layer, np.diff(interfaces, axis=1), (layer / AIR.reference_pressure) ** AIR.kappa
