"""The registries of the C++ library: physics sets, initial states, topologies, exchange methods and others.

Each entry is declared once, in C++; the build writes all entries to `choices.json` next to the compiled
module. Reading them does not load that module.
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
    """An option of an entry. `value`: default, or a value of its type if required; `names`: allowed values of
    a text; `word`: name of the default of a number, such as auto; ge, gt, le: limits, or None."""

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
    """An entry of a registry. `goes_with`: names that it can be combined with, such as equation sets."""

    name: str
    text: str = ""
    references: str = ""
    goes_with: tuple[str, ...] = ()
    options: tuple[ChoiceOption, ...] = field(default=())


def _internal_error(text: str) -> Exception:
    from halcyon.base import InternalError  # imported late, because it loads the compiled module

    return InternalError(text)


@cache
def _registries() -> dict[str, list[dict[str, Any]]]:
    found = find_spec("halcyon._core")
    path = Path(found.origin if found and found.origin else "").with_name("choices.json")
    if not path.is_file():
        raise _internal_error(f"{path} is missing. Build Halcyon again: `make build`.")
    return json.loads(path.read_text())


@cache
def choices(registry: str) -> tuple[Choice, ...]:
    """The entries of a registry, in its order. Raises InternalError for an unknown registry."""
    registries = _registries()
    if registry not in registries:
        raise _internal_error(f"unknown registry '{registry}'. Known registries: {', '.join(registries)}.")
    return tuple(
        Choice(
            **entry
            | {
                "goes_with": tuple(entry.get("goes_with", ())),
                "options": tuple(
                    ChoiceOption(**each | {"names": tuple(each.get("names", ()))})
                    for each in entry.get("options", ())
                ),
            }
        )
        for entry in registries[registry]
    )


def names(registry: str) -> tuple[str, ...]:
    """The names of the entries of a registry, in its order."""
    return tuple(each.name for each in choices(registry))


def choice(registry: str, name: str) -> Choice:
    """An entry of a registry by its name. Raises KeyError for an unknown name."""
    return {each.name: each for each in choices(registry)}[name]
