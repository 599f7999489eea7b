"""Arrays as the transforms take them, and give them back."""

import numpy as np

from halcyon.base import InputError

__all__ = ["apart", "numbers", "output", "unmasked"]


def numbers(given, dtype, name):
    """A contiguous array of what is given, of at least one dimension."""
    found = unmasked(given, name)
    if not np.can_cast(found.dtype, dtype, "same_kind"):
        raise InputError(f"{name} is of {found.dtype}. Give numbers that {np.dtype(dtype)} can hold.")
    return np.ascontiguousarray(found, dtype=dtype)


def unmasked(given, name):
    """An array of what is given. Raises InputError where numbers are masked: what stands behind a mask is
    none of the field's."""
    missing = np.ma.count_masked(given) if isinstance(given, np.ma.MaskedArray) else 0
    if missing:
        raise InputError(f"{name} has {missing} masked numbers. Fill them, such as by {name}.filled(0).")
    try:
        return np.asarray(given)
    except ValueError:
        raise InputError(f"{name} is no array: its rows are unlike. Give one of numbers.") from None


def output(given, shape, dtype):
    """The array for results: a new one, or the given one where it fits."""
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


def apart(results, given):
    """Raises InputError where a result shares memory with another one, or with what it is made of, which are
    written and read by turns."""
    for i, result in enumerate(results):
        if any(np.may_share_memory(result, other) for other in (*results[:i], *given)):
            raise InputError("out shares memory with another array of the call. Give arrays of their own.")
