"""The registries: what a user may choose, as C++ declares it. Reading them does not load the compiled module.

Each member of a registry (a physics set, a start, a topology, an exchange method) is declared once, in C++;
the build writes them all to `choices.json` beside the compiled module.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["Choice", "ChoiceOption", "choice", "choices", "names"]


@dataclass(frozen=True)
class ChoiceOption:
    """An option of a choice: its default has its type; limits are None where there is none."""

    name: str
    value: Any
    text: str = ""
    unit: str = ""
    allowed: str = ""
    names: tuple[str, ...] = ()
    word: str = ""
    required: bool = False
    ge: float | None = None
    gt: float | None = None
    le: float | None = None


@dataclass(frozen=True)
class Choice:
    """A member of a registry."""

    name: str
    text: str = ""
    references: str = ""
    goes_with: tuple[str, ...] = ()
    options: tuple[ChoiceOption, ...] = field(default=())


def _bug(text: str) -> Exception:
    from halcyon.base import InternalError  # loads the compiled module

    return InternalError(text)


@cache
def _registries() -> dict[str, list[dict[str, Any]]]:
    found = find_spec("halcyon._core")
    path = Path(found.origin if found and found.origin else "").with_name("choices.json")
    if not path.is_file():
        raise _bug(f"{path} is missing, which the build makes. Build Halcyon again: `make build`.")
    return json.loads(path.read_text())


@cache
def choices(registry: str) -> tuple[Choice, ...]:
    """The members of a registry, in its order. Raises InternalError for an unknown registry."""
    registries = _registries()
    if registry not in registries:
        raise _bug(f"There is no registry '{registry}'. There are: {', '.join(registries)}.")
    return tuple(
        Choice(
            **member
            | {
                "goes_with": tuple(member.get("goes_with", ())),
                "options": tuple(
                    ChoiceOption(**each | {"names": tuple(each.get("names", ()))})
                    for each in member.get("options", ())
                ),
            }
        )
        for member in registries[registry]
    )


def names(registry: str) -> tuple[str, ...]:
    """The names of the members of a registry, in its order."""
    return tuple(each.name for each in choices(registry))


def choice(registry: str, name: str) -> Choice:
    """A member of a registry by its name. Raises KeyError where there is none."""
    return {each.name: each for each in choices(registry)}[name]
