"""The atmosphere: a dynamical core on the globe, its horizontal operators and the states it starts from."""

from halcyon._core.atmosphere import (
    Core,
    Operators,
    Planet,
    Scheme,
    Transport,
    integral_variables,
    interface_values,
    make_core,
    shallow_water_variables,
    start_names,
    start_options,
)

__all__ = [
    "Core",
    "Operators",
    "Planet",
    "Scheme",
    "Transport",
    "integral_variables",
    "interface_values",
    "make_core",
    "shallow_water_variables",
    "start_names",
    "start_options",
]
