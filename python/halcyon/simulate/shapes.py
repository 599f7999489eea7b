"""How many ranks lie along x, and how many along y."""

from __future__ import annotations

import math

from halcyon.base import ConfigError
from halcyon.config.yaml_source import about


def divided(ranks: int, most: tuple[int, int], *, ratio: float) -> tuple[int, int]:
    """Ranks along x and y, at most so many, whose quotient is as near to `ratio` as can be.

    Raises ConfigError where the number cannot be divided so, naming one that can."""
    found = _division(ranks, most, ratio)
    if found is not None:
        return found
    near = next(
        (n for away in range(1, ranks) for n in (ranks - away, ranks + away) if _division(n, most, ratio)),
        None,
    )
    advice = f" Take {near}." if near else ""
    with about("ranks"):
        raise ConfigError(
            f"ranks = {ranks} cannot be divided into at most {most[0]} along x and {most[1]} along y, as the "
            f"grid needs.{advice}"
        )


def _division(ranks: int, most: tuple[int, int], ratio: float) -> tuple[int, int] | None:
    divisors = [d for d in range(1, math.isqrt(ranks) + 1) if ranks % d == 0]
    shapes = {(d, ranks // d) for d in divisors} | {(ranks // d, d) for d in divisors}
    fitting = [(x, y) for x, y in shapes if x <= most[0] and y <= most[1]]
    return min(fitting, key=lambda shape: (abs(math.log(shape[0] / shape[1] / ratio)), shape), default=None)


def given_shape(shape: list[int], ranks: int) -> tuple[int, int]:
    """The shape as it was given. Raises ConfigError where it is not that of so many ranks."""
    x, y = shape
    if x < 1 or y < 1 or x * y != ranks:
        with about("workload", "ranks"):
            raise ConfigError(f"workload.ranks = [{x}, {y}] makes {x * y} ranks, but ranks = {ranks}.")
    return x, y
