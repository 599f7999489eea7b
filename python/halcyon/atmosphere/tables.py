"""The equation sets of the atmosphere and their tables of variables."""

from __future__ import annotations

from halcyon._core.atmosphere import EquationSet, equation_sets

EQUATION_SETS: dict[str, EquationSet] = {equation_set.name: equation_set for equation_set in equation_sets()}


def variables_of(equations: str):
    """The table of variables of an equation set, such as `shallow_water`."""
    return EQUATION_SETS[equations].variables
