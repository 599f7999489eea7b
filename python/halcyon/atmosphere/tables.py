"""The tables of variables by the set of equations."""

from __future__ import annotations

from halcyon._core.atmosphere import air_variables, shallow_water_variables


def variables_of(equations: str):
    """The table of variables of `shallow_water`, `hydrostatic` or `nonhydrostatic`."""
    return shallow_water_variables() if equations == "shallow_water" else air_variables()
