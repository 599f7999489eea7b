"""The tables of variables by the set of equations."""

from __future__ import annotations

from halcyon._core import spectral as core
from halcyon.options import name_in

EQUATIONS = ("barotropic", "shallow_water", "primitive")


def variables_of(equations: str):
    """The table of variables of `barotropic`, `shallow_water` or `primitive`. Raises ConfigError for
    others."""
    return getattr(core, f"{name_in('equations', equations, EQUATIONS)}_variables")()


def integral_variables_of(equations: str):
    """The table of its integrals over the globe. Raises ConfigError for others."""
    return getattr(core, f"{name_in('equations', equations, EQUATIONS)}_integral_variables")()
