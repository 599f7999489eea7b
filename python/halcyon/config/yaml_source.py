"""Reads YAML and records the line of every key.

Plain scalars follow the core schema of YAML 1.2 (section 10.3): `27e3` is a number, `no` is a string and
`012` is twelve. PyYAML follows YAML 1.1, which reads the same words as a string, a boolean and ten.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from halcyon.base import ConfigError, Error, InputError, require_regular_file
from halcyon.deprecated import current_location, renamed_options, warn

_USER_ERRORS = (ConfigError, InputError)


@contextmanager
def errors_at(*location: str | int, error_types: tuple[type[Error], ...] = _USER_ERRORS) -> Iterator[None]:
    """Marks each error of one of the `error_types` that the body raises with the option at fault, `location`.
    An error that already has a location keeps it."""
    try:
        yield
    except error_types as error:
        if not hasattr(error, "location"):
            vars(error)["location"] = location
        raise


def error_location(error: Error) -> Location | None:
    """The option at fault with which `errors_at` marked the error; None without a mark."""
    return getattr(error, "location", None)


def apply_override(source: Source, override: str) -> None:
    """Applies one override `option=value` to `source`. Raises ConfigError that names the option."""
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {override}: write --set option=value, such as --set time.step=600.")
    location = source.to_current_names(parse_location(key, f"--set {override}"), f"--set {override}")
    try:
        given = parse(text, f"--set {override}")
    except ConfigError as error:
        raise ConfigError(f"--set {override}: the value cannot be read ({error}).") from None
    set_option(source, location, given.data, f"--set {override}")
    source.forget_positions(location)
    source.texts |= {location + key: text for key, text in given.texts.items()}
    source.overrides[location] = override


def parse_location(key: str, position: str) -> Location:
    """Parses an option's name such as `output.stations.2.name`. Raises ConfigError for an invalid name;
    `position` is the beginning of the error text."""
    parts = key.strip().split(".")
    for part in parts:
        if not part:
            raise ConfigError(f"{position}: '{key}' has an empty name between its dots.")
        if mistake := _name_mistake(part):
            raise ConfigError(f"{position}: {mistake}.")
    return tuple(int(part) if part.isdecimal() and len(part) < 10 else part for part in parts)


def _name_mistake(name: str) -> str | None:
    """The mistake in the name of an option; None if it may be a name."""
    if name == "<<":
        return "the merge key '<<' of YAML 1.1 is not supported; write the options out"
    return f"'{name[:40]}' cannot be the name of an option" if name.startswith("<") else None


def set_option(source: Source, location: Location, value: Any, position: str) -> None:
    """Sets an option to another value. Raises ConfigError if the parent of the option is neither a group nor
    a list with such an item; `position` is the beginning of the error text."""
    parent = source.data
    for depth, item in enumerate(location[:-1]):
        _check_parent(parent, location[:depth], item, position)
        if isinstance(parent, dict) and parent.get(item) is None:
            parent[item] = {}
        parent = parent[item]
    _check_parent(parent, location[:-1], location[-1], position)
    parent[location[-1]] = value


def _check_parent(parent: Any, location: Location, item: str | int, position: str) -> None:
    """Raises ConfigError if `parent`, the option at `location`, cannot have an option or item `item`."""
    name = option_name(location)
    if isinstance(parent, list):
        if not isinstance(item, int) or item >= len(parent):
            raise ConfigError(
                f"{position}: {name} is a list of {len(parent)}; give an index from 0 to {len(parent) - 1}."
            )
    elif not isinstance(parent, dict):
        raise ConfigError(
            f"{position}: {name} is {parent!r} in the case, not a group. Set {name} as a whole."
        )


Location = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    **dict.fromkeys([".inf", "+.inf", ".Inf"], float("inf")),
    "-.inf": float("-inf"),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
}
_LARGEST_FILE_BYTES = 4_000_000
_MOST_VALUES = 300_000  # of a file; an alias counts as many as the values that it stands for
_GREATEST_DEPTH = 50  # of groups and lists in each other
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class Source:
    """The options of a case, with the line or the override that set each of them."""

    name: str  # name of the file, for errors
    data: Any  # the options, as nested dictionaries and lists
    lines: dict[Location, int] = field(default_factory=dict)
    texts: dict[Location, str] = field(default_factory=dict)  # plain numbers and booleans as they are written
    overrides: dict[Location, str] = field(default_factory=dict)  # `option=value`
    prefix: Location = ()  # prefix of the options of this file in `halcyon.deprecated.OPTIONS`

    def to_current_names(self, location: Location, position: str) -> Location:
        """Returns the location of an option with current names. Warns of a deprecated name, given at
        `position`."""
        current = current_location(self.prefix + location)[len(self.prefix) :]
        if current != location:
            warn(option_name(location), option_name(current), position)
        return current

    def position(self, location: Location) -> str:
        """`case.yaml:14` or `--set time.step=5`: the line or override that set the option or, if it is not
        given, the nearest group around it; for a group also the overrides of its options."""
        for end in range(len(location), -1, -1):
            group = location[:end]
            if group in self.overrides:
                return f"--set {self.overrides[group]}"
            overrides_in_group = [
                f"--set {override}" for key, override in self.overrides.items() if end and key[:end] == group
            ]
            if group in self.lines:
                line = f"{self.name}:{self.lines[group]}"
                return " with ".join([line, *overrides_in_group]) if end == len(location) else line
            if overrides_in_group:
                return overrides_in_group[0]
        return self.name

    def forget_positions(self, location: Location) -> None:
        """Removes the recorded positions and texts of an option and its parts, because an override replaced
        it."""
        for positions in (self.lines, self.texts, self.overrides):
            for replaced_option in [key for key in positions if key[: len(location)] == location]:
                del positions[replaced_option]


EXAMPLES = {  # an example of an option for each kind of file; `halcyon describe KIND` shows all its options
    "case": "model: wave",
    "simulation": "workload: {type: gcr}",
    "machine": "topology: fattree-M",
    "step": "points: 3538944",
}


def read_source(path: Path, name: str | None = None, kind: str = "case") -> Source:
    """Reads the case file `path`. `name`: its name in errors; `kind`: a key of `EXAMPLES`.

    Raises ConfigError if the file cannot be read or is not a YAML group of options.
    """
    name = name or str(path)
    source = parse(_text_of(path, name), name)
    if source.data is None:
        raise ConfigError(f"{name} is empty. `halcyon describe {kind}` shows its options.")
    if not isinstance(source.data, dict):
        raise ConfigError(
            f"{name}:1: a {kind} file holds options (`{EXAMPLES[kind]}` and so on), not {source.data!r}."
        )
    source.prefix = ("machine",) if kind == "machine" else ()
    _use_current_names(source)
    return source


def _use_current_names(source: Source) -> None:
    """Moves options with deprecated names to their current ones. Raises ConfigError where both are given."""
    start = len(source.prefix)
    for old_and_new in renamed_options([source.prefix + key for key in source.lines]):
        old, new = (location[start:] for location in old_and_new)
        position = source.position(old)
        if new in source.lines:
            raise ConfigError(
                f"{position}: {option_name(old)} is the old name of {option_name(new)}, which is given too. "
                f"Remove {option_name(old)}."
            )
        warn(option_name(old), option_name(new), position)
        parent = source.data
        for item in old[:-1]:
            parent = parent[item]
        set_option(source, new, parent.pop(old[-1]), position)
        tables: tuple[dict[Location, Any], ...] = (source.lines, source.texts)
        for positions in tables:
            for key in [key for key in positions if key[: len(old)] == old]:
                positions[new + key[len(old) :]] = positions.pop(key)


def parse(text: str, name: str) -> Source:
    """Parses YAML `text`; raises ConfigError with the line of the first syntax error, and for more than
    100,000 values or 50 levels of groups and lists, before they take memory."""
    try:
        root = yaml.compose(text, Loader=_Loader)
    except _TooLargeError as error:
        raise ConfigError(f"{name}:{error.problem_mark.line + 1}: {error.problem}.") from None
    except yaml.MarkedYAMLError as error:
        raise ConfigError(_syntax_text(error, name)) from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{name} is not valid YAML: {str(error).splitlines()[0]}.") from None
    source = Source(name, None)
    if root is not None:
        source.data = _value(source, root, ())
    return source


class _TooLargeError(yaml.MarkedYAMLError):
    """Too many values or levels."""


class _Loader(yaml.SafeLoader):
    """Raises _TooLargeError while it reads, before the values take memory."""

    _n_values = _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        self._n_values += 1
        self._depth += 1
        if mistake := _size_mistake(self._n_values, self._depth):
            raise _TooLargeError(problem=mistake, problem_mark=self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _size_mistake(n_values: int, depth: int) -> str | None:
    if n_values > _MOST_VALUES:
        return f"with its aliases the file has more than {_MOST_VALUES:,} values; write fewer"
    return (
        f"groups and lists are nested more than {_GREATEST_DEPTH} deep" if depth > _GREATEST_DEPTH else None
    )


def _value(
    source: Source, node: yaml.Node, location: Location, open_nodes: tuple[yaml.Node, ...] = ()
) -> Any:
    """Returns the value of a PyYAML node, and records the lines of its options in `source`. `open_nodes`: the
    nodes that contain this node."""
    source.lines.setdefault(location, _line(node))
    if not node.tag.startswith("tag:yaml.org,2002:"):
        raise _error_at_node(source, node, f"the YAML tag {node.tag} is not supported; write a plain value")
    if isinstance(node, yaml.ScalarNode):
        if _SURROGATE.search(node.value):
            raise _error_at_node(source, node, f"{ascii(node.value)[:60]} has half a character (a surrogate)")
        value = _scalar(node)
        if isinstance(value, bool | int | float):
            source.texts[location] = node.value
        return value
    if any(node is outer for outer in open_nodes):
        raise _error_at_node(source, node, "a YAML alias may not contain itself")
    nodes = (*open_nodes, node)
    if mistake := _size_mistake(len(source.lines) + len(node.value), len(nodes)):
        raise _error_at_node(source, node, mistake)
    if not isinstance(node, yaml.MappingNode):
        return [_value(source, item, (*location, i), nodes) for i, item in enumerate(node.value)]
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise _error_at_node(source, key_node, "an option's name must be a word")
        if mistake := _name_mistake(key_node.value):
            raise _error_at_node(source, key_node, mistake)
        if _SURROGATE.search(key_node.value):
            raise _error_at_node(source, key_node, f"{ascii(key_node.value)[:60]} has half a character")
        key_location = (*location, key_node.value)
        if key_node.value in result:
            first_line = f"first in line {source.lines[key_location]}"
            raise _error_at_node(
                source, key_node, f"{option_name(key_location)} is given twice, {first_line}"
            )
        source.lines[key_location] = _line(key_node)
        result[key_node.value] = _value(source, value_node, key_location, nodes)
    return result


def _error_at_node(source: Source, node: yaml.Node, text: str) -> ConfigError:
    return ConfigError(f"{source.name}:{_line(node)}: {text}.")


def option_name(location: Location) -> str:
    """`output.stations[2].name`"""
    text = ""
    for item in location:
        text += f"[{item}]" if isinstance(item, int) else f".{item}" if text else str(item)
    return text


def _scalar(node: yaml.ScalarNode) -> Any:
    """The value of a scalar; a quoted scalar is always a string."""
    text = node.value
    if node.style is not None:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 20 else float(text)  # too long for 64 bits
    return float(text) if _NUMBER.fullmatch(text) else text


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def _syntax_text(error: yaml.MarkedYAMLError, name: str) -> str:
    mark = error.problem_mark or error.context_mark
    position = f"{name}:{mark.line + 1}" if mark else name
    hint = " Indent with spaces, not with tabs." if "'\\t'" in str(error.problem) else ""
    return f"{position}: not valid YAML: {error.problem or error.context}.{hint}"


def _text_of(path: Path, name: str) -> str:
    if os.path.isdir(path):
        raise ConfigError(
            f"{name} is a folder. Give the case file in it, such as {name.rstrip('/')}/case.yaml."
        )
    if not os.path.exists(path):
        raise ConfigError(f"{name} does not exist.{_other_files_text(path)}")
    try:
        if require_regular_file(path, "a case file") > _LARGEST_FILE_BYTES:
            raise ConfigError(
                f"{name} is larger than {_LARGEST_FILE_BYTES // 1_000_000} MB, so it is not a case file."
            )
        text = path.read_text(encoding="utf-8-sig")
    except InputError as error:
        raise ConfigError(str(error)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{name} is not a text file (byte {error.start} is not UTF-8). Give a YAML file."
        ) from None
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror}.") from None
    if "\0" in text:
        raise ConfigError(f"{name} is not a text file (it contains bytes of value 0). Give a YAML file.")
    return text


def _other_files_text(path: Path) -> str:
    """Lists the case files in the folder of a missing file."""
    if not os.path.isdir(path.parent):
        return f" The folder {path.parent} does not exist either."
    names = sorted(p.name for p in path.parent.iterdir() if p.suffix in (".yaml", ".yml"))[:5]
    return f" Case files in {path.parent}: {', '.join(names)}." if names else ""
