"""`levels:` of the air, and `output.vertical:` the surfaces on which its fields are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from halcyon.config.option import Group, option

if TYPE_CHECKING:
    import numpy as np


class Levels(Group):
    """Where the levels of the air are: made by a rule, or given by the coefficients of their interfaces."""

    count: int = option("How many.", default=26, ge=2, le=1000)
    top: float = option("Pressure at the top of the model.", default=219.4, unit="Pa", gt=0, le=5e4)
    spacing: Literal["stretched", "pressure", "height"] = option(
        "Even in pressure, or in its logarithm (height); stretched: there, but thin near the ground.",
        default="stretched",
    )
    coordinate: Literal["hybrid", "sigma"] = option(
        "Surfaces of pressure aloft, or everywhere the same parts of the pressure at the ground (sigma).",
        default="hybrid",
    )
    a: list[float] | None = option(
        "Pressure at interfaces is a + b ps: its a from the top to the ground; goes with b.",
        default=None,
        unit="Pa",
        allowed="a list of numbers, the last 0",
    )
    b: list[float] | None = option(
        "The same, its b.", default=None, allowed="a list of numbers, the first 0 and the last 1"
    )

    @property
    def are_listed(self) -> bool:
        """Whether the interfaces are given one by one."""
        return self.a is not None or self.b is not None

    def interfaces(self) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients a [Pa] and b, float64 (level + 1) from the top to the ground, of a case that was
        checked."""
        import numpy as np

        from halcyon.atmosphere.levels import interfaces

        if self.are_listed:
            return np.array(self.a, float), np.array(self.b, float)
        return interfaces(self.count, self.top, spacing=self.spacing, kind=self.coordinate)


class OnPressure(Group):
    """Fields are interpolated to surfaces of pressure, linearly in its logarithm."""

    pressure: list[Annotated[float, Field(gt=0, le=2e5)]] = option(
        "Of the surfaces.", default=[85000.0, 50000.0, 25000.0], unit="Pa", allowed="a list of pressures"
    )


class OnHeight(Group):
    """Fields are interpolated to surfaces of geopotential height, linearly."""

    height: list[Annotated[float, Field(ge=-1e4, le=1e6)]] = option(
        "Of the surfaces above the sphere.", unit="m", allowed="a list of heights"
    )


def _kind(value: Any) -> str | None:
    if isinstance(value, Group):
        return "<height>" if isinstance(value, OnHeight) else "<pressure>"
    if isinstance(value, dict):
        return "<height>" if "height" in value and "pressure" not in value else "<pressure>"
    return "<model>" if value == "model" else None


Vertical = Annotated[
    Annotated[OnPressure, Tag("<pressure>")]
    | Annotated[OnHeight, Tag("<height>")]
    | Annotated[Literal["model"], Tag("<model>")],
    Discriminator(_kind),
]
