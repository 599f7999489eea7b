"""The equation sets of the atmosphere and their tables of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halcyon._core.atmosphere import EquationSet, equation_sets

if TYPE_CHECKING:
    from halcyon._core.fields import Variable


EQUATION_SETS: dict[str, EquationSet] = {equation_set.name: equation_set for equation_set in equation_sets()}


def variables_of(equations: str) -> list[Variable]:
    """The table of variables of an equation set, such as `shallow_water`."""
    return EQUATION_SETS[equations].variables
