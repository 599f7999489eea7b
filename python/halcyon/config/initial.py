"""The group `initial` of the atmosphere and the spectral model: an analytic initial state, or a file."""

from __future__ import annotations

from math import radians
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from halcyon.choices import choices
from halcyon.config.option import FilePath, Group, UtcTime, option, optional, options_of, unit_of
from halcyon.config.registry import groups_of, quoted_list, tagged_union, type_tag


class Start(Group):
    """An analytic initial state."""

    if TYPE_CHECKING:  # the options are those of the registry

        def __getattr__(self, name: str) -> Any: ...

    @property
    def description(self) -> str:
        """Short description of the initial state."""
        return str(self.type)

    def options(self) -> dict[str, float]:
        """Returns the options as the C++ API expects them, with angles in radians."""
        units = {name: unit_of(field) for name, field in options_of(type(self)).items()}
        values = {name: float(value) for name, value in self.model_dump(exclude={"type"}).items()}
        return {name: radians(value) if units[name] == "degree" else value for name, value in values.items()}


class FromFile(Group):
    """An initial state from a file. `initial: FILE.nc` is short for `initial: {file: FILE.nc}`."""

    type: Literal["file"] = option("Type of the initial state; may be omitted.", default="file")
    file: FilePath = option(
        "NetCDF file: a fields file of any run, a reanalysis on a longitude-latitude grid, or, except for the"
        " spectral model, a restart file of a run on the same mesh and levels."
    )
    time: UtcTime | None = optional("Time to read from the file; by default time.start.", unit="UTC")
    ground: FilePath | None = optional(
        "NetCDF file whose orography replaces the orography of the initial file, for example ETOPO;"
        " heights below 0 become sea level."
    )
    smoothing: float = option(
        "Width of the area over which the orography of a cell is averaged, in cell widths.",
        default=1.0,
        ge=1,
        le=4,
    )

    @property
    def description(self) -> str:
        """Short description of the initial state."""
        return self.file.name


def expand_file_name(value: Any) -> Any:
    """Returns {"file": value} if the value is a file name, else the value."""
    return {"file": value} if isinstance(value, str) and PurePath(value).suffix else value


def _tag(options: dict[str, Any]) -> str:
    return type_tag({"type": "file"} | options) if "file" in options else type_tag(options)


STARTS = groups_of("starts", tag="type", base=Start)
START_TYPES = quoted_list(STARTS)
if TYPE_CHECKING:
    Initial = Start | FromFile
else:
    Initial = tagged_union(
        {f"<{name}>": start for name, start in STARTS.items()} | {"<file>": FromFile},
        _tag,
        default="<barotropic_jet>",  # an error lists these options if the type is missing
    )


def starts_of(registry: str = "starts") -> dict[str, list[str]]:
    """The equation sets that each initial state of a registry supports, by type of initial state."""
    return {start.name: [*start.only_with] for start in choices(registry)}
