"""The registries of the C++ library: physics sets, initial states, topologies, exchange methods and others.

Each entry is declared once, in C++; the build writes all entries to `choices.json` next to the compiled
module. This module reads the file without loading the compiled module.
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
    """An option of a registry entry. `value`: default, or for a required option a value of the option's type;
    `allowed`: allowed values in words; `names`: allowed values of a text option; `word`: name of a numeric
    default, such as auto; `ge`, `gt`, `le`: inclusive minimum, exclusive minimum, inclusive maximum, or
    None."""

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
    """An entry of a registry. `only_with`: names of the only entries of another registry that this entry can
    be combined with, such as the equation sets of an initial state; empty: all. `traits`: properties, such
    as "threads" of a fidelity that supports several threads. `heading`: heading of its docs table."""

    name: str
    text: str = ""
    references: str = ""
    only_with: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    heading: str = ""
    options: tuple[ChoiceOption, ...] = field(default=())


def _internal_error(text: str) -> Exception:
    from halcyon.base import InternalError  # imported here, because it loads the compiled module

    return InternalError(text)


@cache
def _registries() -> dict[str, list[dict[str, Any]]]:
    spec = find_spec("halcyon._core")
    path = Path(spec.origin if spec and spec.origin else "").with_name("choices.json")
    if not path.is_file():
        raise _internal_error(f"{path} is missing. Build Halcyon again: `make build`.")
    return json.loads(path.read_text())


@cache
def choices(registry: str) -> tuple[Choice, ...]:
    """Returns the entries of a registry, in order. Raises InternalError for an unknown registry."""
    registries = _registries()
    if registry not in registries:
        raise _internal_error(f"unknown registry '{registry}'. Known registries: {', '.join(registries)}.")
    return tuple(
        Choice(
            **entry
            | {
                "only_with": tuple(entry.get("only_with", ())),
                "traits": tuple(entry.get("traits", ())),
                "options": tuple(
                    ChoiceOption(**option | {"names": tuple(option.get("names", ()))})
                    for option in entry.get("options", ())
                ),
            }
        )
        for entry in registries[registry]
    )


def names(registry: str) -> tuple[str, ...]:
    """Returns the names of the entries of a registry, in order."""
    return tuple(entry.name for entry in choices(registry))


def choice(registry: str, name: str) -> Choice:
    """Returns the entry of a registry with a name. Raises KeyError for an unknown name."""
    return {entry.name: entry for entry in choices(registry)}[name]
