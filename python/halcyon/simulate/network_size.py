"""What a network is made of: nodes, switches, cables, ports, and the bandwidth of its bisection."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from halcyon import network


@dataclass(frozen=True)
class NetworkSize:
    """The parts of a network, and the bandwidth from its first to its second half [bytes/s], infinite without
    links."""

    nodes: int
    switches: int
    cables: int
    most_ports: int  # in use on one switch: links and NICs
    diameter: int  # links
    bisection_bandwidth: float

    def as_json(self) -> dict[str, Any]:
        """The numbers by name; None for an infinite bandwidth."""
        finite = self.bisection_bandwidth if math.isfinite(self.bisection_bandwidth) else None
        return asdict(self) | {"bisection_bandwidth": finite}

    def rows(self) -> dict[str, str]:
        """Texts of a table, by title."""
        counts = ("nodes", "switches", "cables", "most_ports", "diameter")
        texts = {name.replace("_", " "): f"{getattr(self, name):,}" for name in counts}
        if math.isfinite(self.bisection_bandwidth):
            texts["bisection"] = f"{1e-9 * self.bisection_bandwidth:,.4g} GB/s in each direction"
        return texts


def nic_ports(topology: network.Topology, machine: network.Machine) -> np.ndarray:
    """The ports of each switch to which NICs are attached (switch)."""
    ends = topology.switch_of(np.arange(topology.n_end_points, dtype=np.int32))
    each = machine.nics_per_node if topology.attached_nics == 1 else 1
    return each * np.bincount(ends, minlength=topology.n_switches)


def network_size(topology: network.Topology, machine: network.Machine) -> NetworkSize:
    """The size of a network with the links of a machine."""
    from_switch, to_switch, kind = topology.links()
    ports = np.bincount(from_switch, minlength=topology.n_switches)
    ports += nic_ports(topology, machine)
    bandwidth = math.inf
    if len(kind) > 0:
        half = topology.in_second_half()
        crossing = (half[from_switch] == 0) & (half[to_switch] == 1)
        speeds = np.array([link.bandwidth for link in machine.links])
        bandwidth = float(np.sum(speeds[kind[crossing] if len(speeds) > 1 else 0 * kind[crossing]]))
    counts = topology.n_nodes, topology.n_switches, topology.n_links // 2, int(ports.max())
    return NetworkSize(*counts, topology.diameter, bandwidth)
