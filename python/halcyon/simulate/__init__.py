"""Simulation of the communication of any number of ranks on existing or hypothetical networks: `halcyon
simulate`."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError
from halcyon.config.points import expand_case, load_simulation
from halcyon.config.yaml_source import Source, apply_override
from halcyon.simulate.many import simulate_all
from halcyon.simulate.repetitions import combined
from halcyon.simulate.results import table

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import SweepPoint

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
    @param overrides replaced options, each `option=value`
    @param threads number of threads. By default one per core, at most one per 128 ranks; one thread for link
    latencies below 1 ns and for the fidelities reserve and analytic, which support only one. The result does
    not depend on it
    @returns times per rank and stage, delays, bounds, and the additional results that `record` requests: see
    `halcyon.simulate.results.dataset`; with `repetitions` those of the repetition with the median time
    @raises ConfigError for an invalid case, a case with several simulations, or an unsupported number of
    threads; InputError naming ranks for a schedule that cannot complete"""
    points = _points(case, overrides)
    n_variants = len(points) // points[0].case.repetitions
    if n_variants > 1:
        raise ConfigError(f"the case has {n_variants} simulations. Use halcyon.simulate.sweep.")
    # For a single simulation `workers` limits its threads, and `threads` is their number.
    _, results = combined(points, simulate_all(points, workers=threads, threads=threads))
    return results[0]


def sweep(
    case: str | os.PathLike[str] | Mapping[str, Any],
    overrides: Sequence[str] = (),
    *,
    workers: int | None = None,
) -> xr.Dataset:
    """Simulates all variants of a case, on all cores. Returns the times, bounds and counts along the
    dimension `point`, one point per simulation, with the name of the variant (`series`) and the swept options
    as coordinates.

    @param workers simultaneous simulations; by default one per core
    @raises as `simulate`, with the name of the simulation"""
    points = _points(case, overrides)
    return table(*combined(points, simulate_all(points, workers=workers)))


def _points(case: str | os.PathLike[str] | Mapping[str, Any], overrides: Sequence[str]) -> list[SweepPoint]:
    if not isinstance(case, Mapping):
        return load_simulation(case, overrides)
    source = Source("the case", copy.deepcopy(dict(case)))
    for override in overrides:
        apply_override(source, override)
    return expand_case(source, Path("case.yaml"))
