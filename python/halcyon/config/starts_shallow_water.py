"""`initial:` of shallow water: states that formulas give."""

from __future__ import annotations

from typing import Literal

from halcyon.config.option import option
from halcyon.config.start import TYPES, Start


class _Tilted(Start):
    speed: float = option("At the equator.", default=38.61068276698372, unit="m s-1", ge=-500, le=500)
    tilt: float = option("Of the flow's axis from the globe's.", default=0.0, unit="degree", ge=-180, le=180)

    def options(self) -> dict[str, float]:
        from math import radians

        return super().options() | {"tilt": radians(self.tilt)}


class CosineBell(_Tilted):
    """A bell that solid rotation carries around the globe (Williamson et al. 1992, case 1)."""

    type: Literal["cosine_bell"] = option("The bell.", default="cosine_bell")
    height: float = option("Of the bell.", default=1000.0, unit="m", gt=0, le=1e5)


class SolidRotation(_Tilted):
    """A steady flow in balance (Williamson et al. 1992, case 2)."""

    type: Literal["solid_rotation"] = option("The flow.", default="solid_rotation")
    depth: float = option("At the equator of the flow.", default=2998.1154702758267, unit="m", gt=0, le=1e5)


class ThinLayer(Start):
    """A thin layer in solid rotation, over ground that balances it (Bell et al. 2017): Hollingsworth's
    instability."""

    type: Literal["thin_layer"] = option("The flow.", default="thin_layer")
    speed: float = option("At the equator.", default=38.61068276698372, unit="m s-1", ge=-500, le=500)
    thickness: float = option("Of the layer.", default=1.0, unit="m", gt=0, le=1e5)


class Mountain(Start):
    """Solid rotation over a mountain (Williamson et al. 1992, case 5)."""

    type: Literal["mountain"] = option("The flow.", default="mountain")
    speed: float = option("At the equator.", default=20.0, unit="m s-1", ge=-500, le=500)
    depth: float = option("Height of the surface at the equator.", default=5960.0, unit="m", gt=0, le=1e5)
    height: float = option("Of the mountain.", default=2000.0, unit="m", ge=0, le=5000)


class RossbyHaurwitz(Start):
    """A wave that moves eastward without change, nearly (Williamson et al. 1992, case 6)."""

    type: Literal["rossby_haurwitz"] = option("The wave.", default="rossby_haurwitz")
    wavenumber: int = option("Waves around the globe.", default=4, ge=1, le=20)
    rate: float = option("omega and K.", default=7.848e-6, unit="s-1", gt=0, le=1e-3)
    depth: float = option("At the poles.", default=8000.0, unit="m", gt=0, le=1e5)


class BarotropicJet(Start):
    """A jet in balance that breaks up into vortices (Galewsky et al. 2004)."""

    type: Literal["barotropic_jet"] = option("The jet.", default="barotropic_jet", allowed=TYPES)
    speed: float = option("Largest wind.", default=80.0, unit="m s-1", gt=0, le=500)
    depth: float = option("Mean.", default=10000.0, unit="m", gt=0, le=1e5)
    perturbation: float = option("Height of the bump; 0: none.", default=120.0, unit="m", ge=-5000, le=5000)


class Modons(Start):
    """Two gusts on a flat surface, of which each becomes a pair of vortices; the pairs meet (after Lin et al.
    2017). Goes with equations.rotation: 0."""

    type: Literal["modons"] = option("The gusts.", default="modons")
    speed: float = option("Largest wind.", default=40.0, unit="m s-1", gt=0, le=500)
    depth: float = option("Everywhere.", default=5000.0, unit="m", gt=0, le=1e5)
    radius: float = option("Of a gust.", default=500e3, unit="m", gt=1000, le=1e7)
