"""`physics:` the source terms."""

from __future__ import annotations

from typing import Literal

from halcyon.config.option import Group, option


class Wam3(Group):
    """The source terms of WAM cycle 3 (WAMDI 1988; Komen et al. 1984)."""

    # As in the table of the set in C++, wam3_option_table; a test compares the two.
    set: Literal["wam3"] = option("The set of source terms.", default="wam3")
    drag_cap: float = option(
        "Largest drag coefficient (of the fit by Zijlema et al. 2012).", default=2.03e-3, ge=1e-3, le=1
    )
    whitecapping: float = option(
        "Strength Cds of whitecapping (Komen et al. 1984).", default=2.36e-5, ge=0, le=1e-3
    )
    lambda_: float = option(
        "Shape of the quadruplet (Hasselmann et al. 1985).", default=0.25, ge=0.05, le=0.45, alias="lambda"
    )
    transfer: float = option(
        "Strength C of the nonlinear transfer (Hasselmann et al. 1985).", default=3e7, ge=0, le=1e9
    )
    friction: float = option(
        "Strength of bottom friction (Hasselmann et al. 1973).", default=0.038, unit="m2 s-3", ge=0, le=1
    )
    depth_limit: float = option("Largest significant height over depth.", default=0.8, ge=0.1, le=10)
    linear_growth: bool = option(
        "Waves start from a flat sea (Cavaleri and Malanotte-Rizzoli 1981).", default=True
    )
    limiter: Literal["hersbach_janssen", "wamdi", "none"] = option(
        "Largest change in a step (Hersbach and Janssen 1999; WAMDI 1988).", default="hersbach_janssen"
    )

    def values(self) -> dict[str, bool | float | str]:
        """The options of the set as the C++ side names them."""
        return self.model_dump(by_alias=True, exclude={"set"})
