"""Options of fields that are read from files of other models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationInfo

from halcyon.config.option import Group, option, resolved


def _listed(value: Any, info: ValidationInfo) -> Any:
    """A name or a list of names, relative to the case file, as a list of absolute ones."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        return value
    found = [resolved(name, info) for name in names]
    return (
        value if any(name is given for name, given in zip(found, names, strict=True)) else [*map(str, found)]
    )


Files = Annotated[list[str], BeforeValidator(_listed)]


def files_option(text: str) -> Any:
    """The option `files` of a group."""
    return option(text, allowed="the name of a file, a pattern such as 'era5_*.nc', or a list of them")


class VectorVariables(Group):
    """Names of the components of a vector in the files."""

    eastward: str = option("The eastward component.", allowed="a variable's name")
    northward: str = option("The northward component.", allowed="a variable's name")


class Gridded(Group):
    """Fields on longitudes and latitudes in CF netCDF files."""

    files: Files = files_option("NetCDF files: one, or several that follow each other in time.")
    units: str | None = option(
        "Of the values, where the files do not say, or wrongly.",
        default=None,
        allowed="a unit, such as 'm s-1'",
    )
    climatology: Literal["none", "monthly"] = option(
        "monthly: means of the months over all years of the files serve any year.", default="none"
    )
    longest_gap: float | None = option(
        "Between records; by default half as long again as usual in the files.",
        default=None,
        unit="s",
        gt=0,
        allowed="positive seconds",
    )


class GriddedVector(Gridded):
    """Fields of both components of a vector."""

    variables: VectorVariables | None = option(
        "Their names; by default found by standard name, or a known name (u10, ugrd10m, uo ...).",
        default=None,
        allowed="a group of options (eastward, northward)",
    )


class OverSea(Gridded):
    """Fields that may lack values over land."""

    reach: float = option(
        "Values are taken from so far where there is none, as over land.",
        default=100e3,
        unit="m",
        ge=0,
        le=2e6,
    )
