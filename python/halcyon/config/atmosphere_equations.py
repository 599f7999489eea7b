"""`equations:` of the atmosphere: what is solved, and how."""

from __future__ import annotations

from typing import Literal

from halcyon.choices import choice, choices, names
from halcyon.config.option import Group, option
from halcyon.config.registry import group_of_all


class Sponge(Group):
    """Takes up waves below the top: the wind goes back to that of the start, the vertical wind of
    nonhydrostatic to rest, faster the higher it is (Klemp and Lilly 1978)."""

    pressure: float = option("It acts where there is less.", unit="Pa", gt=0, le=1e5)
    rate: float = option("At the top.", unit="s-1", gt=0, le=1)


class _Equations(Group):
    """What is solved, and how. `equations: hydrostatic` stands for `equations: {set: hydrostatic}`."""

    @property
    def has_levels(self) -> bool:
        """Whether its fields have levels."""
        return "levels" in choice("equation sets", self.set).goes_with


_OWN = {
    "set": (Literal[names("equation sets")], option("The set of equations.", default="shallow_water")),
    "sponge": (
        Sponge | None,
        option(
            "Below the top; by default there is none.",
            default=None,
            allowed="a group with 'pressure' and 'rate'",
        ),
    ),
}
Equations = group_of_all("Equations", choices("equation sets"), _Equations, _OWN)
