"""`initial:` of the atmosphere and the spectral model from a file: of another run, or of a reanalysis."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Literal

from halcyon.config.option import FilePath, Group, UtcTime, option


class FromFile(Group):
    """The state of a file. `initial: FILE.nc` stands for `initial: {file: FILE.nc}`."""

    type: Literal["file"] = option("A file; may be left out.", default="file")
    file: FilePath = option(
        "NetCDF: a fields file of any run, a reanalysis on longitudes and latitudes, or, but for the spectral"
        " model, a restart file of a run on the same mesh and levels.",
        allowed="the name of a file",
    )
    time: UtcTime | None = option(
        "Which time of the file; by default time.start.",
        default=None,
        unit="UTC",
        allowed="a time in UTC such as 2022-09-01T00:00",
    )
    ground: FilePath | None = option(
        "NetCDF with the height of the ground, such as ETOPO, on which the air is put instead of on that of"
        " the file; heights below 0 are sea.",
        default=None,
        allowed="the name of a file",
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
