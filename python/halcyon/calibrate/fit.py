"""The machine that makes simulated messages take as long as measured ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halcyon import network
from halcyon._core.schedule import message_list
from halcyon.calibrate.suite import SMALL, Layout, Probe, Timing

LEAST = 1e-12  # [s]
FARTHEST = 1000.0  # from where an option starts, times or divided by
TURNS = 16  # messages of a rank that share its NIC, where they do
ASKING = 4032  # bytes, with a header a page: probes are shorter or much longer
SPREAD = 0.1  # of the logarithm of a ratio, beyond which a probe counts less


@dataclass(frozen=True)
class Fit:
    """What was found: options of a machine, and how long each probe takes there [s]."""

    known: Mapping[str, int]
    found: Mapping[str, float]
    simulated: tuple[float, ...]
    cost: float  # that was left

    @property
    def options(self) -> dict[str, float]:
        return {**self.known, **self.found}


def fitted(where: Layout, eager_bytes: int, probes: Sequence[Probe], timings: Sequence[Timing]) -> Fit:
    """Chooses latencies, overheads and bandwidths so that the simulator gives the lower quartiles of the
    probes: least squares of the logarithms of ratios, in which outliers count less. Starts from what the
    smallest and the largest message took. Then one of the `alternatives` after the other is kept if it fits
    better."""
    best = _fitted(where, {"eager_bytes": eager_bytes}, _start(where, probes, timings), probes, timings)
    for alternative in alternatives(where):
        other = _fitted(where, best.known | alternative, best.found, probes, timings)
        best = min(best, other, key=lambda fit: fit.cost)
    return best


def alternatives(where: Layout) -> list[dict[str, int]]:
    """What no single time tells: whether messages of a rank take turns on its NIC, which is to be seen from
    three nodes on, whether long messages between ranks of a node ask first, and whether each of these ranks
    has a memory channel of its own."""
    network = [{"messages_at_once": TURNS}] if where.n_nodes > 2 else []
    node = [{"memory_eager_bytes": ASKING}, {"memory_channels": where.ranks_per_node}]
    return network + (node if where.ranks_per_node > 1 else [])


def _fitted(
    where: Layout,
    known: Mapping[str, int],
    start: Mapping[str, float],
    probes: Sequence[Probe],
    timings: Sequence[Timing],
) -> Fit:
    from scipy.optimize import least_squares

    measured = np.array([timing.lower for timing in timings])

    def values(logarithms: np.ndarray) -> dict[str, float]:
        return dict(zip(start, np.exp(logarithms).tolist(), strict=True))

    def simulated(logarithms: np.ndarray) -> np.ndarray:
        options = {**known, **values(logarithms)}
        return np.array([time_of(probe, where, options) for probe in probes])

    begin = np.log(list(start.values()))
    found = least_squares(
        lambda logarithms: np.log(simulated(logarithms) / measured),
        begin,
        bounds=(begin - np.log(FARTHEST), begin + np.log(FARTHEST)),
        loss="soft_l1",
        f_scale=SPREAD,
        diff_step=0.01,
        max_nfev=40,
    )
    chosen = {name: float(f"{value:.4g}") for name, value in values(found.x).items()}
    return Fit(known, chosen, tuple(simulated(found.x).tolist()), float(found.cost))


def time_of(probe: Probe, where: Layout, options: Mapping[str, float]) -> float:
    """What a probe takes [s] on one switch with all nodes, simulated."""
    topology = network.HyperX([1], where.n_nodes)
    schedule = message_list(len(where.nodes), probe.messages)
    placement = network.Placement(topology, np.array(where.nodes, np.int32), where.ranks_per_node)
    machine = machine_of(where, options)
    routing = network.make_routing(topology, "minimal")
    result = network.simulate(schedule, topology, routing, machine, placement, in_packets(machine))
    return max(result.time_s, LEAST) / probe.parts


def in_packets(machine: network.Machine) -> network.Options:
    """Chunks as small as packets, so that messages meet as finely as they do."""
    return network.options(chunk_bytes=machine.packet_bytes)


def machine_of(where: Layout, options: Mapping[str, float]) -> network.Machine:
    """The machine of such options: a NIC has one bandwidth both ways, and so have links."""
    values = {**options, "ranks_per_node": where.ranks_per_node}
    if "injection_bandwidth" in options:
        bandwidth = options["injection_bandwidth"]
        values |= {"ejection_bandwidth": bandwidth, "links": [(bandwidth, 0.0)]}
    return network.machine(**values)


def _start(where: Layout, probes: Sequence[Probe], timings: Sequence[Timing]) -> dict[str, float]:
    """The options that can be found from such probes, with values to begin from."""
    values: dict[str, float] = {}
    for place, latency, bandwidth in (
        ("in a node", "memory_latency", "memory_bandwidth"),
        ("between nodes", "injection_latency", "injection_bandwidth"),
    ):
        trips = {
            probe.messages[0][3]: timing.lower
            for probe, timing in zip(probes, timings, strict=True)
            if probe.name.startswith(f"{place}, a pair: a message")
        }
        if trips:
            small, large = trips[SMALL], max(trips)
            values[latency] = small / 2
            values[bandwidth] = large / max(trips[large] - small, small)
    quickest = min(values[name] for name in values if name.endswith("latency"))
    values |= {"send_overhead": quickest / 8, "receive_overhead": quickest / 4}
    return values


def errors(measured: Sequence[float], simulated: Sequence[float]) -> dict[str, float]:
    """How far simulated times are from measured ones: |simulated / measured - 1|, median and 95th percentile,
    and the median of the ratio itself."""
    ratios = np.array(simulated) / np.array(measured)
    off = np.abs(ratios - 1)
    return {
        "median": float(np.median(off)),
        "percentile_95": float(np.percentile(off, 95)),
        "ratio": float(math.exp(np.median(np.log(ratios)))),
    }
