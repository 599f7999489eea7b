"""The tables of variables by the set of equations."""

from halcyon._core import spectral as core
from halcyon.options import one_of

EQUATIONS = tuple(core.equation_sets())


def variables_of(equations: str):
    """The table of variables of a set of equations. Raises ConfigError for what is none."""
    return core.variables(one_of("equations", equations, EQUATIONS))


def integral_variables_of(equations: str):
    """The table of its integrals over the globe. Raises ConfigError for what is none."""
    return core.integral_variables(one_of("equations", equations, EQUATIONS))
