"""`equations:` of the atmosphere: what is solved, and how."""

from __future__ import annotations

from typing import Literal

from halcyon.config.option import Group, option

AIR = ("hydrostatic", "nonhydrostatic")  # the sets that have levels


class Sponge(Group):
    """Takes up waves below the top: the wind goes back to that of the start, the vertical wind of
    nonhydrostatic to rest, faster the higher it is (Klemp and Lilly 1978)."""

    pressure: float = option("It acts where there is less.", unit="Pa", gt=0, le=1e5)
    rate: float = option("At the top.", unit="s-1", gt=0, le=1)


class Equations(Group):
    """What is solved, and how. `equations: hydrostatic` stands for `equations: {set: hydrostatic}`."""

    set: Literal["shallow_water", "hydrostatic", "nonhydrostatic"] = option(
        "The set of equations.", default="shallow_water"
    )
    precision: Literal[64, 32] = option("Bits of a number.", default=64, allowed="64 or 32")
    vertex_energy: float = option(
        "Share of kinetic energy from vertices, against Hollingsworth's instability (Gassmann 2013).",
        default=0.25,
        ge=0,
        le=1,
    )
    anticipation: float = option(
        "Part of a step that potential vorticity is taken upstream (Ringler et al. 2010), against enstrophy.",
        default=0.5,
        ge=0,
        le=2,
    )
    transport_order: Literal[2, 3] = option(
        "Of the fluxes of what is carried: temperature, tracers, the thickness where the wind stays.",
        default=3,
        allowed="2 or 3",
    )
    upwinding: float = option(
        "How much fluxes of order 3 are taken upstream (beta of Skamarock and Gassmann 2011).",
        default=0.25,
        ge=0,
        le=1,
    )
    monotone: bool = option("Tracers make no new extremes (Zalesak 1979).", default=True)
    diffusion: float = option(
        "Of the wind: the coefficient is this times the spacing.", default=0.0, unit="m s-1", ge=0, le=100
    )
    hyperdiffusion: float = option(
        "Of the wind: the coefficient is this times the spacing cubed.",
        default=0.0,
        unit="m s-1",
        ge=0,
        le=100,
    )
    divergence_damping: float = option(
        "Of the wind's divergence: the coefficient is this times the spacing.",
        default=0.0,
        unit="m s-1",
        ge=0,
        le=100,
    )
    keep_energy: bool = option(
        "Of the air: steps alone change its energy. Heat goes by means, forces of pressure are the plain"
        " ones, vertex_energy is 0 and off_centring 0.5.",
        default=False,
    )
    sponge: Sponge | None = option(
        "Below the top; by default there is none.",
        default=None,
        allowed="a group with 'pressure' and 'rate'",
    )
    off_centring: float = option(
        "Part of the later time in the implicit vertical steps of nonhydrostatic; 0.5 is centred.",
        default=0.55,
        ge=0.5,
        le=1,
    )
    radius: float = option("Of the planet.", default=6371220.0, unit="m", gt=1000, le=1e9)
    rotation: float = option("Of the planet.", default=7.292e-5, unit="rad s-1", ge=-1e-2, le=1e-2)
    gravity: float = option("Of the planet.", default=9.80616, unit="m s-2", gt=0, le=1000)

    @property
    def has_levels(self) -> bool:
        """Whether its fields have levels."""
        return self.set in AIR
