"""Options of physics schemes in case files: a list of schemes, each with its own options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ConfigDict, ValidationInfo

from halcyon.base import ConfigError
from halcyon.choices import choices, names
from halcyon.config.error_texts import suggestion
from halcyon.config.option import Group, Seconds, option, optional, resolved_path
from halcyon.config.run_case import RunCase

_FORMS = "LIBRARY.so:FUNCTION, FILE.py:FUNCTION or MODULE:FUNCTION"


def _scheme_name(value: Any, info: ValidationInfo) -> Any:
    """The name of a scheme, with the path of its file relative to the folder of the case file."""
    if not isinstance(value, str):
        return value
    place, _, function = value.rpartition(":")
    if not place.endswith(".py") and ".so" not in Path(place).suffixes:
        return value
    return f"{resolved_path(place, info)}:{function}"


class PhysicsScheme(Group):
    """A physics scheme; the other options are those of the scheme."""

    model_config = ConfigDict(extra="allow")
    registry: ClassVar[str] = ""  # of the built-in schemes

    scheme: Annotated[str, BeforeValidator(_scheme_name), f"the name of a scheme, or {_FORMS}"] = option(
        "Name of the scheme: a built-in one, or file and function of one of your own."
    )
    step: Seconds | None = optional(
        "Time between two calls, a multiple of the time step; by default each step.", unit="s"
    )

    @property
    def options(self) -> dict[str, Any]:
        """The options of the scheme."""
        return dict(self.model_extra or {})

    @property
    def label(self) -> str:
        """The name without the file."""
        return self.scheme.rpartition(":")[2]


class ColumnPhysicsScheme(PhysicsScheme):
    """A scheme of the column physics; the other options are those of the scheme."""

    registry: ClassVar[str] = "physics schemes"


SCHEMES = option(
    "Schemes of the column physics, in order: names, or groups with scheme, step and the options of the"
    " scheme. A single name is short for a list of it, and none for no physics.",
    default=[],
    allowed=f"a list of {', '.join(names('physics schemes'))}, {_FORMS}",
)


SOURCE_TERMS = option(
    "Source terms of your own, added to those of the set: names, or groups with scheme and the options of the"
    " scheme.",
    default=[],
    allowed=f"a list of {_FORMS}",
)


def expand_schemes(value: Any) -> Any:
    """Replaces the shorthands `none`, NAME and [NAME] by a list of groups."""
    if value == "none":
        return []
    if isinstance(value, (str, dict)):
        value = [value]
    if not isinstance(value, list):
        return value
    return [{"scheme": item} if isinstance(item, str) else item for item in value]


def labels_text(schemes: Sequence[PhysicsScheme]) -> str:
    """`held_suarez, cooling`"""
    return ", ".join(scheme.label for scheme in schemes)


def declare_fields(schemes: Sequence[PhysicsScheme]) -> bool:
    """Whether there are schemes that may have fields, which are known when a run loads them."""
    without = {each.name for each in choices("physics schemes") if "fields" not in each.traits}
    return any(scheme.scheme not in without for scheme in schemes)


def known_variables(case: RunCase, table: Iterable[Any], fixed: str = "") -> dict[str, Any]:
    """The variables of a model with its schemes, by name. Raises ConfigError for one in output.variables that
    is unknown or cannot be requested.

    @param fixed name of a variable that every file has, and that cannot be requested
    """
    variables = {variable.name: variable for variable in table}
    known = [name for name, variable in variables.items() if variable.output and name != fixed]
    for i, name in enumerate(case.output.variables or ()):
        if name not in known:
            raise ConfigError(
                f"{case.location('output', 'variables', i)}: {unknown_variable(case, name, known)}"
            )
    return variables


def unknown_variable(case: RunCase, name: str, known: Iterable[str]) -> str:
    """The error text of a variable that a case does not have."""
    from halcyon.physics.fields import scheme_of_field

    scheme = scheme_of_field(name) if case.model == "atmosphere" and case.equations.has_levels else None
    if scheme is None:
        return f"unknown variable '{name}'. {suggestion(name, known)}"
    return (
        f"'{name}' is a field of the physics scheme {scheme}, which the list 'physics' of this case lacks."
        " Add it there, or leave the variable out."
    )
