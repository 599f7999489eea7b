"""`forcing:` the wind that drives the waves."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from halcyon.config.option import FilePath, Group, option


class TrackWind(Group):
    """The wind of a tropical cyclone along a best track."""

    track: FilePath = option("CSV of the best track.", allowed="the name of a CSV file")
    vortex: Literal["holland"] = option("Radial profile: Holland (1980).", default="holland")
    ambient_pressure: float = option(
        "Sea-level pressure outside the cyclone.", default=101000.0, unit="Pa", ge=90000, le=110000
    )
    air_density: float = option("Density of the air.", default=1.15, unit="kg m-3", ge=0.5, le=2)
    gradient_factor: float = option(
        "Wind at 10 m over the gradient wind (Franklin et al. 2003: about 0.9).", default=0.9, gt=0, le=1
    )
    averaging_factor: float = option(
        "Ten-minute wind over the track's wind: 1 for RSMC Tokyo, 0.93 for one-minute winds over sea"
        " (Harper et al. 2010).",
        default=1.0,
        gt=0,
        le=1,
    )
    inflow_angle: float = option(
        "Angle between the wind and the isobars, inwards.", default=20.0, unit="degrees", ge=0, le=60
    )
    asymmetry: bool = option("Adds the motion of the cyclone to its wind.", default=True)


class ConstantVector(Group):
    """The same wind everywhere and always."""

    speed: float = option("Speed at 10 m.", unit="m s-1", ge=0, le=100)
    direction: float = option("The wind blows from here, clockwise from north.", unit="degrees", ge=0, le=360)


class ConstantWind(Group):
    """A uniform wind."""

    constant: ConstantVector = option("The wind.")


def _kind(value: Any) -> str | None:
    if isinstance(value, Group):
        return "<track>" if isinstance(value, TrackWind) else "<constant>"
    if isinstance(value, dict):
        return "<constant>" if "constant" in value else "<track>"
    return "<none>" if value == "none" else None


Wind = Annotated[
    Annotated[TrackWind, Tag("<track>")]
    | Annotated[ConstantWind, Tag("<constant>")]
    | Annotated[Literal["none"], Tag("<none>")],
    Discriminator(_kind),
]


class Forcing(Group):
    """What drives the model."""

    wind: Wind = option(
        "The wind at 10 m.", allowed="a group with 'track' (a CSV file), a group with 'constant', or 'none'"
    )
