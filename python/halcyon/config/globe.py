"""`mesh:` of models that need the whole globe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Tag

from halcyon.config.mesh import ExistingMesh
from halcyon.config.option import FilePath, Group, option
from halcyon.config.spacing import Stretch, Zoom

if TYPE_CHECKING:
    from halcyon.mesh.spec import MeshSpec


class MadeGlobe(Group):
    """A mesh of the globe that is made, and cached."""

    level: int | None = option(
        "Of a uniform mesh, 10 * 4^level + 2 cells.",
        default=None,
        ge=0,
        le=10,
        allowed="an integer from 0 to 10",
    )
    points: int | None = option(
        "Cells, instead of a level.",
        default=None,
        ge=12,
        le=10 * 4**10 + 2,
        allowed="an integer from 12 to 10485762",
    )
    zoom: Zoom | None = option("Finer around a circle.", default=None, allowed="a group with 'ratio'")
    stretch: Stretch | None = option(
        "The uniform mesh drawn together.", default=None, allowed="a group with 'ratio'"
    )
    order: Literal["natural", "hilbert", "morton", "bfs", "rcm", "grist_hilbert", "grist_morton"] = option(
        "Of the cells in memory and files.", default="hilbert"
    )
    tolerance: float | None = option(
        "Mean move of an iteration over the local spacing at which points are at rest.",
        default=None,
        gt=0,
        le=1,
        allowed="a number above 0 and at most 1",
    )
    iterations: int | None = option(
        "Most iterations on a level.", default=None, ge=1, allowed="an integer of at least 1"
    )

    def spec(self) -> MeshSpec:
        """What the mesh is made from."""
        from halcyon.mesh import spec

        return spec.MeshSpec(
            level=self.level,
            points=self.points,
            zoom=self.zoom and spec.Zoom(**self.zoom.model_dump()),
            stretch=self.stretch and spec.Stretch(**self.stretch.model_dump()),
            sea=False,
            order=self.order,
            tolerance=self.tolerance,
            iterations=self.iterations,
        )


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
