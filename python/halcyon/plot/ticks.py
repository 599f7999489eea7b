"""Ticks of axes: times with units, and ticks at the simulated values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from halcyon.base import format_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


_CHARACTER = 0.085  # approximate width of a digit of a tick label [inches]
_GAP = 0.1  # inches between two numbers


def times(axis: Axis, *, most_decades: int = 0) -> None:
    """Formats ticks as times such as 2 ms. A logarithmic axis of up to `most_decades` also labels 2 and 5."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_seconds(value)))
    if not most_decades:
        return
    axis.set_tick_params(which="both", length=3)
    low, high = axis.get_view_interval()
    if high > low * 10**most_decades:
        axis.set_minor_formatter("")
    else:
        axis.set_minor_formatter(FuncFormatter(lambda value, _: format_seconds(value)))
        axis.set_minor_locator(LogLocator(subs=(2, 5)))


def at_points(
    axes: Axes, values: Iterable[float], value_text: Callable[[float], str] = "{:,}".format
) -> None:
    """Ticks of a logarithmic x axis at the simulated values, with as many labels as fit, roundest first."""
    values = sorted(set(values))
    span = math.log(values[-1] / values[0]) or 1.0
    figure: Any = axes.figure
    inches = axes.get_position().width * figure.get_size_inches()[0] / 1.1  # matplotlib's margins
    positions = [inches * math.log(value / values[0]) / span for value in values]
    shown = non_overlapping(
        positions, [value_text(value) for value in values], [_roundness(value) for value in values]
    )
    axes.xaxis.set_major_locator(FixedLocator([values[i] for i in shown]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: value_text(_as_integer(value))))
    others = [value for i, value in enumerate(values) if i not in shown]
    axes.xaxis.set_minor_locator(FixedLocator(others) if others else NullLocator())
    axes.xaxis.set_minor_formatter("")


def non_overlapping(positions: Sequence[float], texts: Sequence[str], priorities: Sequence[int]) -> list[int]:
    """The indices of texts that fit at their positions [inches] without overlap, lowest priority first."""
    half_widths = [_CHARACTER * len(text) / 2 for text in texts]
    shown: list[int] = []
    for i in sorted(range(len(texts)), key=lambda i: (priorities[i], i)):
        if all(abs(positions[i] - positions[j]) >= half_widths[i] + half_widths[j] + _GAP for j in shown):
            shown.append(i)
    return sorted(shown)


def _roundness(value: float) -> int:
    """0 for a power of ten, 1 for five times and 2 for two times a power of ten, 3 for other numbers."""
    mantissa = f"{value:e}".split("e")[0].rstrip("0").rstrip(".")
    return {"1": 0, "5": 1, "2": 2}.get(mantissa, 3)


def _as_integer(value: float) -> float:
    return int(value) if value == int(value) else value
