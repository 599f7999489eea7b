"""Options of a machine file: speeds, network, routing and placement of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from halcyon.base import ConfigError
from halcyon.choices import choice, names
from halcyon.config.network import PLACEMENTS, ROUTINGS, Placement, Routing, Topology
from halcyon.config.option import Group, option
from halcyon.config.registry import combined_group, fields_of

if TYPE_CHECKING:
    from halcyon import network

REFERENCE = choice("machines", "reference")
# Options of a machine whose values are always numbers, without the speeds of its links (`links.NAME`).
NUMBER_NAMES = tuple(
    each.name for each in REFERENCE.options if "." not in each.name and not (each.word or each.names)
)
_DECLARED = fields_of("machines", "reference")


class LinkSpeed(Group):
    """Speed of the links between switches."""

    bandwidth: float = _DECLARED["links.bandwidth"]
    latency: float = _DECLARED["links.latency"]


class LinkKindSpeed(LinkSpeed):
    """Speed of one kind of links."""

    kind: str = option("Kind of links of the topology, such as local or global in a dragonfly.")


class Links(LinkSpeed):
    """Speed of the links between switches; kinds of links may differ."""

    kinds: list[LinkKindSpeed] = option(
        "Speeds of single kinds of links; all other kinds have the bandwidth and latency of `links`.",
        default=[],
        allowed="a list of groups, each {kind: ..., bandwidth: ..., latency: ...}",
    )


class Power(Group):
    """Power consumption of a machine, for `halcyon plan`."""

    node: float | None = option(
        "Power of a busy node, including its share of the network.",
        default=None,
        unit="W",
        gt=0,
        le=1e6,
        allowed="a number above 0 [W]",
    )


class FileSystem(Group):
    """A parallel file system. The defaults are assumed, like a small Lustre or GPFS system; `halcyon
    bench io --fit` measures those of this machine."""

    servers: int = option("Storage servers (OSTs of Lustre).", default=16, ge=1, le=10**6)
    bandwidth: float = option("Bandwidth of a server.", default=1e9, unit="bytes/s", gt=0, le=1e15)
    stripes: int = option(
        "Servers over which a file is striped; 0: all.", default=0, ge=0, le=10**6, allowed="0 or more"
    )
    stripe_bytes: int = option(
        "Bytes of a stripe, of a request, and under one lock.", default=2**20, unit="bytes", ge=1, le=2**40
    )
    request_time: float = option("Time of a server for each request.", default=1e-4, unit="s", ge=0, le=10)
    lock_time: float = option(
        "Time of a server to pass the lock of a stripe to another process.",
        default=1e-3,
        unit="s",
        ge=0,
        le=10,
    )
    file_time: float = option(
        "Time of the metadata server for each file: its creation and the flush at its end.",
        default=1e-2,
        unit="s",
        ge=0,
        le=100,
    )
    open_time: float = option(
        "Time of the metadata server for each process that opens a file.",
        default=1e-3,
        unit="s",
        ge=0,
        le=100,
    )
    rank_bandwidth: float = option(
        "Bandwidth of one process, from its memory to its NIC.", default=1e9, unit="bytes/s", gt=0, le=1e15
    )
    range_time: float = option(
        "CPU time for each contiguous range of a process.", default=1e-6, unit="s", ge=0, le=1
    )


class _Numbers(Group):
    """Options of a machine file."""

    if TYPE_CHECKING:  # the options are those of the registry

        def __getattr__(self, name: str) -> Any: ...


_EXTRA_OPTIONS = {
    "name": (str, option("Name of the machine in results.", default="")),
    "topology": (
        Topology | None,
        option(
            "Network of the machine; a case may replace it.",
            default=None,
            allowed="a name such as fattree-M, or a group with type",
        ),
    ),
    "switch_ports": (
        int,
        option(
            "Ports of a switch: a network that needs more, for links and NICs, is refused; 0: any number.",
            default=0,
            ge=0,
            le=10**6,
        ),
    ),
    "nic_attachment": (
        Literal[names("NIC attachments")],
        option(
            "Attachment of a node's NICs to the network. node: all to its switch; switches: NIC k to the k-th"
            " of as many consecutive switches, where the nodes of the topology are NICs; rails: NIC k to the"
            " k-th of as many equal networks.",
            default="node",
        ),
    ),
    "routing": (
        Routing,
        option("Routing of messages over the network.", default="minimal", allowed=ROUTINGS),
    ),
    "placement": (Placement, option("Placement of ranks on nodes.", default="linear", allowed=PLACEMENTS)),
    "links": (Links, option("Speed of the links between switches.", default=Links())),
}


if TYPE_CHECKING:
    _ReferenceNumbers = _Numbers
else:
    _ReferenceNumbers = combined_group("Numbers", [REFERENCE], _Numbers, _EXTRA_OPTIONS)


class Machine(_ReferenceNumbers):
    """A machine. Options that are not given have the value of the reference machine."""

    power: Power = option("Power consumption, for halcyon plan.", default=Power())
    file_system: FileSystem = option(
        "File system, for workloads of type file and the output of a plan.", default=FileSystem()
    )
    measured: dict[str, Any] = option(
        "Record of the measurements by `halcyon calibrate`, without effect on results.",
        default={},
        allowed="a group with any content",
    )

    def attach_nics(self, topology: network.Topology) -> network.Topology:
        """The network to which the NICs of the nodes are attached. Raises ConfigError if they cannot be."""
        from halcyon import network

        return network.attach_nics(topology, self.nic_attachment, self.nics_per_node)

    def network_machine(self, topology: network.Topology) -> network.Machine:
        """Returns the machine for `halcyon.network`, with one speed per kind of links of `topology`. Raises
        ConfigError for a kind of links that the topology does not have."""
        from halcyon import network

        speed_of_kind: dict[str, Any] = {kind.kind: kind for kind in self.links.kinds}
        for kind in speed_of_kind.keys() - set(topology.kinds):
            known = ", ".join(topology.kinds)
            raise ConfigError(
                f"machine.links: {topology.name} has no kind of links '{kind}'. Its kinds are: {known}."
            )
        links: list[Any] = (
            [speed_of_kind.get(kind, self.links) for kind in topology.kinds]
            if speed_of_kind
            else [self.links]
        )
        values = {name: getattr(self, name) for name in NUMBER_NAMES}
        for entry in REFERENCE.options:
            value = getattr(self, entry.name, None)
            if len(entry.names) == 2:  # in `halcyon.network` a boolean, true for the second name
                values[f"{entry.name}_{entry.names[1]}"] = value == entry.names[1]
            # a name, or a number, not the word for the default of the C++ API
            elif entry.names or (entry.word and value != entry.word):
                values[entry.name] = value
        return network.machine(links=[(link.bandwidth, link.latency) for link in links], **values)
