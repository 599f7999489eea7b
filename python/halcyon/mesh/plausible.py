"""Checks that values that are read from files are possible on the earth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halcyon._core.base import plausible_ranges
from halcyon.base import InputError

RANGES = {range.quantity: range for range in plausible_ranges()}
REMEDY = "check units, and mark missing values by _FillValue"


def limits(quantity: str) -> tuple[float, float]:
    """Returns the lowest and the highest plausible value of a quantity, in the unit of `RANGES`."""
    return RANGES[quantity].lowest, RANGES[quantity].highest


def require_plausible(
    quantity: str,
    label: str,
    values: np.ndarray,
    place: Callable[[tuple[int, ...]], str],
    remedy: str = REMEDY,
) -> None:
    """Raises InputError, with the value and its place, where a value is out of the range of its quantity; NaN
    is a missing value.

    label: file and variable; values: array in the unit of `RANGES`; place: returns the text of the place of a
    value from its indices, a tuple."""
    lowest, highest = limits(quantity)
    slack = 1e-6 * (highest - lowest)  # for rounding, such as 90.00000000000256 degrees after many steps
    beyond = (values < lowest - slack) | (values > highest + slack)
    if beyond.any():
        indices = tuple(int(i) for i in np.argwhere(beyond)[0])
        raise InputError(
            f"{label} is {np.asarray(values)[indices]:g} {place(indices)}, but must be from {lowest:g} to"
            f" {highest:g} {RANGES[quantity].unit}. Correct the file: {remedy}."
        )


def at_index(indices: tuple[int, ...]) -> str:
    """Returns the text of indices, such as `at index 3, 7`."""
    return f"at index {', '.join(map(str, indices))}" if indices else "there"
