"""Fits the parameters of a machine to measured message times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon import network
from halcyon._core.schedule import message_list
from halcyon.calibrate.suite import SMALL, Layout, Probe, Timing

MIN_TIME_S = 1e-12  # lower limit of simulated times, because their logarithms are fitted
BOUND_FACTOR = 1000.0  # a parameter may differ from its initial value by this factor
CONCURRENT_MESSAGES = 16  # alternative of messages_at_once: messages of a rank that its NIC interleaves
MEMORY_EAGER_BYTES = 4032  # alternative of memory_eager_bytes: a memory page without a message header
OUTLIER_SCALE = 0.1  # |log(simulated / measured)| above which probes have less weight


@dataclass(frozen=True)
class Fit:
    """A fitted machine: its options, and the simulated time of each probe [s]."""

    fixed: Mapping[str, int]  # integer options: measured, or one of the alternatives
    fitted: Mapping[str, float]  # options found by least squares
    simulated: tuple[float, ...]  # (probe)
    cost: float  # residual of the least-squares fit

    @property
    def options(self) -> dict[str, float]:
        return {**self.fixed, **self.fitted}


def fit_machine(layout: Layout, eager_bytes: int, probes: Sequence[Probe], timings: Sequence[Timing]) -> Fit:
    """Fits latencies, overheads and bandwidths to the lower quartiles of the probes: robust least squares of
    the logarithms of simulated over measured times. Then tries the `alternatives` one after the other, and
    keeps each that improves the fit."""
    best = _fit_values(
        layout, {"eager_bytes": eager_bytes}, _initial_values(layout, probes, timings), probes, timings
    )
    for alternative in alternatives(layout):
        candidate = _fit_values(layout, {**best.fixed, **alternative}, best.fitted, probes, timings)
        best = min(best, candidate, key=lambda fit: fit.cost)
    return best


def alternatives(layout: Layout) -> list[dict[str, int]]:
    """Integer options that `fit_machine` tries: interleaving the messages of a rank on its NIC, which the
    probes show for three or more nodes; a rendezvous for long messages within a node; and a memory channel
    per rank."""
    between_nodes = [{"messages_at_once": CONCURRENT_MESSAGES}] if layout.n_nodes > 2 else []
    within_node = [{"memory_eager_bytes": MEMORY_EAGER_BYTES}, {"memory_channels": layout.ranks_per_node}]
    return between_nodes + (within_node if layout.ranks_per_node > 1 else [])


def _fit_values(
    layout: Layout,
    fixed: Mapping[str, int],
    initial: Mapping[str, float],
    probes: Sequence[Probe],
    timings: Sequence[Timing],
) -> Fit:
    from scipy.optimize import least_squares

    measured = np.array([timing.lower for timing in timings])

    def options_from(logarithms: np.ndarray) -> dict[str, float]:
        return dict(zip(initial, np.exp(logarithms).tolist(), strict=True))

    def simulated(logarithms: np.ndarray) -> np.ndarray:
        options = {**fixed, **options_from(logarithms)}
        return np.array([time_of(probe, layout, options) for probe in probes])

    initial_logarithms = np.log(list(initial.values()))
    solution = least_squares(
        lambda logarithms: np.log(simulated(logarithms) / measured),
        initial_logarithms,
        bounds=(initial_logarithms - np.log(BOUND_FACTOR), initial_logarithms + np.log(BOUND_FACTOR)),
        loss="soft_l1",
        f_scale=OUTLIER_SCALE,
        diff_step=0.01,
        max_nfev=40,
    )
    fitted = {name: float(f"{value:.4g}") for name, value in options_from(solution.x).items()}
    return Fit(fixed, fitted, tuple(simulated(solution.x).tolist()), float(solution.cost))


def time_of(probe: Probe, layout: Layout, options: Mapping[str, float]) -> float:
    """The simulated time [s] of one of the equal parts of a probe, with all nodes on one switch."""
    topology = network.HyperX([1], layout.n_nodes)
    schedule = message_list(len(layout.nodes), probe.messages)
    placement = network.Placement(topology, np.array(layout.nodes, np.int32), layout.ranks_per_node)
    machine = machine_of(layout, options)
    routing = network.make_routing(topology, "minimal")
    result = network.simulate(schedule, topology, routing, machine, placement, packet_chunk_options(machine))
    return max(result.time_s, MIN_TIME_S) / probe.parts


def packet_chunk_options(machine: network.Machine) -> network.Options:
    """Options with chunks as small as packets, for accurate contention."""
    return network.options(chunk_bytes=machine.packet_bytes)


def machine_of(layout: Layout, options: Mapping[str, float]) -> network.Machine:
    """The machine with the given options, and ejection and link bandwidths equal to the injection
    bandwidth."""
    values: dict[str, Any] = {**options, "ranks_per_node": layout.ranks_per_node}
    if "injection_bandwidth" in options:
        bandwidth = options["injection_bandwidth"]
        values |= {"ejection_bandwidth": bandwidth, "links": [(bandwidth, 0.0)]}
    return network.machine(**values)


def _initial_values(layout: Layout, probes: Sequence[Probe], timings: Sequence[Timing]) -> dict[str, float]:
    """The parameters that can be fitted to the probes, with initial values from the smallest and the largest
    message of a pair of ranks."""
    values: dict[str, float] = {}
    for place, latency, bandwidth in (
        ("in a node", "memory_latency", "memory_bandwidth"),
        ("between nodes", "injection_latency", "injection_bandwidth"),
    ):
        times_s = {  # by size of the message [B]
            probe.messages[0][3]: timing.lower
            for probe, timing in zip(probes, timings, strict=True)
            if probe.name.startswith(f"{place}, a pair: a message")
        }
        if times_s:
            small_s, largest = times_s[SMALL], max(times_s)
            values[latency] = small_s / 2
            values[bandwidth] = largest / max(times_s[largest] - small_s, small_s)
    min_latency = min(values[name] for name in values if name.endswith("latency"))
    values |= {"send_overhead": min_latency / 8, "receive_overhead": min_latency / 4}
    return values


def error_statistics(measured: Sequence[float], simulated: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile of the deviation |simulated / measured - 1|, and the median of the
    ratio simulated / measured."""
    ratios = np.array(simulated) / np.array(measured)
    deviations = np.abs(ratios - 1)
    return {
        "median": float(np.median(deviations)),
        "percentile_95": float(np.percentile(deviations, 95)),
        "ratio": float(math.exp(np.median(np.log(ratios)))),
    }
