"""`physics:` the source terms."""

from __future__ import annotations

from halcyon.config.option import Group, either, options_of
from halcyon.config.registry import groups_of, union_of

_DEFAULT = "wam3"


class _Set(Group):
    """The options of a set of source terms."""

    def values(self) -> dict[str, bool | float | str]:
        """The options of the set as the C++ side names them."""
        return self.model_dump(by_alias=True, exclude={"set", "preset"})


SETS = groups_of("physics sets", tag="set", base=_Set)
DEFAULT_PHYSICS = SETS[_DEFAULT]()
_OF_PRESET = next(name for name, kind in SETS.items() if "preset" in options_of(kind))


Physics = union_of(
    {f"<{name}>": kind for name, kind in SETS.items()},
    lambda given: f"<{_OF_PRESET if 'preset' in given else given.get('set', _DEFAULT)}>",
    default=f"<{_DEFAULT}>",
)
PHYSICS_GROUPS = f"a group with set: {either([*SETS])}, or a preset"
