"""The tables of variables of the equation sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halcyon._core import spectral as core
from halcyon.options import one_of

if TYPE_CHECKING:
    from halcyon._core.fields import Variable


EQUATIONS = tuple(core.equation_sets())


def variables_of(equations: str) -> list[Variable]:
    """The table of variables of an equation set. Raises ConfigError for an unknown name."""
    return core.variables(one_of("equations", equations, EQUATIONS))


def integral_variables_of(equations: str) -> list[Variable]:
    """The table of global integrals of an equation set. Raises ConfigError for an unknown name."""
    return core.integral_variables(one_of("equations", equations, EQUATIONS))
