"""What the starts of all equations of the atmosphere have in common, and their names."""

from __future__ import annotations

from collections.abc import Mapping

from halcyon.config.option import Group

OF_SHALLOW_WATER = (
    "cosine_bell",
    "solid_rotation",
    "thin_layer",
    "mountain",
    "rossby_haurwitz",
    "barotropic_jet",
    "modons",
)
OF_AIR = ("baroclinic_wave", "resting_mountain", "mountain_waves", "gravity_wave", "held_suarez")


def listed(names: tuple[str, ...]) -> str:
    """'a', 'b' or 'c'."""
    *most, last = (f"'{name}'" for name in names)
    return f"{', '.join(most)} or {last}"


def sets_of(starts: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """The sets of equations of each start, of the starts of each set."""
    names = dict.fromkeys(name for those in starts.values() for name in those)
    return {name: [each for each, those in starts.items() if name in those] for name in names}


TYPES = listed((*OF_SHALLOW_WATER, *OF_AIR))


class Start(Group):
    """A state that a formula gives."""

    @property
    def word(self) -> str:
        """What the run starts from."""
        return self.type

    def options(self) -> dict[str, float]:
        """As the C++ side takes them: angles in radians."""
        return {name: float(value) for name, value in self.model_dump(exclude={"type"}).items()}
