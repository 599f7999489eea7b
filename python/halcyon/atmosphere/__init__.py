"""The atmosphere: a dynamical core on the globe, its horizontal operators and the states it starts from."""

from halcyon._core.atmosphere import (
    AirOptions,
    air_variables,
    air_integral_variables,
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
    "AirOptions",
    "air_integral_variables",
    "air_variables",
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
