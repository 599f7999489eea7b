"""The atmosphere: a dynamical core on global Voronoi meshes, and its initial states."""

from halcyon._core.atmosphere import (
    WATER_TRACERS,
    Air,
    AirOptions,
    Core,
    EquationSet,
    Planet,
    Scheme,
    Transport,
    air_integral_variables,
    air_start_names,
    air_start_options,
    air_start_planet,
    air_variables,
    equation_sets,
    integral_variables,
    interface_values,
    interpolate,
    make_core,
    needs_moist_air,
    shallow_water_variables,
    start_names,
    start_options,
    tracer_variable,
)
from halcyon.atmosphere.air_start import AirStart
from halcyon.atmosphere.tables import EQUATION_SETS, variables_of
from halcyon.deprecated import provide

__all__ = [
    "EQUATION_SETS",
    "WATER_TRACERS",
    "Air",
    "AirOptions",
    "AirStart",
    "Core",
    "EquationSet",
    "Planet",
    "Scheme",
    "Transport",
    "air_integral_variables",
    "air_start_names",
    "air_start_options",
    "air_start_planet",
    "air_variables",
    "equation_sets",
    "integral_variables",
    "interface_values",
    "interpolate",
    "make_core",
    "needs_moist_air",
    "shallow_water_variables",
    "start_names",
    "start_options",
    "tracer_variable",
    "variables_of",
]

provide(__name__)
