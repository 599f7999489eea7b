"""What stands at the ticks of an axis: times with units, and the numbers that were simulated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from halcyon.base import seconds

_CHARACTER = 0.085  # inches, about, of a digit of the ticks' font
_GAP = 0.1  # inches between two numbers


def times(axis, *, most_decades: int = 0) -> None:
    """Times read as in tables: 2 ms. A logarithmic axis of so many decades has room for twos and fives."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: seconds(value)))
    if not most_decades:
        return
    axis.set_tick_params(which="both", length=3)
    low, high = axis.get_view_interval()
    if high > low * 10**most_decades:
        axis.set_minor_formatter("")
    else:
        axis.set_minor_formatter(FuncFormatter(lambda value, _: seconds(value)))
        axis.set_minor_locator(LogLocator(subs=(2, 5)))


def at_points(axes, values: Iterable[float], written: Callable[[float], str] = "{:,}".format) -> None:
    """Ticks of a logarithmic horizontal axis at the values that were simulated; numbers at as many of them as
    there is room for, the roundest first."""
    values = sorted(set(values))
    span = math.log(values[-1] / values[0]) or 1.0
    inches = axes.get_position().width * axes.figure.get_size_inches()[0] / 1.1  # matplotlib's margins
    places = [inches * math.log(value / values[0]) / span for value in values]
    shown = fitting(places, [written(value) for value in values], [_roundness(value) for value in values])
    axes.xaxis.set_major_locator(FixedLocator([values[i] for i in shown]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: written(_whole(value))))
    others = [value for i, value in enumerate(values) if i not in shown]
    axes.xaxis.set_minor_locator(FixedLocator(others) if others else NullLocator())
    axes.xaxis.set_minor_formatter("")


def fitting(places: Sequence[float], texts: Sequence[str], ranks: Sequence[int]) -> list[int]:
    """Which texts can stand at their places [inches] without touching, those of the lowest rank first."""
    halves = [_CHARACTER * len(text) / 2 for text in texts]
    shown: list[int] = []
    for i in sorted(range(len(texts)), key=lambda i: (ranks[i], i)):
        if all(abs(places[i] - places[j]) >= halves[i] + halves[j] + _GAP for j in shown):
            shown.append(i)
    return sorted(shown)


def _roundness(value: float) -> int:
    """0 of powers of ten, 1 of their fives, 2 of their doubles, 3 of other numbers."""
    first = f"{value:e}".split("e")[0].rstrip("0").rstrip(".")
    return {"1": 0, "5": 1, "2": 2}.get(first, 3)


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value
