"""Options given in Python: the keywords of `halcyon.wave`, `atmosphere` and `spectral`, made from the options
of cases, and their conversion to the options of a case file."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from keyword import iskeyword
from typing import Any

import numpy as np
from pydantic.fields import FieldInfo

from halcyon.base import ConfigError
from halcyon.config.error_texts import suggestion
from halcyon.config.load import MODELS
from halcyon.config.option import allowed_text, groups_by_tag, options_of
from halcyon.config.reference import default_text
from halcyon.config.yaml_source import Location

# Groups whose options are keywords themselves, if only one of the groups has an option of this name.
_LIFTED = ("mesh", "equations", "time", "forcing", "output")
_OMITTED = {"model", "folder", "pictures", "ensemble"}  # without effect here
_WIDTH = 100  # characters of a line of a docstring


@dataclass(frozen=True)
class Keyword:
    """An option as a keyword: its place in a case, and its declaration."""

    location: Location
    field: FieldInfo

    def text(self) -> str:
        """The option in a docstring: meaning, unit or allowed values, and default."""
        default = default_text(self.field)
        allowed = allowed_text(self.field)
        note = "" if not default else "; required" if default == "required" else f"; default {default}"
        details = f"{allowed[:1].upper()}{allowed[1:]}{note}"
        option = ".".join(map(str, self.location))
        where = "" if len(self.location) == 1 else f" (option {option})"
        return f"{self.field.description or ''} {details}.{where}".strip()


@cache
def keywords(model: str) -> Mapping[str, Keyword]:
    """The keywords of a model: the groups of its cases, and the options of some groups."""
    groups = options_of(MODELS[model][0])
    found = {name: Keyword((name,), field) for name, field in groups.items() if name not in _OMITTED}
    lifted: dict[str, list[Keyword]] = {}
    for group in _LIFTED:
        for name, field in _options_in(groups, group):
            lifted.setdefault(name, []).append(Keyword((group, name), field))
    for name, places in lifted.items():
        is_unique = len({place.location for place in places}) == 1
        if is_unique and name not in found and name not in _OMITTED and not iskeyword(name):
            found[name] = places[0]
    return found


def _options_in(groups: Mapping[str, FieldInfo], group: str) -> Iterator[tuple[str, FieldInfo]]:
    if group in groups:
        for kind in groups_by_tag(groups[group].annotation).values():
            yield from options_of(kind).items()


def signature_of(model: str) -> inspect.Signature:
    """The signature of the function that makes a simulation of a model; None: not given."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature([inspect.Parameter(name, kind, default=None) for name in keywords(model)])


def docstring_of(model: str) -> str:
    """The docstring of this function, with all keywords."""
    lines = [f"A simulation of `model: {model}`; its keywords are the options of a case file.", ""]
    lines += ["Groups are dictionaries, as in YAML. `halcyon describe case` lists the options in them.", ""]
    for name, keyword in keywords(model).items():
        indented: Any = {"initial_indent": "    ", "subsequent_indent": "    "}
        lines += [name, *textwrap.wrap(keyword.text(), _WIDTH, **indented)]
    lines += ["", "Returns a `halcyon.Simulation`. Raises ConfigError with one line per mistake."]
    return "\n".join(lines)


def case_options(model: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a case file for keywords of a model; None counts as not given. Raises ConfigError for
    unknown keywords, and for an option given twice."""
    return {"model": model} | with_keywords({}, model, given)


def with_keywords(options: Mapping[str, Any], model: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a case with those of keywords, which replace options. Raises ConfigError as
    `case_options`."""
    known, result = keywords(model), plain(options)
    for name, value in given.items():
        if name not in known:
            raise ConfigError(f"unknown option '{name}' of model: {model}. {suggestion(name, known)}")
        if value is not None and len(known[name].location) == 1:
            result[name] = plain(value)
    for name, value in given.items():
        if value is not None and len(known[name].location) == 2:
            group, option = map(str, known[name].location)
            if isinstance(given.get(group), Mapping) and option in given[group]:
                raise ConfigError(f"{name} and {group}['{option}'] are the same option. Give one of them.")
            _group_of(result, group)[option] = plain(value)
    return result


def _group_of(options: dict[str, Any], name: str) -> dict[str, Any]:
    """The group of a name in the options, which is added if it is missing."""
    group = options.setdefault(name, {})
    if isinstance(group, str) and name == "equations":  # its shorthand
        group = options[name] = {"set": group}
    if not isinstance(group, dict):
        raise ConfigError(
            f"{name} = {group!r}, not a dictionary, so that it has no single options. Give one."
        )
    return group


def plain(value: Any) -> Any:
    """A value as YAML has it: dictionaries, lists, numbers, texts and times, which are texts here."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(each) for each in value]
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[ms]"))
    if isinstance(value, date):  # or datetime
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value
