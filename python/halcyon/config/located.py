"""Mistakes that are found after a case was read, and the option that each belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from halcyon.base import ConfigError, Error, InputError
from halcyon.config.yaml_source import Location

_MISTAKES = (ConfigError, InputError)


@contextmanager
def about(*location: str | int, of: tuple[type[Error], ...] = _MISTAKES) -> Iterator[None]:
    """Mistakes of such types that are found meanwhile are this option's, unless one inside has been named."""
    try:
        yield
    except of as error:
        if not hasattr(error, "location"):
            error.location = location
        raise


def option_of(error: Error) -> Location | None:
    """The option that a mistake belongs to, where `about` has said it."""
    return getattr(error, "location", None)
