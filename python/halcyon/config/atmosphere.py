"""The case of the atmosphere: every option that a case file with `model: atmosphere` may hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from halcyon.config.globe import Globe
from halcyon.config.option import Group, UtcTime, group, option
from halcyon.config.run_case import Exchange, Io, Partition, Restart, RunCase, RunOutput

HALO_LAYERS = 2  # as kHaloLayers in cpp/halcyon/atmosphere/sweeps.hpp


class Equations(Group):
    """What is solved, and how. `equations: shallow_water` stands for `equations: {set: shallow_water}`."""

    set: Literal["shallow_water"] = option("The set of equations.", default="shallow_water")
    precision: Literal[64, 32] = option("Bits of a number.", default=64, allowed="64 or 32")
    vertex_energy: float = option(
        "Share of kinetic energy from vertices, against Hollingsworth's instability (Gassmann 2013).",
        default=0.25,
        ge=0,
        le=1,
    )
    anticipation: float = option(
        "Part of a step that potential vorticity is taken upstream (Ringler et al. 2010); 0 keeps energy.",
        default=0.5,
        ge=0,
        le=2,
    )
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
    transport_order: Literal[3, 2] = option(
        "Of the fluxes of what is carried: the thickness where the wind stays.", default=3, allowed="2 or 3"
    )
    upwinding: float = option(
        "How much fluxes of order 3 are taken upstream (beta of Skamarock and Gassmann 2011).",
        default=0.25,
        ge=0,
        le=1,
    )
    radius: float = option("Of the planet.", default=6371220.0, unit="m", gt=1000, le=1e9)
    rotation: float = option("Of the planet.", default=7.292e-5, unit="rad s-1", ge=-1e-2, le=1e-2)
    gravity: float = option("Of the planet.", default=9.80616, unit="m s-2", gt=0, le=1000)


class Time(Group):
    """The span of the run and its steps."""

    start: UtcTime = option("First time.", unit="UTC")
    end: UtcTime = option("Last time.", unit="UTC")
    step: Annotated[float, Field(gt=0)] | Literal["auto"] = option(
        "Step; auto: the longest of whole seconds that is stable at the start and divides output.interval.",
        default="auto",
        unit="s",
        allowed="positive seconds or 'auto'",
    )


_TYPES = (
    "'cosine_bell', 'solid_rotation', 'thin_layer', 'mountain', 'rossby_haurwitz', 'barotropic_jet' or"
    " 'modons'"
)


class Start(Group):
    """A state that a formula gives."""

    def options(self) -> dict[str, float]:
        """As the C++ side takes them: angles in radians."""
        return {name: float(value) for name, value in self.model_dump(exclude={"type"}).items()}


class _Tilted(Start):
    speed: float = option("At the equator.", default=38.61068276698372, unit="m s-1", ge=-500, le=500)
    tilt: float = option("Of the flow's axis from the globe's.", default=0.0, unit="degree", ge=-180, le=180)

    def options(self) -> dict[str, float]:
        from math import radians

        return super().options() | {"tilt": radians(self.tilt)}


class CosineBell(_Tilted):
    """A bell that solid rotation carries around the globe (Williamson et al. 1992, case 1)."""

    type: Literal["cosine_bell"] = option("The bell.", default="cosine_bell", allowed=_TYPES)
    height: float = option("Of the bell.", default=1000.0, unit="m", gt=0, le=1e5)


class SolidRotation(_Tilted):
    """A steady flow in balance (Williamson et al. 1992, case 2)."""

    type: Literal["solid_rotation"] = option("The flow.", default="solid_rotation", allowed=_TYPES)
    depth: float = option("At the equator of the flow.", default=2998.1154702758267, unit="m", gt=0, le=1e5)


class ThinLayer(Start):
    """A thin layer in solid rotation, over ground that balances it (Bell et al. 2017): Hollingsworth's
    instability."""

    type: Literal["thin_layer"] = option("The flow.", default="thin_layer", allowed=_TYPES)
    speed: float = option("At the equator.", default=38.61068276698372, unit="m s-1", ge=-500, le=500)
    thickness: float = option("Of the layer.", default=1.0, unit="m", gt=0, le=1e5)


class Mountain(Start):
    """Solid rotation over a mountain (Williamson et al. 1992, case 5)."""

    type: Literal["mountain"] = option("The flow.", default="mountain", allowed=_TYPES)
    speed: float = option("At the equator.", default=20.0, unit="m s-1", ge=-500, le=500)
    depth: float = option("Height of the surface at the equator.", default=5960.0, unit="m", gt=0, le=1e5)
    height: float = option("Of the mountain.", default=2000.0, unit="m", ge=0, le=5000)


class RossbyHaurwitz(Start):
    """A wave that moves eastward without change, nearly (Williamson et al. 1992, case 6)."""

    type: Literal["rossby_haurwitz"] = option("The wave.", default="rossby_haurwitz", allowed=_TYPES)
    wavenumber: int = option("Waves around the globe.", default=4, ge=1, le=20)
    rate: float = option("omega and K.", default=7.848e-6, unit="s-1", gt=0, le=1e-3)
    depth: float = option("At the poles.", default=8000.0, unit="m", gt=0, le=1e5)


class BarotropicJet(Start):
    """A jet in balance that breaks up into vortices (Galewsky et al. 2004)."""

    type: Literal["barotropic_jet"] = option("The jet.", default="barotropic_jet", allowed=_TYPES)
    speed: float = option("Largest wind.", default=80.0, unit="m s-1", gt=0, le=500)
    depth: float = option("Mean.", default=10000.0, unit="m", gt=0, le=1e5)
    perturbation: float = option("Height of the bump; 0: none.", default=120.0, unit="m", ge=-5000, le=5000)


class Modons(Start):
    """Two gusts on a flat surface, of which each becomes a pair of vortices; the pairs meet (after Lin et al.
    2017). Goes with equations.rotation: 0."""

    type: Literal["modons"] = option("The gusts.", default="modons", allowed=_TYPES)
    speed: float = option("Largest wind.", default=40.0, unit="m s-1", gt=0, le=500)
    depth: float = option("Everywhere.", default=5000.0, unit="m", gt=0, le=1e5)
    radius: float = option("Of a gust.", default=500e3, unit="m", gt=1000, le=1e7)


_STARTS = {
    "cosine_bell": CosineBell,
    "solid_rotation": SolidRotation,
    "thin_layer": ThinLayer,
    "mountain": Mountain,
    "rossby_haurwitz": RossbyHaurwitz,
    "barotropic_jet": BarotropicJet,
    "modons": Modons,
}


def _type(value: Any) -> str | None:
    if isinstance(value, Group):
        return f"<{value.type}>"
    kind = value.get("type") if isinstance(value, dict) else None
    return f"<{kind}>" if kind in _STARTS else "<barotropic_jet>" if isinstance(value, dict) else None


Initial = Annotated[
    Annotated[CosineBell, Tag("<cosine_bell>")]
    | Annotated[SolidRotation, Tag("<solid_rotation>")]
    | Annotated[ThinLayer, Tag("<thin_layer>")]
    | Annotated[Mountain, Tag("<mountain>")]
    | Annotated[RossbyHaurwitz, Tag("<rossby_haurwitz>")]
    | Annotated[BarotropicJet, Tag("<barotropic_jet>")]
    | Annotated[Modons, Tag("<modons>")],
    Discriminator(_type),
]


class Output(RunOutput):
    """What a run writes, and where."""

    interval: float = option(
        "Time between records.", default=21600.0, unit="s", gt=0, allowed="positive seconds"
    )
    variables: list[str] = option(
        "Variables of the fields files.",
        default=["height", "eastward_wind", "northward_wind", "vorticity"],
        allowed="a list of names that `halcyon describe atmosphere` shows",
    )
    pictures: bool = option("Draws maps and the course of the integrals at the end.", default=True)


class AtmosphereCase(RunCase):
    """A run of the atmosphere: the whole of a case file."""

    model: Literal["atmosphere"] = option("The model.")
    title: str | None = option("What files and pictures call the run.", default=None, allowed="a text")
    mesh: Globe = option("Cells.", allowed="a group with 'level', 'points' or 'file'")
    equations: Equations = group(Equations, "The equations.")
    time: Time = option("Span and steps.")
    initial: Initial = option("The state at the start.", allowed=f"a group with type: {_TYPES}")
    exchange: Exchange = group(Exchange, "Halo exchange.")
    partition: Partition = group(Partition, "Sharing of cells among ranks.")
    io: Io = group(Io, "Parallel files.")
    output: Output = group(Output, "Results.")
    restart: Restart = group(Restart, "Restart files.")

    @property
    def halo_layers(self) -> int:
        """Of the exchange."""
        return HALO_LAYERS if self.exchange.layers == "auto" else self.exchange.layers

    @property
    def restart_step_s(self) -> float:
        if self.time.step != "auto":
            return self.time.step
        return 1.0 if self.output.interval % 1 == 0 else 0.1
