"""`initial:` of the atmosphere: one of the starts, by its type, or a file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from halcyon.config.option import Group
from halcyon.config.start import OF_AIR, OF_SHALLOW_WATER
from halcyon.config.start_file import FromFile
from halcyon.config.starts_air import BaroclinicWave, GravityWave, HeldSuarez, MountainWaves, RestingMountain
from halcyon.config.starts_shallow_water import (
    BarotropicJet,
    CosineBell,
    Modons,
    Mountain,
    RossbyHaurwitz,
    SolidRotation,
    ThinLayer,
)


def _type(value: Any) -> str | None:
    if isinstance(value, Group):
        return f"<{value.type}>"
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "file" or (isinstance(value, dict) and kind is None and "file" in value):
        return "<file>"
    known = kind in (*OF_SHALLOW_WATER, *OF_AIR)
    return f"<{kind}>" if known else "<barotropic_jet>" if isinstance(value, dict) else None


Initial = Annotated[
    Annotated[CosineBell, Tag("<cosine_bell>")]
    | Annotated[SolidRotation, Tag("<solid_rotation>")]
    | Annotated[ThinLayer, Tag("<thin_layer>")]
    | Annotated[Mountain, Tag("<mountain>")]
    | Annotated[RossbyHaurwitz, Tag("<rossby_haurwitz>")]
    | Annotated[BarotropicJet, Tag("<barotropic_jet>")]
    | Annotated[Modons, Tag("<modons>")]
    | Annotated[BaroclinicWave, Tag("<baroclinic_wave>")]
    | Annotated[RestingMountain, Tag("<resting_mountain>")]
    | Annotated[MountainWaves, Tag("<mountain_waves>")]
    | Annotated[GravityWave, Tag("<gravity_wave>")]
    | Annotated[HeldSuarez, Tag("<held_suarez>")]
    | Annotated[FromFile, Tag("<file>")],
    Discriminator(_type),
]
