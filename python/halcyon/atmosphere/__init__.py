"""The atmosphere: a dynamical core on the globe, its horizontal operators and the states it starts from."""

from halcyon._core.atmosphere import (
    Core,
    Operators,
    Planet,
    Scheme,
    air_variables,
    integral_variables,
    interpolate,
    make_core,
    shallow_water_variables,
    start_names,
    start_options,
)
from halcyon.atmosphere.tables import variables_of

__all__ = [
    "Core",
    "Operators",
    "Planet",
    "Scheme",
    "air_variables",
    "integral_variables",
    "interpolate",
    "make_core",
    "shallow_water_variables",
    "start_names",
    "start_options",
    "variables_of",
]
