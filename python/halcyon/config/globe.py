"""`mesh:` of models that need the whole globe."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from halcyon.config.mesh import ExistingMesh, MadeGlobe
from halcyon.config.option import FilePath, Group, option


class GlobeFile(ExistingMesh):
    """A mesh of the globe that exists."""

    file: FilePath = option("An MPAS mesh of the whole globe.", allowed="the name of a netCDF file")


def _kind(value: Any) -> str:
    if isinstance(value, Group):
        return "<file>" if isinstance(value, GlobeFile) else "<made>"
    return "<file>" if isinstance(value, dict) and "file" in value else "<made>"


Globe = Annotated[
    Annotated[MadeGlobe, Tag("<made>")] | Annotated[GlobeFile, Tag("<file>")], Discriminator(_kind)
]
