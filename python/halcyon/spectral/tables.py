"""The tables of variables by the set of equations."""

from __future__ import annotations

from halcyon._core import spectral as core

EQUATIONS = ("barotropic", "shallow_water", "primitive")


def variables_of(equations: str):
    """The table of variables of `barotropic`, `shallow_water` or `primitive`."""
    return getattr(core, f"{equations}_variables")()


def integral_variables_of(equations: str):
    """The table of its integrals over the globe."""
    return getattr(core, f"{equations}_integral_variables")()
