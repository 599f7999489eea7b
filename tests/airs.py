"""Small airs on which several tests run the atmosphere."""

from mpi4py import MPI

import globes
from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces

SETS = ("hydrostatic", "nonhydrostatic")


def core(
    mesh, equations, comm=MPI.COMM_SELF, *, start, count=8, top=5000.0, options=None, levels=None, **ways
):
    """Collective. A core of one of the SETS on the planet of its start; `levels` as options of
    `halcyon.atmosphere.levels.interfaces`, ways as those of `globes.core` and of `AirOptions`."""
    chosen = {name: ways.pop(name) for name in _AIR if name in ways}
    a, b = interfaces(count, top, **(levels or {}))
    air = atmosphere.AirOptions(a=a, b=b, nonhydrostatic=equations == "nonhydrostatic", **chosen)
    ways.setdefault("planet", atmosphere.air_start_planet(start))
    return globes.core(mesh, comm, start=start, options=options, air=air, **ways)


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
