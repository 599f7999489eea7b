"""What an option is: a typed field with its text, unit and the values that are allowed."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Tag, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from halcyon.mesh.named import is_named_mesh


class Group(BaseModel):
    """A group of options: nothing unknown, nothing converted silently, nothing changed later.

    `goes_with`, by the name of an option: of its kinds that go together with some equations only, which."""

    goes_with: ClassVar[Mapping[str, Mapping[str, Sequence[str]]]] = {}
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def option(
    text: str, *, default: Any = PydanticUndefined, unit: str = "", allowed: str = "", **limits: Any
) -> Any:
    """A documented field. `allowed` says in words which values may be given, where the type does not."""
    extra = {"unit": unit, "allowed": allowed}
    return Field(default, description=text, json_schema_extra=extra, validate_default=False, **limits)


optional = partial(option, default=None)  # one that may be left out and then is None


def group(kind: type[Group], text: str) -> Any:
    """A group that may be left out: all its options then have their defaults."""
    return Field(default_factory=kind, description=text)


def utc(text: str) -> datetime:
    """The time of an ISO 8601 text, in UTC and without an offset. Raises ValueError where it is none."""
    time = datetime.fromisoformat(text.strip())
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)


def _utc(value: Any) -> Any:
    return utc(value) if isinstance(value, str) else value


def resolved(value: Any, info: ValidationInfo) -> Any:
    """A file name as a path; relative names are relative to the case file."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return value
    return Path((info.context or {}).get("folder", "")) / Path(value).expanduser()


def _mesh(value: Any, info: ValidationInfo) -> Any:
    found = value if isinstance(value, str) and is_named_mesh(value) else resolved(value, info)
    return str(found) if isinstance(found, Path) else found


# Types of options. A text among the marks of a type says in words what it allows.
UtcTime = Annotated[datetime, BeforeValidator(_utc)]
FilePath = Annotated[Path, BeforeValidator(resolved)]
MeshName = Annotated[str, BeforeValidator(_mesh)]  # of the globe, or a mesh file beside the case
Seconds = Annotated[float, Field(gt=0), "positive seconds"]
VariableName = Annotated[str, "a variable's name"]
NetcdfPath = Annotated[FilePath, "the name of a netCDF file"]


def options_of(model: type[Group]) -> dict[str, FieldInfo]:
    """The options of a group by the names that the case file uses."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def figure(value: float) -> str:
    """A number without a useless end: 27000, 0.1."""
    return f"{value:.15g}"


def unit_of(field: FieldInfo) -> str:
    return (field.json_schema_extra or {}).get("unit", "")


def allowed_text(field: FieldInfo) -> str:
    """The values that are allowed, in words: `a number from 0 to 1`."""
    given = (field.json_schema_extra or {}).get("allowed", "")
    return given or _words(field.annotation, field.metadata, unit_of(field))


def variants(annotation: Any) -> dict[str, type[Group]]:
    """The groups that a field may hold, by tag; the tag is empty where there is only one."""
    if isinstance(annotation, type) and issubclass(annotation, Group):
        return {"": annotation}
    if get_origin(annotation) is Annotated:
        kind, *marks = get_args(annotation)
        tag = next((mark.tag for mark in marks if isinstance(mark, Tag)), None)
        inner = variants(kind)
        return inner if tag is None or not inner else {tag: next(iter(inner.values()))}
    if get_origin(annotation) in _UNIONS:
        return {tag: model for part in get_args(annotation) for tag, model in variants(part).items()}
    return {}


def item_type(annotation: Any) -> Any:
    """The type of a list's items, or of the lists in a group of lists of any names."""
    if get_origin(annotation) in _UNIONS:
        return next((item for part in get_args(annotation) if (item := item_type(part))), None)
    if get_origin(annotation) is dict:
        values = get_args(annotation)[1]
        return values if get_origin(_bare(values)[0]) is list else None
    return get_args(annotation)[0] if get_origin(annotation) is list else None


def item_text(field: FieldInfo) -> str | None:
    """The values that such items may have, where they are numbers or lists."""
    kind, marks = _bare(item_type(field.annotation))
    return _words(kind, marks, "") if kind in (int, float) or get_origin(kind) is list else None


def _bare(annotation: Any) -> tuple[Any, list[Any]]:
    """A type without its marks, and those, limits among them."""
    if get_origin(annotation) is not Annotated:
        return annotation, []
    kind, *marks = get_args(annotation)
    return kind, [each for mark in marks for each in getattr(mark, "metadata", [mark])]


def _words(annotation: Any, marks: list[Any], unit: str) -> str:
    annotation, own = _bare(annotation)
    marks = [*marks, *own]
    given = next((mark for mark in marks if isinstance(mark, str)), None)
    if given is not None:
        return given
    if get_origin(annotation) is Literal:
        return either([f"'{value}'" for value in get_args(annotation)])
    if annotation in (int, float):
        noun = "an integer" if annotation is int else "a number"
        return noun + _range(marks) + (f" [{unit}]" if unit else "")
    if annotation in _KINDS:
        return _KINDS[annotation]
    groups = list(variants(annotation).values())
    if groups:
        return f"a group of options ({', '.join(options_of(groups[0]))})"
    if get_origin(annotation) in _UNIONS:
        return " or ".join(_words(part, marks, unit) for part in get_args(annotation) if part is not NoneType)
    return "a list" if item_type(annotation) is not None else "another value"


def _range(limits: list[Any]) -> str:
    low = next((m for m in limits if isinstance(m, (annotated_types.Ge, annotated_types.Gt))), None)
    high = next((m for m in limits if isinstance(m, (annotated_types.Le, annotated_types.Lt))), None)
    if isinstance(low, annotated_types.Ge) and isinstance(high, annotated_types.Le):
        return f" from {figure(low.ge)} to {figure(high.le)}"
    words = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
    given = {name: getattr(m, name) for m in (low, high) for name in words if hasattr(m, name)}
    text = " and ".join(f"{words[name]} {figure(value)}" for name, value in given.items())
    return f" of {text}" if len(given) == 1 and text.startswith("at ") else f" {text}" if text else ""


def either(words: list[str]) -> str:
    """`a, b or c`"""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_UNIONS = (Union, types.UnionType)
_KINDS = {
    bool: "true or false",
    datetime: "a time in UTC such as 2022-09-01T00:00",
    Path: "the name of a file",
    str: "a text",
}
