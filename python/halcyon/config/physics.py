"""`physics:` the source terms."""

from __future__ import annotations

from typing import Literal

from halcyon.config.option import Group, option


class Wam3(Group):
    """The source terms of WAM cycle 3 (WAMDI 1988; Komen et al. 1984)."""

    set: Literal["wam3"] = option("The set of source terms.", default="wam3")
    drag_cap: float = option(
        "Largest drag coefficient of the sea surface (Powell et al. 2003: it stops growing near 33 m s-1).",
        default=2.5e-3,
        ge=1e-3,
        le=1e-2,
    )
    linear_growth: bool = option(
        "Growth of waves from a calm sea (Cavaleri and Malanotte-Rizzoli 1981).", default=True
    )
    bottom_friction: float = option(
        "JONSWAP bottom friction (Hasselmann et al. 1973: 0.038 for swell); 0 turns it off.",
        default=0.038,
        unit="m2 s-3",
        ge=0,
        le=1,
    )
    depth_limit: float = option(
        "Largest significant wave height over depth; 0 turns the limit off.", default=0.8, ge=0, le=2
    )
