"""Checks and conversions of the arrays that transforms take and return."""

import numpy as np

from halcyon.base import InputError

__all__ = ["as_array", "output_array", "require_separate_memory", "without_mask"]


def as_array(given, dtype, name):
    """Returns a contiguous array of a type, of at least one dimension."""
    found = without_mask(given, name)
    if not np.can_cast(found.dtype, dtype, "same_kind"):
        raise InputError(f"{name} is of {found.dtype}. Give numbers that {np.dtype(dtype)} can hold.")
    return np.ascontiguousarray(found, dtype=dtype)


def without_mask(given, name):
    """Returns an array. Raises InputError for masked numbers, whose values are undefined."""
    missing = np.ma.count_masked(given) if isinstance(given, np.ma.MaskedArray) else 0
    if missing:
        raise InputError(f"{name} has {missing} masked numbers. Fill them, such as by {name}.filled(0).")
    try:
        return np.asarray(given)
    except ValueError:
        raise InputError(
            f"{name} is not an array: its rows have different lengths. Give a rectangular array of numbers."
        ) from None


def output_array(given, shape, dtype):
    """Returns the array for results: a new one, or the given one if it has the right shape, type and
    layout."""
    if given is None:
        return np.empty(shape, dtype)
    if not isinstance(given, np.ndarray):
        raise InputError(f"out is of {type(given)}. Give a numpy array.")
    if given.shape != shape or given.dtype != dtype or not given.flags.c_contiguous:
        raise InputError(
            f"out is {given.dtype} {given.shape}. Give a contiguous array of {np.dtype(dtype)} {shape}."
        )
    if not given.flags.writeable:
        raise InputError("out is read-only. Give an array that can be written.")
    return given


def require_separate_memory(results, given):
    """Raises InputError if a result shares memory with another result or an input, since these are
    written and read alternately."""
    for i, result in enumerate(results):
        if any(np.may_share_memory(result, other) for other in (*results[:i], *given)):
            raise InputError("out shares memory with another array of the call. Give arrays of their own.")
