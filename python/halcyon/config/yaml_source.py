"""Reads YAML and records the line of every key.

Plain scalars follow the core schema of YAML 1.2 (section 10.3): `27e3` is a number, `no` is a string and
`012` is twelve. PyYAML follows YAML 1.1, where they are a string, a boolean and ten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from halcyon.base import ConfigError, Error, InputError
from halcyon.deprecated import current_location, renamed_options, warn

_USER_ERRORS = (ConfigError, InputError)


@contextmanager
def errors_at(*location: str | int, of: tuple[type[Error], ...] = _USER_ERRORS) -> Iterator[None]:
    """Attributes errors of the types `of` from the body to this option, unless they have a location."""
    try:
        yield
    except of as error:
        if not hasattr(error, "location"):
            error.location = location
        raise


def error_location(error: Error) -> Location | None:
    """The option to which `errors_at` attributed an error; None if there is none."""
    return getattr(error, "location", None)


def apply_override(source: Source, override: str) -> None:
    """Applies one override `option=value` to `source`. Raises ConfigError that names the option."""
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {override}: write --set option=value, such as --set time.step=600.")
    location = source.current(parse_location(key, f"--set {override}"), f"--set {override}")
    try:
        value = parse(text, f"--set {override}").data
    except ConfigError as error:
        raise ConfigError(f"--set {override}: the value cannot be read ({error}).") from None
    set_option(source, location, value, f"--set {override}")
    source.forget(location)
    source.overrides[location] = override


def parse_location(key: str, position: str) -> Location:
    """Parses an option's name such as `output.stations.2.name`. Raises ConfigError, which begins with
    `position`, for an invalid name."""
    location = tuple(int(part) if part.isdecimal() else part for part in key.strip().split("."))
    if "" in location:
        raise ConfigError(f"{position}: '{key}' has an empty name between its dots.")
    return location


def set_option(source: Source, location: Location, value: Any, position: str) -> None:
    """Sets an option to another value. Raises ConfigError, which begins with `position`, if its parent is
    neither a group nor a list with such an item."""
    parent = source.data
    for depth, item in enumerate(location[:-1]):
        _check_parent(parent, location[:depth], item, position)
        if isinstance(parent, dict) and parent.get(item) is None:
            parent[item] = {}
        parent = parent[item]
    _check_parent(parent, location[:-1], location[-1], position)
    parent[location[-1]] = value


def _check_parent(parent: Any, location: Location, item: str | int, position: str) -> None:
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


@dataclass
class Source:
    """The options of a case, with the line or the override that set each of them."""

    name: str
    data: Any
    lines: dict[Location, int] = field(default_factory=dict)
    overrides: dict[Location, str] = field(default_factory=dict)
    prefix: Location = ()  # prefix of its options in `halcyon.deprecated.OPTIONS`

    def current(self, location: Location, place: str) -> Location:
        """The location with current names. Warns of deprecated names, with `place` as their position."""
        found = current_location(self.prefix + location)[len(self.prefix) :]
        if found != location:
            warn(option_name(location), option_name(found), place)
        return found

    def position(self, location: Location) -> str:
        """`case.yaml:14` or `--set time.step=5`: the line or override that set the option, or else the group
        that lacks it; for a group also the overrides of its options."""
        for end in range(len(location), -1, -1):
            at = location[:end]
            if at in self.overrides:
                return f"--set {self.overrides[at]}"
            below = [f"--set {each}" for key, each in self.overrides.items() if end and key[:end] == at]
            if at in self.lines:
                line = f"{self.name}:{self.lines[at]}"
                return " with ".join([line, *below]) if end == len(location) else line
            if below:
                return below[0]
        return self.name

    def forget(self, location: Location) -> None:
        """Removes the recorded positions of an option and its parts, because an override replaced it."""
        for positions in (self.lines, self.overrides):
            for old in [at for at in positions if at[: len(location)] == location]:
                del positions[old]


EXAMPLES = {  # one option of each kind of file, by the sub-command of `halcyon describe`
    "case": "model: wave",
    "simulation": "workload: {type: gcr}",
    "machine": "topology: fattree-M",
}


def read_source(path: Path, name: str | None = None, kind: str = "case") -> Source:
    """Reads the case file `path`. `name`: its name in errors; `kind`: a key of `EXAMPLES`.

    Raises ConfigError if the file cannot be read or is not a YAML group of options.
    """
    name = name or str(path)
    source = parse(_text_of(path, name), name)
    if source.data is None:
        raise ConfigError(f"{name} is empty. `halcyon describe {kind}` shows what it may hold.")
    if not isinstance(source.data, dict):
        raise ConfigError(
            f"{name}:1: a {kind} is a group of options (`{EXAMPLES[kind]}` and so on), not {source.data!r}."
        )
    source.prefix = ("machine",) if kind == "machine" else ()
    _use_current_names(source)
    return source


def _use_current_names(source: Source) -> None:
    """Moves options with deprecated names to their current ones. Raises ConfigError where both are given."""
    start = len(source.prefix)
    for renamed in renamed_options([source.prefix + at for at in source.lines]):
        old, new = (location[start:] for location in renamed)
        place = source.position(old)
        if new in source.lines:
            raise ConfigError(
                f"{place}: {option_name(old)} is the old name of {option_name(new)}, which is given too. "
                "Remove it."
            )
        warn(option_name(old), option_name(new), place)
        parent = source.data
        for item in old[:-1]:
            parent = parent[item]
        set_option(source, new, parent.pop(old[-1]), place)
        for at in [at for at in source.lines if at[: len(old)] == old]:
            source.lines[new + at[len(old) :]] = source.lines.pop(at)


def parse(text: str, name: str) -> Source:
    """Parses YAML `text`; raises ConfigError with the line of the first syntax error."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise ConfigError(_syntax_text(error, name)) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{name} is not valid YAML: {str(error).splitlines()[0]}.") from None
    source = Source(name, None)
    if root is not None:
        source.data = _value(source, root, ())
    return source


def _value(
    source: Source, node: yaml.Node, location: Location, open_nodes: tuple[yaml.Node, ...] = ()
) -> Any:
    """Returns the value of a PyYAML node and records its line."""
    source.lines.setdefault(location, _line(node))
    if not node.tag.startswith("tag:yaml.org,2002:"):
        raise _error(source, node, f"the tag {node.tag} is not known here; write a plain value")
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if any(node is outer for outer in open_nodes):
        raise _error(source, node, "an alias may not contain itself")
    inside = (*open_nodes, node)
    if not isinstance(node, yaml.MappingNode):
        return [_value(source, item, (*location, i), inside) for i, item in enumerate(node.value)]
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise _error(source, key_node, "an option's name must be a word")
        key_location = (*location, key_node.value)
        if key_node.value in result:
            first = f"first in line {source.lines[key_location]}"
            raise _error(source, key_node, f"{option_name(key_location)} is given twice, {first}")
        source.lines[key_location] = _line(key_node)
        result[key_node.value] = _value(source, value_node, key_location, inside)
    return result


def _error(source: Source, node: yaml.Node, text: str) -> ConfigError:
    return ConfigError(f"{source.name}:{_line(node)}: {text}.")


def option_name(location: Location) -> str:
    """`output.stations[2].name`"""
    text = ""
    for item in location:
        text += f"[{item}]" if isinstance(item, int) else f".{item}" if text else str(item)
    return text


def _scalar(node: yaml.ScalarNode) -> Any:
    text = node.value
    if node.style is not None:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 20 else float(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def _syntax_text(error: yaml.MarkedYAMLError, name: str) -> str:
    mark = error.problem_mark or error.context_mark
    position = f"{name}:{mark.line + 1}" if mark else name
    hint = " Indent with spaces, not with tabs." if "'\\t'" in str(error.problem) else ""
    return f"{position}: not valid YAML: {error.problem or error.context}.{hint}"


def _text_of(path: Path, name: str) -> str:
    if path.is_dir():
        raise ConfigError(
            f"{name} is a folder. Give the case file in it, such as {name.rstrip('/')}/case.yaml."
        )
    if not path.exists():
        raise ConfigError(f"{name} does not exist.{_other_files_text(path)}")
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
            raise ConfigError(
                f"{name} is larger than {_LARGEST_FILE_BYTES // 1_000_000} MB: not a case file."
            )
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{name} is not a text file (byte {error.start} is not UTF-8). Give a YAML file."
        ) from None
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror}.") from None
    if "\0" in text:
        raise ConfigError(f"{name} is not a text file (it has zero bytes). Give a YAML file.")
    return text


def _other_files_text(path: Path) -> str:
    """Lists the case files in the folder of a missing file."""
    if not path.parent.is_dir():
        return f" The folder {path.parent} does not exist either."
    found = sorted(p.name for p in path.parent.iterdir() if p.suffix in (".yaml", ".yml"))[:5]
    return f" Case files in {path.parent}: {', '.join(found)}." if found else ""
