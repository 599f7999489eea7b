"""The atmosphere: a dynamical core on the globe and the states it starts from."""

from halcyon._core.atmosphere import (
    Air,
    AirOptions,
    Core,
    Planet,
    Scheme,
    Transport,
    air_integral_variables,
    air_start_names,
    air_start_options,
    air_start_planet,
    air_variables,
    integral_variables,
    interface_values,
    interpolate,
    make_core,
    shallow_water_variables,
    start_names,
    start_options,
    tracer_variable,
)
from halcyon.atmosphere.air_start import AirStart
from halcyon.atmosphere.tables import variables_of

__all__ = [
    "Air",
    "AirOptions",
    "AirStart",
    "Core",
    "Planet",
    "Scheme",
    "Transport",
    "air_integral_variables",
    "air_start_names",
    "air_start_options",
    "air_start_planet",
    "air_variables",
    "integral_variables",
    "interface_values",
    "interpolate",
    "make_core",
    "shallow_water_variables",
    "start_names",
    "start_options",
    "tracer_variable",
    "variables_of",
]
