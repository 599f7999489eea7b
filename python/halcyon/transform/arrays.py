"""Checks and conversions of the arrays that transforms take and return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import InputError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


__all__ = ["as_array", "output_array", "require_separate_memory", "without_mask"]


def as_array(values: ArrayLike, dtype: DTypeLike, name: str) -> np.ndarray:
    """Returns values as a contiguous array of type `dtype` with one or more dimensions. Raises InputError,
    with the name of the argument, for values that are not an array of such numbers."""
    array = without_mask(values, name)
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise InputError(f"{name} is of {array.dtype}. Give numbers that {np.dtype(dtype)} can hold.")
    return np.ascontiguousarray(array, dtype=dtype)


def without_mask(values: ArrayLike | None, name: str) -> np.ndarray:
    """Returns values as an array. Raises InputError for masked numbers, whose values are undefined."""
    n_masked = np.ma.count_masked(values) if isinstance(values, np.ma.MaskedArray) else 0
    if n_masked:
        raise InputError(f"{name} has {n_masked} masked numbers. Fill them, such as by {name}.filled(0).")
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(
            f"{name} is not an array: its rows have different lengths. Give a rectangular array of numbers."
        ) from None


def output_array(out: np.ndarray | None, shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """Returns the array for results: a new array if `out` is None, else `out`. Raises InputError unless `out`
    is a writeable contiguous array of this shape and type."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise InputError(f"out is of {type(out)}. Give a numpy array.")
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        raise InputError(
            f"out is {out.dtype} {out.shape}. Give a contiguous array of {np.dtype(dtype)} {shape}."
        )
    if not out.flags.writeable:
        raise InputError("out is read-only. Give an array that can be written.")
    return out


def require_separate_memory(results: Sequence[np.ndarray], inputs: Sequence[np.ndarray]) -> None:
    """Raises InputError if a result shares memory with another result or an input: results are written while
    inputs are still read."""
    for i, result in enumerate(results):
        if any(np.may_share_memory(result, other) for other in (*results[:i], *inputs)):
            raise InputError(
                "out shares memory with another array of the call. Give arrays with separate memory."
            )
