"""Checks of the types of arguments of constructors and functions.

Each function takes the name of an argument and the given value, and returns the value in the required type.
It raises ConfigError for values of other types. The code that uses an argument checks its range."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

import numpy as np

from halcyon.base import ConfigError
from halcyon.deprecated import provide

__all__ = ["flag", "instance", "integer", "number", "one_of", "pair", "sequence", "shortened_repr", "text"]

_T = TypeVar("_T")
_BITS = 31
_MAX_CHARACTERS = 200  # length of the text of a given value in an error


def shortened_repr(given: object) -> str:
    """Returns the `repr` of a given value, truncated to `_MAX_CHARACTERS` characters."""
    text = repr(given)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


def integer(name: str, given: Any, bits: int = _BITS) -> int:
    """Returns an int whose absolute value is below 2^bits."""
    try:
        value = None if isinstance(given, bool) else operator.index(given)
    except TypeError:
        value = None
    if value is None:
        raise ConfigError(f"{name} is {shortened_repr(given)}. Give a whole number.")
    if abs(value) >= 2**bits:
        raise ConfigError(f"{name} is {shortened_repr(given)}. Give a whole number below 2^{bits}.")
    return value


def number(name: str, given: Any) -> float:
    """Returns a float, which may be infinite or NaN."""
    try:
        return float(cast(Any, None) if isinstance(given, (str, bytes, bool)) else given)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(f"{name} is {shortened_repr(given)}. Give a number.") from None


def flag(name: str, given: Any) -> bool:
    """Returns a bool."""
    if not isinstance(given, (bool, np.bool_)):
        raise ConfigError(f"{name} is {shortened_repr(given)}. Give True or False.")
    return bool(given)


def text(name: str, given: Any) -> str:
    """Returns a str."""
    if not isinstance(given, str):
        raise ConfigError(f"{name} is {shortened_repr(given)}. Give one of the names in its documentation.")
    return given


def one_of(name: str, given: Any, allowed: Collection[str]) -> str:
    """Returns one of the names `allowed`."""
    if not (isinstance(given, str) and given in allowed):
        raise ConfigError(f"{name} is {shortened_repr(given)}. Give one of {', '.join(allowed)}.")
    return given


def sequence(name: str, given: Any, kind: Callable[[str, Any], _T], fewest: int = 1) -> tuple[_T, ...]:
    """Returns a tuple of at least `fewest` items. kind: function that checks an item, such as `integer`."""
    try:
        items = None if isinstance(given, (str, bytes)) else tuple(given)
    except TypeError:
        items = None
    if items is None or len(items) < fewest:
        raise ConfigError(
            f"{name} is {shortened_repr(given)}. Give a list{' of one or more values' if fewest else ''}."
        )
    return tuple(kind(name, item) for item in items)


def pair(name: str, given: Any, form: str) -> tuple[int, int]:
    """Returns two whole numbers. form: their names in the error text, such as (V, W)."""
    try:
        first, second = given
        return integer(name, first), integer(name, second)
    except (TypeError, ValueError, ConfigError):
        raise ConfigError(f"{name} is {shortened_repr(given)}. Give two whole numbers: {form}.") from None


def instance(name: str, given: Any, kind: type[_T] | tuple[type[_T], ...]) -> _T:
    """Returns an instance of the class `kind`, or of one of a tuple of classes."""
    if not isinstance(given, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise ConfigError(
            f"{name} is {shortened_repr(given)}. Give a {' or '.join(cls.__name__ for cls in kinds)}."
        )
    return given


provide(__name__)  # keeps deprecated names working
