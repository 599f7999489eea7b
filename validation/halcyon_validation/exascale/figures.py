"""The times of the simulated figures, from the cases in examples/exascale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import xarray as xr

from halcyon.base import InputError
from halcyon.config.points import load_simulation
from halcyon.simulate.many import simulate_all
from halcyon_validation.check import Check

FOLDER = Path("examples/exascale")
FEW, MANY = 1000, 10_000  # ranks of the cases, and of the long cases
HOLDS = "ZM, figure {}: {}"
FAILS = "docs/exascale.md; ZM, figure {}, find instead: {}"


def results(figure: str, **options: Any) -> dict[tuple[Any, ...], xr.Dataset]:
    """The results of the simulations of a figure, by series and swept values except those of one number.
    Results are cached, so that an interrupted case continues.

    @param options replaced options, with __ for dots
    Raises InputError if there is no such case."""
    path = FOLDER / f"{figure}.yaml"
    if not path.is_file():
        raise InputError(f"{path} does not exist. Validate in the folder of Halcyon's sources.")
    overrides = [f"{name.replace('__', '.')}={value}" for name, value in options.items()]
    points = load_simulation(path, overrides)
    varied = [name for name in points[0].swept if len({str(point.swept[name]) for point in points}) > 1]
    found = simulate_all(points, warn=lambda _: None)
    return {
        (point.series, *(point.swept[name] for name in varied)): result
        for point, result in zip(points, found, strict=True)
    }


def times(figure: str, **options: Any) -> Mapping[Any, float]:
    """The simulated times [s] of a figure; see `results`. A key with a single part is that part."""
    found = results(figure, **options)
    return {key[0] if len(key) == 1 else key: data["time"].item() for key, data in found.items()}


def holds(figure: str, finding: str, value: float, low: float, high: float = math.inf) -> Check:
    """A check that a finding of ZM holds: a ratio is between bounds. A ratio that need only be above 1 or
    below 1 must differ from 1."""
    if (low, high) == (1, math.inf):
        low = math.nextafter(1, 2)
    if (low, high) == (0, 1):
        high = math.nextafter(1, 0)
    return Check(finding, value, low, high, source=HOLDS.format(figure, finding))


def differs(
    figure: str, finding: str, of_paper: str, value: float, low: float, high: float = math.inf
) -> Check:
    """A check, as `holds`, of what is found here instead of a finding of ZM."""
    return replace(holds(figure, finding, value, low, high), source=FAILS.format(figure, of_paper))
