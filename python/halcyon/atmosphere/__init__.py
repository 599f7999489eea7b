"""The atmosphere: a dynamical core on the globe, its horizontal operators and the states it starts from."""

from halcyon._core.atmosphere import (
    Air,
    Core,
    Operators,
    Planet,
    Scheme,
    air_start_names,
    air_start_options,
    air_start_planet,
    integral_variables,
    make_core,
    shallow_water_variables,
    start_names,
    start_options,
)
from halcyon.atmosphere.air_start import AirStart

__all__ = [
    "Air",
    "AirStart",
    "Core",
    "Operators",
    "Planet",
    "Scheme",
    "air_start_names",
    "air_start_options",
    "air_start_planet",
    "integral_variables",
    "make_core",
    "shallow_water_variables",
    "start_names",
    "start_options",
]
