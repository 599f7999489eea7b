"""Physics schemes of a case: loading, and the text of their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from halcyon.base import ConfigError
from halcyon.config.physics import PhysicsScheme
from halcyon.config.run_case import RunCase


def load_schemes(
    case: RunCase, load: Callable[..., Any], schemes: Sequence[PhysicsScheme], *option: str
) -> list[Any]:
    """The schemes of an option of the case. Raises ConfigError for a scheme that is not found or cannot be
    loaded, and for its unknown or invalid options.

    @param load column_scheme or spectrum_scheme of `halcyon.physics`
    @param schemes those of `RunCase.functions` are functions of the program
    """
    loaded = []
    for i, scheme in enumerate(schemes):
        try:
            given = case.functions.get(scheme.scheme, scheme.scheme)
            loaded.append(load(given, step=scheme.step or 0.0, **scheme.options))
        except ConfigError as error:
            raise ConfigError(f"{case.location(*option, i)}: {error}") from None
    return loaded


def scheme_error(scheme: str, message: str, result: str, location: str, number: int, start: datetime) -> str:
    """The text of the error of a scheme in a step.

    @param message its error; empty if a result, such as `drag = nan`, is not finite at a location
    @param start start of the step [UTC]
    """
    when = f"in step {number}, from {start:%Y-%m-%d %H:%M:%S} UTC"
    if message:
        return f"The physics scheme '{scheme}' failed {when}: {message}."
    return f"The physics scheme '{scheme}' computed {result} at {location}, {when}. Correct the scheme."
