"""The machine file: how fast a machine is, which network it has, how messages go and where ranks run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from halcyon.base import ConfigError
from halcyon.config.network import PLACEMENTS, ROUTINGS, Placement, Routing, Topology
from halcyon.config.option import Group, option

if TYPE_CHECKING:
    from halcyon import network

TIME = {"unit": "s", "ge": 0, "le": 10}
EagerBytes = Annotated[int, Field(ge=0)] | Literal["unlimited"]
EAGER = {"unit": "bytes", "allowed": "an integer of at least 0 [bytes], or 'unlimited'"}
BANDWIDTH = {"unit": "B s-1", "ge": 1000, "le": 1e18}


SPEEDS = (
    *("switch_latency", "crossbar_factor", "injection_bandwidth", "injection_latency", "ejection_bandwidth"),
    *("ejection_latency", "send_overhead", "receive_overhead", "bypass_bytes", "packet_bytes"),
    *("buffer_packets", "messages_at_once", "nics_per_node", "ranks_per_node", "memory_bandwidth"),
    *("memory_channels", "memory_latency"),
)


class LinkSpeed(Group):
    """How fast links between switches are."""

    bandwidth: float = option("Of one direction.", default=12.5e9, **BANDWIDTH)
    latency: float = option("From leaving one switch to standing in the next.", default=100e-9, **TIME)


class KindSpeed(LinkSpeed):
    """How fast the links of a kind are."""

    kind: str = option("Of the topology's links: of a dragonfly, local or global.")


class Links(LinkSpeed):
    """How fast links between switches are; those of a kind may differ."""

    kinds: list[KindSpeed] = option(
        "Kinds of links that are faster or slower than the others.",
        default=[],
        allowed="a list of groups, each {kind: ..., bandwidth: ..., latency: ...}",
    )


class Power(Group):
    """What a machine draws, for `halcyon plan`."""

    node: float | None = option(
        "Of a node at work, with its share of the network.",
        default=None,
        unit="W",
        gt=0,
        le=1e6,
        allowed="a number above 0 [W]",
    )


class Machine(Group):
    """A machine. Every option has the value of the reference machine unless another is given."""

    name: str = option("What results call it.", default="")
    topology: Topology | None = option(
        "Which network; a case may give another.",
        default=None,
        allowed="a name such as fattree-M, or a group with type",
    )
    routing: Routing = option("How messages find their way.", default="minimal", allowed=ROUTINGS)
    placement: Placement = option("Where ranks run.", default="linear", allowed=PLACEMENTS)
    links: Links = option("Links between switches.", default=Links())
    switch_latency: float = option(
        "A switch adds to a hop, and to what it hands to a node.", default=0.0, **TIME
    )
    crossbar_factor: float = option(
        "A switch's inner bandwidth over that of a link; 0: without limit.", default=0.0, ge=0, le=1e6
    )
    injection_bandwidth: float = option("Of a NIC, from node to switch.", default=12.5e9, **BANDWIDTH)
    injection_latency: float = option("From the NIC to the switch.", default=1e-6, **TIME)
    ejection_bandwidth: float = option("Of a NIC, from switch to node.", default=12.5e9, **BANDWIDTH)
    ejection_latency: float = option("From the switch to the NIC.", default=0.0, **TIME)
    send_overhead: float = option("A send keeps its rank busy.", default=0.0, **TIME)
    receive_overhead: float = option("A receive keeps its rank busy.", default=0.0, **TIME)
    eager_bytes: EagerBytes = option(
        "Larger messages wait until their receiver is ready.", default="unlimited", **EAGER
    )
    memory_eager_bytes: EagerBytes = option(
        "Larger messages between ranks of a node ask first, there and back.", default="unlimited", **EAGER
    )
    progress: Literal["always", "in_calls"] = option(
        "Whether a rank answers such messages while it computes, as its NIC or a thread may do for it.",
        default="always",
    )
    bypass_bytes: int = option(
        "Messages up to this size see latencies and NICs alone; 0: none.", default=0, unit="bytes", ge=0
    )
    packet_bytes: int = option("What the network moves as one.", default=4096, unit="bytes", ge=1, le=2**30)
    buffer_packets: int = option(
        "That a switch holds for each incoming link and channel.", default=8, ge=1, le=2**20
    )
    messages_at_once: int = option(
        "A NIC lets so many messages of a rank take turns, chunk by chunk; 1: one goes after the other.",
        default=1,
        ge=1,
        le=65535,
    )
    nics_per_node: int = option("The ranks of a node take them in turn.", default=1, ge=1, le=1024)
    ranks_per_node: int = option("Places for ranks in a node.", default=1, ge=1, le=65535)
    memory_channels: int = option(
        "The ranks of a node take them in turn to send each other messages.", default=1, ge=1, le=65535
    )
    memory_bandwidth: float = option(
        "Of a channel, which messages share, and of a rank's own copies.", default=100e9, **BANDWIDTH
    )
    memory_latency: float = option("Of a message between ranks of a node.", default=200e-9, **TIME)
    power: Power = option("What it draws.", default=Power())
    measured: dict[str, Any] = option(
        "How the numbers were found, as `halcyon calibrate` says it; nothing depends on it.",
        default={},
        allowed="a group of anything",
    )

    def speeds(self, topology: network.Topology) -> network.Machine:
        """What the simulator takes, for a network whose kinds of links it knows. Raises ConfigError for a
        kind that the network has not."""
        from halcyon import network

        own = {kind.kind: kind for kind in self.links.kinds}
        for kind in own.keys() - set(topology.kinds):
            known = ", ".join(topology.kinds)
            raise ConfigError(
                f"machine.links: {topology.name} has no kind of links '{kind}'. It has: {known}."
            )
        links = [own.get(kind, self.links) for kind in topology.kinds] if own else [self.links]
        values = {name: getattr(self, name) for name in SPEEDS}
        values["progress_in_calls"] = self.progress == "in_calls"
        limits = {name: getattr(self, name) for name in ("eager_bytes", "memory_eager_bytes")}
        values |= {name: limit for name, limit in limits.items() if limit != "unlimited"}
        return network.machine(links=[(link.bandwidth, link.latency) for link in links], **values)
