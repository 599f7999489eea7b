"""One simulation: its case made, run, and run again with half the chunk where that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halcyon import network
from halcyon.base import ConfigError, InputError
from halcyon.choices import choice
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import errors_at
from halcyon.simulate.build import built, options_of
from halcyon.simulate.results import dataset

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.simulate.build import Built

MOST_THREADS = 64
RANKS_A_THREAD = 128  # below, threads wait for each other more than they compute
LEAST_PICOSECONDS = 1000  # of a link, where its ends lie with several threads
MOST_HALVED = 10_000  # ranks of a simulation whose error by halving the chunk is found unasked


def computed(case: Simulation, cores: int, threads: int | None = None) -> xr.Dataset:
    """Simulates a case on up to so many cores, or with exactly so many threads.

    Raises as `build.built` and the engine do."""
    made = built(case)
    n_ranks = made.schedule.n_ranks
    options = options_of(case, n_ranks, threads=threads or usable_threads(case, made.machine, n_ranks, cores))
    result = _simulated(made, options)
    data = dataset(case, made, result)
    if _is_halved(case, n_ranks) and result.chunk_bytes > 1:
        options.chunk_bytes = result.chunk_bytes // 2
        options.record_ranks = options.record_links = False
        options.link_bins = options.pair_bins = 0
        half = _simulated(made, options)
        data["chunk_error"].values[()] = result.time_s / half.time_s - 1 if half.time_s > 0 else 0.0
        data["cpu_time"].values[()] += half.cpu_s
    return data


def usable_threads(case: Simulation, machine: network.Machine, n_ranks: int, cores: int) -> int:
    """As many threads as there are cores, or fewer where the engine has no use for more: the result is the
    same."""
    latency = min(link.latency for link in machine.links) + machine.switch_latency
    goes_with = choice("fidelities", case.engine.fidelity).goes_with
    several = "threads" in goes_with and round(latency * 1e12) >= LEAST_PICOSECONDS
    return min(cores, MOST_THREADS, max(n_ranks // RANKS_A_THREAD, 1)) if several else 1


def _is_halved(case: Simulation, n_ranks: int) -> bool:
    wanted = case.engine.chunk_error
    return case.engine.fidelity == "chunk" and (n_ranks <= MOST_HALVED if wanted == "auto" else wanted)


def _simulated(made: Built, options: network.Options) -> network.Result:
    parts = made.schedule, made.topology, made.routing, made.machine, made.placement
    with errors_at("engine", of=(ConfigError,)), errors_at("workload", of=(InputError,)):
        return network.simulate(*parts, options)
