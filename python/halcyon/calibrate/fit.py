"""Fits the parameters of a machine to measured message times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halcyon import network
from halcyon._core.schedule import message_list
from halcyon.calibrate.suite import SMALL, Layout, Probe, Timing

MIN_TIME_S = 1e-12  # lower limit of simulated times, because their logarithms are fitted
BOUND_FACTOR = 1000.0  # bounds of a parameter, relative to its initial value
CONCURRENT_MESSAGES = 16  # number of messages of a rank that its NIC interleaves, in an alternative fit
MEMORY_EAGER_BYTES = 4032  # a memory page without the header; probes are shorter or much longer
OUTLIER_SCALE = 0.1  # |log(simulated / measured)| beyond which probes have less weight


@dataclass(frozen=True)
class Fit:
    """A fitted machine: its options, and the simulated time of each probe [s]."""

    fixed: Mapping[str, int]  # measured or tried integer options
    fitted: Mapping[str, float]
    simulated: tuple[float, ...]  # (probe)
    cost: float  # residual of the least-squares fit

    @property
    def options(self) -> dict[str, float]:
        return {**self.fixed, **self.fitted}


def fit_machine(layout: Layout, eager_bytes: int, probes: Sequence[Probe], timings: Sequence[Timing]) -> Fit:
    """Fits latencies, overheads and bandwidths to the lower quartiles of the probes: robust least squares of
    the logarithms of simulated over measured times. Initial values are from the smallest and the largest
    message. Then keeps each of the `alternatives` that improves the fit."""
    best = _fit_values(
        layout, {"eager_bytes": eager_bytes}, _initial_values(layout, probes, timings), probes, timings
    )
    for alternative in alternatives(layout):
        other = _fit_values(layout, best.fixed | alternative, best.fitted, probes, timings)
        best = min(best, other, key=lambda fit: fit.cost)
    return best


def alternatives(layout: Layout) -> list[dict[str, int]]:
    """Integer parameters that are tried one by one: whether messages of a rank are interleaved on its NIC,
    which is visible for three or more nodes, whether long messages within a node use a handshake, and whether
    each rank has a memory channel of its own."""
    network = [{"messages_at_once": CONCURRENT_MESSAGES}] if layout.n_nodes > 2 else []
    node = [{"memory_eager_bytes": MEMORY_EAGER_BYTES}, {"memory_channels": layout.ranks_per_node}]
    return network + (node if layout.ranks_per_node > 1 else [])


def _fit_values(
    layout: Layout,
    fixed: Mapping[str, int],
    initial: Mapping[str, float],
    probes: Sequence[Probe],
    timings: Sequence[Timing],
) -> Fit:
    from scipy.optimize import least_squares

    measured = np.array([timing.lower for timing in timings])

    def values(logarithms: np.ndarray) -> dict[str, float]:
        return dict(zip(initial, np.exp(logarithms).tolist(), strict=True))

    def simulated(logarithms: np.ndarray) -> np.ndarray:
        options = {**fixed, **values(logarithms)}
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
    fitted = {name: float(f"{value:.4g}") for name, value in values(solution.x).items()}
    return Fit(fixed, fitted, tuple(simulated(solution.x).tolist()), float(solution.cost))


def time_of(probe: Probe, layout: Layout, options: Mapping[str, float]) -> float:
    """The simulated time [s] of a probe, with all nodes on one switch."""
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
    """The machine with given options: equal injection, ejection and link bandwidths."""
    values = {**options, "ranks_per_node": layout.ranks_per_node}
    if "injection_bandwidth" in options:
        bandwidth = options["injection_bandwidth"]
        values |= {"ejection_bandwidth": bandwidth, "links": [(bandwidth, 0.0)]}
    return network.machine(**values)


def _initial_values(layout: Layout, probes: Sequence[Probe], timings: Sequence[Timing]) -> dict[str, float]:
    """The parameters that can be fitted to the probes, with initial values."""
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
    """Deviation of simulated from measured times: |simulated / measured - 1|, median and 95th percentile, and
    the median of the ratio."""
    ratios = np.array(simulated) / np.array(measured)
    deviation = np.abs(ratios - 1)
    return {
        "median": float(np.median(deviation)),
        "percentile_95": float(np.percentile(deviation, 95)),
        "ratio": float(math.exp(np.median(np.log(ratios)))),
    }
