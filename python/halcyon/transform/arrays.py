"""Arrays as the transforms take them, and give them back."""

import numpy as np

from halcyon.base import InputError

__all__ = ["numbers", "output"]


def numbers(given, dtype, name):
    """A contiguous array of what is given, of at least one dimension."""
    found = np.asarray(given)
    if not np.can_cast(found.dtype, dtype, "same_kind"):
        raise InputError(f"{name} is of {found.dtype}. Give numbers that {np.dtype(dtype)} can hold.")
    return np.ascontiguousarray(found, dtype=dtype)


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
    return given
