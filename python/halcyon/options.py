"""Options of constructors and calls, as they are given: of the kind that is asked for, or ConfigError.

Each function takes an option's name and what was given for it, and returns that as its kind. Ranges are
checked where options are used.
"""

import operator

import numpy as np

from halcyon.base import ConfigError

__all__ = ["flag", "instance", "name_in", "number", "pair", "sequence", "text", "told", "whole"]

_BITS = 31
_LONGEST = 200  # letters of what was given


def told(given):
    """What was given, as `repr` has it, cut where that is long."""
    found = repr(given)
    return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}..."


def whole(name, given, bits=_BITS):
    """An int of at most so many bits, beside its sign."""
    try:
        found = None if isinstance(given, bool) else operator.index(given)
    except TypeError:
        found = None
    if found is None:
        raise ConfigError(f"{name} is {told(given)}. Give a whole number.")
    if abs(found) >= 2**bits:
        raise ConfigError(f"{name} is {told(given)}. Give a whole number below 2^{bits}.")
    return found


def number(name, given):
    """A float; it may be infinite, or none."""
    try:
        return float(None if isinstance(given, (str, bytes, bool)) else given)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(f"{name} is {told(given)}. Give a number.") from None


def flag(name, given):
    """A bool."""
    if not isinstance(given, (bool, np.bool_)):
        raise ConfigError(f"{name} is {told(given)}. Give True or False.")
    return bool(given)


def text(name, given):
    """A str."""
    if not isinstance(given, str):
        raise ConfigError(
            f"{name} is {told(given)}. Give a name, such as those that its documentation lists."
        )
    return given


def name_in(name, given, allowed):
    """One of some names."""
    if not (isinstance(given, str) and given in allowed):
        raise ConfigError(f"{name} is {told(given)}. Give one of {', '.join(allowed)}.")
    return given


def sequence(name, given, kind, fewest=1):
    """A tuple, each as `kind`, one of these functions, returns it."""
    try:
        found = None if isinstance(given, (str, bytes)) else tuple(given)
    except TypeError:
        found = None
    if found is None or len(found) < fewest:
        raise ConfigError(f"{name} is {told(given)}. Give a list{' of one or more' if fewest else ''}.")
    return tuple(kind(name, each) for each in found)


def pair(name, given, form):
    """Two whole numbers; `form` names them, such as (V, W)."""
    try:
        first, second = given
        return whole(name, first), whole(name, second)
    except (TypeError, ValueError, ConfigError):
        raise ConfigError(f"{name} is {told(given)}. Give two whole numbers: {form}.") from None


def instance(name, given, kind):
    """Of a class, or of one of several."""
    if not isinstance(given, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise ConfigError(f"{name} is {told(given)}. Give a {' or '.join(each.__name__ for each in kinds)}.")
    return given
