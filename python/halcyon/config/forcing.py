"""`forcing:` the wind that drives the waves."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from halcyon.config.option import FilePath, Group, option


class TrackWind(Group):
    """The wind of a tropical cyclone along a best track."""

    track: FilePath = option("CSV of the best track.", allowed="the name of a CSV file")
    vortex: Literal["holland"] = option("Radial profile: Holland (1980).", default="holland")
    ambient_pressure: float = option(
        "Sea-level pressure around the storm.", default=1010.0, unit="hPa", ge=950, le=1050
    )
    averaging_factor: float = option(
        "Ten-minute wind over the track's wind: 1 for RSMC Tokyo; 0.93 for one-minute winds at sea"
        " (Harper et al. 2010).",
        default=1.0,
        ge=0.5,
        le=1.5,
    )
    surface_factor: float = option(
        "Wind at 10 m over the gradient wind (Franklin et al. 2003).",
        default=0.9,
        ge=0.5,
        le=1,
    )
    inflow: Annotated[float, Field(ge=0, le=60)] | Literal["phadke"] = option(
        "Angle by which the wind turns to the centre; phadke: 10 inside to 25 outside (Phadke et al. 2003).",
        default=20.0,
        unit="degrees",
        allowed="degrees from 0 to 60, or 'phadke'",
    )
    asymmetry: Literal["phadke", "none"] = option(
        "What the motion of the storm adds to its wind (Phadke et al. 2003).", default="phadke"
    )
    radius: Annotated[float, Field(ge=1e3, le=1e6)] | Literal["fitted", "vickery_wadhera", "willoughby"] = (
        option(
            "Of maximum wind: fitted to the track's radii, by a regression (Vickery and Wadhera 2008;"
            " Willoughby et al. 2006), or fixed.",
            default="fitted",
            unit="m",
            allowed="metres from 1000 to 1000000, or 'fitted', 'vickery_wadhera' or 'willoughby'",
        )
    )
    air_density: float = option("Density of the air.", default=1.15, unit="kg m-3", ge=0.9, le=1.4)

    def vortex_options(self) -> dict[str, float | str]:
        """The keyword options of `halcyon.wave.wind.Options`."""
        return self.model_dump(exclude={"track", "vortex"})


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
