"""Options: typed fields with a description, a unit and the allowed values."""

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
    """A group of options: unknown options are errors, values are not converted silently; immutable.

    `equation_sets_for[option][name]` lists the equation sets that support `type: name` of an option, such as
    `equation_sets_for["initial"]["modons"]`; a name that is not listed is supported by all equation sets."""

    equation_sets_for: ClassVar[Mapping[str, Mapping[str, Sequence[str]]]] = {}
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def option(
    text: str, *, default: Any = PydanticUndefined, unit: str = "", allowed: str = "", **limits: Any
) -> Any:
    """Declares an option. `text`: description; `allowed`: the allowed values in words, if the type does
    not imply them."""
    extra: Any = {"unit": unit, "allowed": allowed}
    return Field(default, description=text, json_schema_extra=extra, validate_default=False, **limits)


optional = partial(option, default=None)  # an option that may be omitted and is then None


def group(group_type: type[Group], text: str) -> Any:
    """A group that may be omitted: all its options then have their defaults."""
    return Field(default_factory=group_type, description=text)


def utc(text: str) -> datetime:
    """Parses an ISO 8601 time, in UTC unless it has an offset, to a datetime in UTC without a time zone.
    Raises ValueError for an invalid time."""
    time = datetime.fromisoformat(text.strip())
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)


def _utc(value: Any) -> Any:
    return utc(value) if isinstance(value, str) else value


def resolved_path(value: Any, info: ValidationInfo) -> Any:
    """Converts a file name into a path; a relative name is relative to the folder of the case file."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return value
    return Path((info.context or {}).get("folder", "")) / Path(value).expanduser()


def _mesh_name(value: Any, info: ValidationInfo) -> Any:
    resolved = value if isinstance(value, str) and is_named_mesh(value) else resolved_path(value, info)
    return str(resolved) if isinstance(resolved, Path) else resolved


# Types of options. A string in the metadata of an annotated type describes the allowed values.
UtcTime = Annotated[datetime, BeforeValidator(_utc)]
FilePath = Annotated[Path, BeforeValidator(resolved_path)]
MeshName = Annotated[str, BeforeValidator(_mesh_name)]  # a named global mesh, or the path of a mesh file
Seconds = Annotated[float, Field(gt=0), "positive seconds"]
VariableName = Annotated[str, "a variable's name"]
NetcdfPath = Annotated[FilePath, "the name of a netCDF file"]


def options_of(group_type: type[Group]) -> dict[str, FieldInfo]:
    """The options of a group by their names in the case file."""
    return {field.alias or name: field for name, field in group_type.model_fields.items()}


def decimal(value: float) -> str:
    """A number without trailing zeros: 27000, 0.1."""
    return f"{value:.15g}"


def _declared(field: FieldInfo, name: str) -> str:
    extra: Any = field.json_schema_extra or {}
    return str(extra.get(name, ""))


def unit_of(field: FieldInfo) -> str:
    """The unit of an option; empty if it has none."""
    return _declared(field, "unit")


def allowed_text(field: FieldInfo) -> str:
    """The allowed values in words: `a number from 0 to 1`."""
    return _declared(field, "allowed") or _type_text(field.annotation, field.metadata, unit_of(field))


def groups_by_tag(annotation: Any) -> dict[str, type[Group]]:
    """The groups that a field may hold, by tag; the tag is empty for a field with a single group."""
    if isinstance(annotation, type) and issubclass(annotation, Group):
        return {"": annotation}
    if get_origin(annotation) is Annotated:
        bare_type, *metadata = get_args(annotation)
        tag = next((each.tag for each in metadata if isinstance(each, Tag)), None)
        groups = groups_by_tag(bare_type)
        return groups if tag is None or not groups else {tag: next(iter(groups.values()))}
    if get_origin(annotation) in _UNIONS:
        return {tag: kind for part in get_args(annotation) for tag, kind in groups_by_tag(part).items()}
    return {}


def item_type(annotation: Any) -> Any:
    """The type of a list's items; for a dictionary of lists, the type of its lists; None for other types."""
    if get_origin(annotation) in _UNIONS:
        return next((item for part in get_args(annotation) if (item := item_type(part))), None)
    if get_origin(annotation) is dict:
        values = get_args(annotation)[1]
        return values if get_origin(_unwrapped(values)[0]) is list else None
    return get_args(annotation)[0] if get_origin(annotation) is list else None


def item_text(field: FieldInfo) -> str | None:
    """The allowed values of the items of a list in words, if they are numbers or lists."""
    bare, metadata = _unwrapped(item_type(field.annotation))
    return _type_text(bare, metadata, "") if bare in (int, float) or get_origin(bare) is list else None


def _unwrapped(annotation: Any) -> tuple[Any, list[Any]]:
    """The type inside `Annotated`, and its metadata; a `Field(ge=0, le=1)` is replaced by `Ge(0), Le(1)`."""
    if get_origin(annotation) is not Annotated:
        return annotation, []
    bare_type, *metadata = get_args(annotation)
    return bare_type, [part for each in metadata for part in getattr(each, "metadata", [each])]


def _type_text(annotation: Any, metadata: list[Any], unit: str) -> str:
    """The values of a type in words. `metadata`: limits, or a string that describes the values."""
    annotation, inner_metadata = _unwrapped(annotation)
    metadata = [*metadata, *inner_metadata]
    declared = next((each for each in metadata if isinstance(each, str)), None)
    if declared is not None:
        return declared
    if get_origin(annotation) is Literal:
        return joined_by_or([f"'{value}'" for value in get_args(annotation)])
    if annotation in (int, float):
        noun = "an integer" if annotation is int else "a number"
        return noun + _range_text(metadata) + (f" [{unit}]" if unit else "")
    if annotation in _TYPE_TEXTS:
        return _TYPE_TEXTS[annotation]
    groups = list(groups_by_tag(annotation).values())
    if groups:
        return f"a group of options ({', '.join(options_of(groups[0]))})"
    if get_origin(annotation) in _UNIONS:
        return " or ".join(
            _type_text(part, metadata, unit) for part in get_args(annotation) if part is not NoneType
        )
    return "a list" if item_type(annotation) is not None else "another value"


def _range_text(limits: list[Any]) -> str:
    """` from 0 to 1`, ` above 0` or ` of at least 1`"""
    low: Any = next((m for m in limits if isinstance(m, (annotated_types.Ge, annotated_types.Gt))), None)
    high: Any = next((m for m in limits if isinstance(m, (annotated_types.Le, annotated_types.Lt))), None)
    if hasattr(low, "ge") and hasattr(high, "le"):
        return f" from {decimal(low.ge)} to {decimal(high.le)}"
    words = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
    bounds = {name: getattr(m, name) for m in (low, high) for name in words if hasattr(m, name)}
    text = " and ".join(f"{words[name]} {decimal(value)}" for name, value in bounds.items())
    return f" of {text}" if len(bounds) == 1 and text.startswith("at ") else f" {text}" if text else ""


def joined_by_or(items: list[str]) -> str:
    """`a, b or c`"""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"


_UNIONS = (Union, types.UnionType)
_TYPE_TEXTS = {
    bool: "true or false",
    datetime: "a time in UTC such as 2022-09-01T00:00",
    Path: "the name of a file",
    str: "a text",
}
