"""Small airs on which several tests run the atmosphere."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from tests.support import meshes

SETS = ("hydrostatic", "nonhydrostatic")
DAY_S = 86400
AIR = atmosphere.Air()
PLANET = atmosphere.Planet()
CALM = {"start": "held_suarez", "options": {"perturbation": 0}}  # of one temperature, at rest
HILLS = {"half_width": 3e6, "wavelength": 3e6}  # below a wind of 20 m/s

both = pytest.mark.parametrize("equations", SETS)


def core(
    mesh, equations, comm=MPI.COMM_SELF, *, start, count=8, top=5000.0, options=None, levels=None, **ways
):
    """Collective. A core of one of the SETS on the planet of its start; `levels` as options of
    `halcyon.atmosphere.levels.interfaces`, ways as those of `meshes.core` and of `AirOptions`."""
    chosen = {name: ways.pop(name) for name in _AIR if name in ways}
    a, b = interfaces(count, top, **(levels or {}))
    air = atmosphere.AirOptions(a=a, b=b, nonhydrostatic=equations == "nonhydrostatic", **chosen)
    ways.setdefault("planet", atmosphere.air_start_planet(start))
    return meshes.core(mesh, comm, start=start, options=options, air=air, **ways)


_AIR = (
    "off_centring",
    "sponge_pressure",
    "sponge_rate",
    "held_suarez",
    "reference",
    "keep_energy",
    "tracers",
    "tile_bytes",
)


def advanced(core, duration_s, step_s):
    for _ in range(round(duration_s / step_s)):
        core.step(step_s)
    assert core.trouble.cell == -1
    return core


def change(core, before):
    """Of the integrals, over what they were."""
    return (core.integrals() - before) / abs(before)


def fastest(core):
    return max(abs(values).max() for values in core.products(["eastward_wind", "northward_wind"]).values())


def columns(core, a, b):
    """Pressure of layers, their mass and Exner function (cell, level) of the present surface pressure."""
    at = a + b * core.prognostic("surface_pressure")[:, None]
    layer = (at[:, 1:] + at[:, :-1]) / 2
    return layer, np.diff(at, axis=1), (layer / AIR.reference_pressure) ** AIR.kappa
