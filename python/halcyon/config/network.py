"""The options `topology`, `routing` and `placement`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Tag

from halcyon.base import require_regular_file
from halcyon.choices import choices, names
from halcyon.config.option import FilePath, Group, joined_by_or, option
from halcyon.config.registry import group_of, quoted_list, tagged_union, type_tag

if TYPE_CHECKING:
    from halcyon import network

ROUTINGS = quoted_list(names("routings"))
PLACEMENTS = ", ".join(map(repr, names("placements"))) + ", or a group with file"
if TYPE_CHECKING:
    Routing = str
else:
    Routing = Literal[names("routings")]


class TypedNetwork(Group):
    """A network given by its type and the options of that type."""

    def build(self) -> network.Topology:
        """Returns the network."""
        from halcyon import network

        options = self.model_dump()
        if "file" in options:
            require_regular_file(options["file"], "a network")
        return network.make_topology(options.pop("type"), **options)


class NamedNetwork(Group):
    """A predefined network."""

    name: str = option(
        "Name of a predefined network such as fattree-M, from table 1 of Zheng and Marguinaud (2018)."
    )

    def build(self) -> network.Topology:
        """Returns the network. Raises ConfigError for an unknown name."""
        from halcyon import network

        return network.named_network(self.name)


_NAMES = list(dict.fromkeys(names("topologies")))
TYPES = joined_by_or(_NAMES)


# For each type, its variants: the tag, and the option that distinguishes the variant.
_VARIANTS: dict[str, list[tuple[str, str]]] = {}


def _tags() -> Iterator[tuple[str, type[Group]]]:
    """Yields the tag and the group of each topology, and fills _VARIANTS. Registry entries of the same type
    are variants: the first is tagged with the type, the others with their last required option."""
    for variant in choices("topologies"):
        is_first = variant.name not in _VARIANTS
        last_required = [each.name for each in variant.options if each.required][-1]
        tag = f"<{variant.name if is_first else last_required}>"
        distinguishing_option = variant.options[1].name  # the option after `type`
        _VARIANTS.setdefault(variant.name, []).append((tag, distinguishing_option))
        yield tag, group_of(variant, tag.strip("<>"), "type", quoted_list(_NAMES), TypedNetwork)


_TYPES = dict(_tags())


def _variant_tag(options: Mapping[str, Any]) -> str:
    """The tag of the group for the options that a case gives; the last variant if none is distinguished."""
    type_name = options.get("type")
    variants = _VARIANTS.get(type_name, []) if isinstance(type_name, str) else []
    default = variants[-1][0] if variants else type_tag(options) if "type" in options else "<name>"
    return next((tag for tag, option in variants if option in options), default)


def _group_of_name(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


if TYPE_CHECKING:
    Topology = NamedNetwork | TypedNetwork
else:
    Topology = Annotated[
        tagged_union({"<name>": NamedNetwork} | _TYPES, _variant_tag), BeforeValidator(_group_of_name)
    ]


class FilePlacement(Group):
    """A placement given by a file."""

    file: FilePath = option(
        "File with the node of each rank, one line per rank.", allowed="the name of a text file"
    )


if TYPE_CHECKING:
    Placement = str | FilePlacement
else:
    Placement = Annotated[
        Annotated[Literal[names("placements")], Tag("<name>")] | Annotated[FilePlacement, Tag("<file>")],
        Discriminator(lambda value: "<file>" if isinstance(value, (dict, Group)) else "<name>"),
    ]
