"""`topology:`, `routing:` and `placement:` which network a machine has, and how it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Tag

from halcyon.choices import choices, names
from halcyon.config.option import FilePath, Group, alternatives, option
from halcyon.config.registry import group_of, quoted_list, tagged_union, type_tag

if TYPE_CHECKING:
    from halcyon import network

ROUTINGS = quoted_list(names("routings"))
PLACEMENTS = ", ".join(map(repr, names("placements"))) + ", or a group with file"
Routing = Literal[names("routings")]


class TypedNetwork(Group):
    """A network of a type, by the options that the type declares."""

    def made(self) -> network.Topology:
        """The network."""
        from halcyon import network

        options = self.model_dump()
        return network.make_topology(options.pop("type"), **options)


class NamedNetwork(Group):
    """A network by its name."""

    name: str = option("Such as fattree-M; those of table 1 of Zheng and Marguinaud (2018).")

    def made(self) -> network.Topology:
        """The network. Raises ConfigError where there is none of that name."""
        from halcyon import network

        return network.named_network(self.name)


_NAMES = list(dict.fromkeys(names("topologies")))
TYPES = alternatives(_NAMES)


def _tags() -> Iterator[tuple[str, type[Group]]]:
    """The groups of all types by their tags. A further form of a type is called after the last option that it
    must have."""
    for form in choices("topologies"):
        is_first = form.name not in _FORMS
        last = [each.name for each in form.options if each.required][-1]
        tag = f"<{form.name if is_first else last}>"
        _FORMS.setdefault(form.name, []).append((tag, form.options[1].name))
        yield tag, group_of(form, tag.strip("<>"), "type", quoted_list(_NAMES), TypedNetwork)


_FORMS: dict[str, list[tuple[str, str]]] = {}  # of each type: their tags, and an option that tells them
_TYPES = dict(_tags())


def _form(given: Mapping[str, Any]) -> str:
    forms = _FORMS.get(given.get("type"), [])
    last = forms[-1][0] if forms else type_tag(given) if "type" in given else "<name>"
    return next((tag for tag, option in forms if option in given), last)


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


Topology = Annotated[tagged_union({"<name>": NamedNetwork} | _TYPES, _form), BeforeValidator(_named)]


class GivenPlacement(Group):
    """Ranks on nodes that a file lists."""

    file: FilePath = option("The node of each rank, a line a rank.", allowed="the name of a text file")


Placement = Annotated[
    Annotated[Literal[names("placements")], Tag("<name>")] | Annotated[GivenPlacement, Tag("<file>")],
    Discriminator(lambda value: "<file>" if isinstance(value, (dict, Group)) else "<name>"),
]
