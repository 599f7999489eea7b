"""`initial:` of the atmosphere and the spectral model: a start that a formula gives, or a file."""

from __future__ import annotations

from math import radians
from pathlib import PurePath
from typing import Any, Literal

from halcyon.choices import choices
from halcyon.config.option import FilePath, Group, UtcTime, option, optional, options_of, unit_of
from halcyon.config.registry import groups_of, quoted_list, tagged_union, type_tag


class Start(Group):
    """A state that a formula gives."""

    @property
    def word(self) -> str:
        """What the run starts from."""
        return self.type

    def options(self) -> dict[str, float]:
        """As the C++ side takes them: angles in radians."""
        units = {name: unit_of(field) for name, field in options_of(type(self)).items()}
        values = {name: float(value) for name, value in self.model_dump(exclude={"type"}).items()}
        return {name: radians(value) if units[name] == "degree" else value for name, value in values.items()}


class FromFile(Group):
    """The state of a file. `initial: FILE.nc` stands for `initial: {file: FILE.nc}`."""

    type: Literal["file"] = option("A file; may be left out.", default="file")
    file: FilePath = option(
        "NetCDF: a fields file of any run, a reanalysis on longitudes and latitudes, or, but for the spectral"
        " model, a restart file of a run on the same mesh and levels."
    )
    time: UtcTime | None = optional("Which time of the file; by default time.start.", unit="UTC")
    ground: FilePath | None = optional(
        "NetCDF with the height of the ground, such as ETOPO, on which the air is put instead of on that of"
        " the file; heights below 0 are sea."
    )
    smoothing: float = option(
        "How many times as wide as a cell the part of the ground is of which the cell has the mean.",
        default=1.0,
        ge=1,
        le=4,
    )

    @property
    def word(self) -> str:
        """What the run starts from."""
        return self.file.name


def written_out(value: Any) -> Any:
    """A text that is the name of a file, as the group that it stands for."""
    return {"file": value} if isinstance(value, str) and PurePath(value).suffix else value


def _tag(given: dict[str, Any]) -> str:
    return type_tag({"type": "file"} | given) if "file" in given else type_tag(given)


STARTS = groups_of("starts", tag="type", base=Start)
TYPES = quoted_list(STARTS)
Initial = tagged_union(
    {f"<{name}>": start for name, start in STARTS.items()} | {"<file>": FromFile},
    _tag,
    default="<barotropic_jet>",  # whose options an error lists where the type is none
)


def starts_of(registry: str = "starts") -> dict[str, list[str]]:
    """The sets of equations that each start of a registry goes with."""
    return {start.name: [*start.goes_with] for start in choices(registry)}
