"""Communication of any number of ranks on networks that need not exist: `halcyon simulate`."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError
from halcyon.config.points import load_simulation, points_of
from halcyon.config.yaml_source import Source, apply_override
from halcyon.simulate.many import simulate_all
from halcyon.simulate.results import table

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import Point

__all__ = ["simulate", "sweep"]


def simulate(
    case: str | os.PathLike[str] | Mapping[str, Any],
    overrides: Sequence[str] = (),
    *,
    threads: int | None = None,
) -> xr.Dataset:
    """Simulates one case.

    @param case a case file, or its options as a dictionary, such as {"workload": {"type": "alltoall",
        "block_bytes": 1000}, "ranks": 100, "topology": "fattree-M"}
    @param overrides of single options, each `option=value`
    @param threads by default one a core, at most one for 128 ranks, and one where links have a latency below
        1 ns or the fidelity is reserve or analytic, which go on one thread alone; the result does not depend
        on it
    @returns times by rank and stage, delays, bounds, and what `record` asks for: see `results.dataset`
    @raises ConfigError, also where the case asks for several simulations, and for threads that were given
        where they cannot be; InputError that names ranks for a schedule that cannot end
    """
    points = _points(case, overrides)
    if len(points) > 1:
        raise ConfigError(f"the case asks for {len(points)} simulations: use halcyon.simulate.sweep.")
    return simulate_all(points, workers=threads, threads=threads)[0]


def sweep(
    case: str | os.PathLike[str] | Mapping[str, Any],
    overrides: Sequence[str] = (),
    *,
    workers: int | None = None,
) -> xr.Dataset:
    """Simulates all that a case asks for, on all cores, and gives the times, bounds and counts of each along
    `point`, with its series and what was swept as coordinates.

    @param workers processes at a time; by default one a core
    @raises as `simulate`, with the name of the simulation
    """
    points = _points(case, overrides)
    return table(points, simulate_all(points, workers=workers))


def _points(case: str | os.PathLike[str] | Mapping[str, Any], overrides: Sequence[str]) -> list[Point]:
    if not isinstance(case, Mapping):
        return load_simulation(case, overrides)
    source = Source("the case", copy.deepcopy(dict(case)))
    for override in overrides:
        apply_override(source, override)
    return points_of(source, Path("case.yaml"))
