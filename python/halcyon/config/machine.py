"""The machine file: how fast a machine is, which network it has, how messages go and where ranks run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError
from halcyon.choices import choice
from halcyon.config.network import PLACEMENTS, ROUTINGS, Placement, Routing, Topology
from halcyon.config.option import Group, option
from halcyon.config.registry import combined_group, fields_of

if TYPE_CHECKING:
    from halcyon import network

REFERENCE = choice("machines", "reference")
SPEEDS = tuple(n.name for n in REFERENCE.options if "." not in n.name and not (n.word or n.names))
_DECLARED = fields_of("machines", "reference")


class LinkSpeed(Group):
    """How fast links between switches are."""

    bandwidth: float = _DECLARED["links.bandwidth"]
    latency: float = _DECLARED["links.latency"]


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


class _Numbers(Group):
    """What a machine file may hold."""


_OWN = {
    "name": (str, option("What results call it.", default="")),
    "topology": (
        Topology | None,
        option(
            "Which network; a case may give another.",
            default=None,
            allowed="a name such as fattree-M, or a group with type",
        ),
    ),
    "routing": (Routing, option("How messages find their way.", default="minimal", allowed=ROUTINGS)),
    "placement": (Placement, option("Where ranks run.", default="linear", allowed=PLACEMENTS)),
    "links": (Links, option("Links between switches.", default=Links())),
}


class Machine(combined_group("Numbers", [REFERENCE], _Numbers, _OWN)):
    """A machine. Every option has the value of the reference machine unless another is given."""

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
        for number in REFERENCE.options:
            given = getattr(self, number.name, None)
            if number.names:  # a flag that is true with the second word
                values[f"{number.name}_{number.names[1]}"] = given == number.names[1]
            elif number.word and given != number.word:
                values[number.name] = given
        return network.machine(links=[(link.bandwidth, link.latency) for link in links], **values)
