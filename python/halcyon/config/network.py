"""`topology:`, `routing:` and `placement:` which network a machine has, and how it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from halcyon.config.option import FilePath, Group, option

if TYPE_CHECKING:
    from halcyon import network

ROUTINGS = "'minimal', 'valiant', 'ugal', 'ugal_of_sstmacro' or 'd_mod_k'"
PLACEMENTS = "'linear', 'random', 'mapped', or a group with file"
Routing = Literal["minimal", "valiant", "ugal", "ugal_of_sstmacro", "d_mod_k"]
MOST = 2**31 - 1
Sizes = list[Annotated[int, Field(ge=1, le=MOST)]]


class TypedNetwork(Group):
    """A network of a type, by the options that the type declares."""

    def made(self) -> network.Topology:
        """The network."""
        from halcyon import network

        options = self.model_dump()
        return network.make_topology(options.pop("type"), **options)


class Crossbar(TypedNetwork):
    """One switch with all nodes."""

    type: Literal["crossbar"] = option("One switch.")
    nodes: int = option("On the switch.", ge=1, le=MOST)


class Torus(TypedNetwork):
    """A grid of switches whose every dimension is a ring."""

    type: Literal["torus"] = option("Rings.")
    sizes: Sizes = option(
        "Switches along each dimension.", allowed="a list of integers, such as [25, 25, 25]"
    )
    nodes_per_switch: int = option("On each switch.", default=1, ge=1, le=MOST)


class HyperX(TypedNetwork):
    """A grid of switches, each linked to all others of its row along every dimension."""

    type: Literal["hyperx"] = option("Rows of which all are linked.")
    sizes: Sizes = option(
        "Switches along each dimension.", allowed="a list of integers, such as [25, 25, 25]"
    )
    nodes_per_switch: int = option("On each switch.", default=1, ge=1, le=MOST)


class FatTree(TypedNetwork):
    """Levels of switches with nodes below the lowest, by the ports of each level."""

    type: Literal["fat_tree"] = option("Levels.")
    down: Sizes = option(
        "Ports down of a switch of each level, the lowest first.",
        allowed="a list of integers, such as [25, 25, 25, 25]",
    )
    up: Sizes = option(
        "Ports up of a switch of each level but the highest.",
        allowed="a list of integers, such as [25, 25, 25]",
    )


class RadixTree(TypedNetwork):
    """A fat tree of equal switches."""

    type: Literal["fat_tree"] = option("Levels.")
    levels: int = option("Of switches.", ge=1, le=30)
    radix: int = option("Ports of a switch, half of them up.", ge=2, le=MOST)
    oversubscription: int = option(
        "Ports down over ports up of the lowest switches.", default=1, ge=1, le=MOST
    )


class Dragonfly(TypedNetwork):
    """Groups of switches, each pair of groups joined by global links."""

    type: Literal["dragonfly"] = option("Groups.")
    group: Sizes = option(
        "Switches of a group: all linked to all, or columns and rows linked along both.",
        allowed="a list of one or two integers, such as [16, 6]",
    )
    groups: int = option("How many.", ge=1, le=MOST)
    global_links: int = option("Of each switch.", ge=0, le=MOST)
    nodes_per_switch: int = option("On each switch.", default=1, ge=1, le=MOST)
    arrangement: Literal["absolute", "relative", "circulant"] = option(
        "Of global links (Hastings et al. 2015).", default="absolute"
    )


class GraphNetwork(TypedNetwork):
    """Any network, from a file."""

    type: Literal["graph"] = option("From a file.")
    file: FilePath = option("Its switches and links.", allowed="the name of a file")


class NamedNetwork(Group):
    """A network by its name."""

    name: str = option("Such as fattree-M; those of table 1 of Zheng and Marguinaud (2018).")

    def made(self) -> network.Topology:
        """The network. Raises ConfigError where there is none of that name."""
        from halcyon import network

        return network.named_network(self.name)


def _kind(value: Any) -> str | None:
    if isinstance(value, RadixTree):
        return "<radix>"
    if isinstance(value, Group):
        return f"<{value.type}>" if hasattr(value, "type") else "<name>"
    if not isinstance(value, dict):
        return None
    if value.get("type") == "fat_tree" and "down" not in value:
        return "<radix>"
    return f"<{value['type']}>" if "type" in value else "<name>"


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


Topology = Annotated[
    Annotated[NamedNetwork, Tag("<name>")]
    | Annotated[Crossbar, Tag("<crossbar>")]
    | Annotated[Torus, Tag("<torus>")]
    | Annotated[HyperX, Tag("<hyperx>")]
    | Annotated[FatTree, Tag("<fat_tree>")]
    | Annotated[RadixTree, Tag("<radix>")]
    | Annotated[Dragonfly, Tag("<dragonfly>")]
    | Annotated[GraphNetwork, Tag("<graph>")],
    Discriminator(_kind),
    BeforeValidator(_named),
]


class GivenPlacement(Group):
    """Ranks on nodes that a file lists."""

    file: FilePath = option("The node of each rank, a line a rank.", allowed="the name of a text file")


Placement = Annotated[
    Annotated[Literal["linear", "random", "mapped"], Tag("<name>")]
    | Annotated[GivenPlacement, Tag("<file>")],
    Discriminator(lambda value: "<file>" if isinstance(value, (dict, Group)) else "<name>"),
]
