"""Options of the vortex of a best track."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from halcyon._core import wave as _core
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.wave.track.track import Track


_RADIUS_CHOICES = ("auto", "fitted", "chavas_knaff", "vickery_wadhera", "willoughby")
_INFLOW_CHOICES = ("auto", "phadke", "zhang_uhlhorn")
VORTEX_CHOICES = ("generalised_holland", "willoughby", "holland", "fvwam")
_SYMMETRIC = ("holland", "fvwam")  # vortices that are symmetric but for the motion
_ASYMMETRY_CHOICES = ("phadke", "none")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the vortex of a best track.

    vortex: kind of the vortex, a key of `halcyon.wave.wind.VORTICES`: "generalised_holland" and "willoughby"
        have the radii of the track in every azimuth, see `halcyon.wave.wind.asymmetric`; "holland" is
        symmetric but for the motion, "fvwam" its variant in FVWAM (Pang et al. 2025).
    ambient_pressure [hPa]: pressure around the storm; with the central pressure it determines Holland's B
        (Holland 1980, Mon. Weather Rev. 108, 1212-1218).
    averaging_factor: 10-minute wind over the wind of the track, or "auto": the ratio for the track's agency,
        1 for JMA (10-minute means), 0.93 for 1-minute winds at sea (Harper et al. 2010, WMO/TD-No. 1555).
    surface_factor: wind at 10 m over gradient wind; 0.9 from dropsondes in eyewalls between the surface and
        700 hPa (Franklin et al. 2003, Weather Forecast. 18, 32-44).
    inflow: inflow angle [degrees]; or "phadke": from 10 at the centre to 25 outside (Phadke et al. 2003,
        Ocean Eng. 30, 553-578, eq. 11); or "zhang_uhlhorn": by distance, azimuth, wind and motion (Zhang and
        Uhlhorn 2012, Mon. Weather Rev. 140, 3587-3605); "auto": 20 degrees with the vortices "holland" and
        "fvwam", else "zhang_uhlhorn".
    asymmetry: "phadke" adds R r / (R^2 + r^2) times the storm's motion (Phadke et al. 2003, eq. 12), or
        "none".
    radius: radius of maximum wind [m]; or from the track, and where the track lacks it "fitted" to its radii
        with Holland's profile, or from the radius of 34 kt, "chavas_knaff" (Chavas and Knaff 2022, Weather
        Forecast. 37, 563-579, eqs. 3, 4, 7); "auto": "fitted" with "holland" and "fvwam", else
        "chavas_knaff"; or a regression, "vickery_wadhera" (2008, J. Appl. Meteorol. Climatol. 47, 2497-2517,
        eq. 11) or "willoughby" (Willoughby et al. 2006, Mon. Weather Rev. 134, 1102-1120, eq. 7a).
    air_density [kg m-3]: 1.15 as in Holland (1980).
    """

    vortex: str = "generalised_holland"
    ambient_pressure: float = 1010.0
    averaging_factor: float | str = "auto"
    surface_factor: float = 0.9
    inflow: float | str = "auto"
    asymmetry: str = "phadke"
    radius: float | str = "auto"
    air_density: float = 1.15

    def __post_init__(self) -> None:
        _require_within("ambient_pressure", self.ambient_pressure, 950, 1050, "hPa")
        if self.averaging_factor != "auto":
            _require_within("averaging_factor", self.averaging_factor, 0.5, 1.5)
        _require_within("surface_factor", self.surface_factor, 0.5, 1.0)
        _require_within("air_density", self.air_density, 0.9, 1.4, "kg m-3")
        if self.inflow not in _INFLOW_CHOICES:
            _require_within("inflow", self.inflow, 0, 60, f"degrees, or {', '.join(_INFLOW_CHOICES)}")
        if self.vortex not in VORTEX_CHOICES:
            raise ConfigError(f"vortex = {self.vortex}. Allowed are {', '.join(VORTEX_CHOICES)}.")
        if self.asymmetry not in _ASYMMETRY_CHOICES:
            raise ConfigError(f"asymmetry = {self.asymmetry}. Allowed are {', '.join(_ASYMMETRY_CHOICES)}.")
        if self.radius not in _RADIUS_CHOICES:
            _require_within("radius", self.radius, 1e3, 1e6, f"m, or {', '.join(_RADIUS_CHOICES)}")

    def factor(self, track: Track) -> float:
        """Returns the ratio of the 10-minute wind to the wind of a track."""
        return track.averaging_factor if isinstance(self.averaging_factor, str) else self.averaging_factor

    @property
    def radius_source(self) -> float | str:
        """`radius`, with the meaning of "auto"."""
        if self.radius != "auto":
            return self.radius
        return "fitted" if self.vortex in _SYMMETRIC else "chavas_knaff"

    @property
    def has_motion(self) -> bool:
        """Whether the motion of the storm is in its wind."""
        return self.asymmetry != "none"

    def inflow_of(self) -> _core.Inflow:
        """Returns the inflow angle as the C++ type."""
        inflow = self.inflow
        if inflow == "auto":
            inflow = 20.0 if self.vortex in _SYMMETRIC else "zhang_uhlhorn"
        if isinstance(inflow, str):
            return _core.Inflow(profile=getattr(_core.InflowProfile, inflow))
        return _core.Inflow(angle=math.radians(inflow))

    def surface(self) -> _core.SurfaceWind:
        """Returns the options of the surface wind of Holland's vortex as the C++ type."""
        return _core.SurfaceWind(
            factor=self.surface_factor, inflow=self.inflow_of(), asymmetry=self.has_motion
        )


def _require_within(name: str, value: float | str, lowest: float, highest: float, unit: str = "") -> None:
    if isinstance(value, str) or not lowest <= value <= highest:
        raise ConfigError(f"{name} = {value}. Allowed is {lowest:g} to {highest:g} {unit}".rstrip() + ".")
