"""Options of the wind of a tropical cyclone: its track, vortex and perturbation."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from halcyon.config.option import FilePath, Group, UtcTime, option, optional, utc
from halcyon.config.registry import tagged_union


def _as_text(value: Any) -> Any:
    """Converts an integer to its digits: YAML reads some storm ids, such as 2211, as numbers."""
    return str(value) if type(value) is int else value


StormName = Annotated[str, BeforeValidator(_as_text)]


class ForecastErrors(Group):
    """Mean absolute errors of forecasts at lead times."""

    hours: list[Annotated[float, Field(ge=0, le=1000)]] = option(
        "Lead times, increasing from 0.", unit="h", min_length=2, max_length=100
    )
    along: list[Annotated[float, Field(ge=0, le=2e6)]] = option("Mean errors along the track.", unit="m")
    across: list[Annotated[float, Field(ge=0, le=2e6)]] = option("Mean errors across the track.", unit="m")
    wind: list[Annotated[float, Field(ge=0, le=50)]] = option(
        "Mean errors of the one-minute wind.", unit="m s-1"
    )


_BASINS = ("atlantic", "eastern_pacific", "central_pacific")
if TYPE_CHECKING:
    _Errors = str | ForecastErrors
else:
    _Errors = tagged_union(
        {"<table>": ForecastErrors} | {f"<{name}>": Literal[name] for name in _BASINS},
        lambda options: "<table>",
    )


class Perturbation(Group):
    """Perturbation of a track by the statistics of forecast errors, for `halcyon ensemble`."""

    member: int = option(
        "Number of the member of the ensemble; 0: the track as it is.", default=0, ge=0, le=1_000_000
    )
    seed: int = option("Random seed of all members.", default=1, ge=0, le=2**31 - 1)
    errors: _Errors = option(
        "Mean errors by lead time: of NHC's official forecasts in a basin (Atlantic 2015-2019 by the wind at"
        " the start, Pacific 2018-2022), or of a table.",
        default="atlantic",
        allowed="'atlantic', 'eastern_pacific', 'central_pacific', or a group with 'hours'",
    )
    begin: UtcTime | None = optional(
        "Begin of the forecast, until which the track has no errors; by default the start of the run or, if"
        " later, the beginning of the forecast in the track file.",
        unit="UTC",
    )
    correlation: Literal["growing", "full"] = option(
        "Correlation of errors in time; growing: new independent errors are added to an error that persists;"
        " full: an error has the same quantile at all lead times.",
        default="growing",
    )


def _cycle(value: Any) -> Any:
    """Converts ten digits, as in decks of ATCF, to the time that they state."""
    digits = str(value)
    if type(value) not in (int, str) or not re.fullmatch(r"\d{10}", digits):
        return utc(value) if isinstance(value, str) else value
    return datetime.strptime(digits, "%Y%m%d%H")


Cycle = Annotated[datetime, BeforeValidator(_cycle)]
Agency = Literal["usa", "tokyo", "cma", "hko", "newdelhi", "reunion", "bom", "nadi", "wellington", "wmo"]


class Storm(Group):
    """The wind of a tropical cyclone along a track."""

    track: FilePath = option(
        "Track: CSV with Halcyon's columns, a- or b-deck of ATCF (NHC, JTWC), HURDAT2, IBTrACS (CSV, netCDF),"
        " best track or advisory of RSMC Tokyo; texts also compressed (.gz)."
    )
    storm: StormName | None = optional(
        "Id, name, or name and year of the storm, required if the file has several.",
        allowed="an id, a name, or a name and a year, such as WP122022, Hinnamnor or IRENE 2011",
    )
    technique: str | None = optional(
        "Technique of the forecast in an a-deck, such as OFCL or JTWC; by default the best track.",
        allowed="the name of a technique, such as OFCL",
    )
    cycle: Cycle | None = optional(
        "Time of the forecast, required if the file has several; an advisory of RSMC Tokyo needs it.",
        allowed="ten digits, such as 2011082506, or a time such as 2011-08-25T06:00",
    )
    best: FilePath | None = optional(
        "File with the best track before a forecast; by default the analyses (CARQ) of the a-deck."
    )
    agency: Agency = option("Agency whose values are read from IBTrACS.", default="usa")
    vortex: Literal["generalised_holland", "willoughby", "holland", "fvwam"] = option(
        "Vortex: with the track's radii in every azimuth, and between them the profile of Holland (1980) with"
        " a B that varies, or of Willoughby et al. (2006); holland: symmetric but for the motion; fvwam:"
        " its variant in FVWAM (Pang et al. 2025).",
        default="generalised_holland",
    )
    ambient_pressure: float = option(
        "Sea-level pressure around the storm.", default=1010.0, unit="hPa", ge=950, le=1050
    )
    averaging_factor: Annotated[float, Field(ge=0.5, le=1.5)] | Literal["auto"] = option(
        "Ratio of the ten-minute wind to the wind of the track; auto: 0.93 for one-minute winds at sea"
        " (JTWC, agency usa; Harper et al. 2010), else 1.",
        default="auto",
        allowed="a number from 0.5 to 1.5, or 'auto'",
    )
    surface_factor: float = option(
        "Ratio of the 10-m wind to the gradient wind (Franklin et al. 2003).", default=0.9, ge=0.5, le=1
    )
    inflow: Annotated[float, Field(ge=0, le=60)] | Literal["auto", "phadke", "zhang_uhlhorn"] = option(
        "Inflow angle towards the centre; phadke: from 10 at the centre to 25 outside (Phadke et al. 2003);"
        " zhang_uhlhorn: by distance, azimuth, wind and motion (Zhang and Uhlhorn 2012); auto: 20 with"
        " `vortex: holland` and fvwam, else zhang_uhlhorn.",
        default="auto",
        unit="degrees",
        allowed="degrees from 0 to 60, 'auto', 'phadke' or 'zhang_uhlhorn'",
    )
    asymmetry: Literal["phadke", "none"] = option(
        "Asymmetry of the wind by the motion of the storm (Phadke et al. 2003).", default="phadke"
    )
    radius: (
        Annotated[float, Field(ge=1e3, le=1e6)]
        | Literal["auto", "fitted", "chavas_knaff", "vickery_wadhera", "willoughby"]
    ) = option(
        "Radius of maximum wind: that of the track, and where the track lacks it fitted to its radii or from"
        " the radius of 34 kt (Chavas and Knaff 2022); or from a regression (Vickery and Wadhera 2008;"
        " Willoughby et al. 2006), or fixed; auto: fitted with `vortex: holland` and"
        " fvwam, else chavas_knaff.",
        default="auto",
        unit="m",
        allowed="metres from 1000 to 1000000, or 'auto', 'fitted', 'chavas_knaff', 'vickery_wadhera' or"
        " 'willoughby'",
    )
    air_density: float = option("Air density in Holland's B.", default=1.15, unit="kg m-3", ge=0.9, le=1.4)
    perturbation: Perturbation | None = optional(
        "Perturbation of the track; by default none.", allowed="a group with 'member'"
    )

    def vortex_options(self) -> dict[str, Any]:
        """Returns the keyword arguments of `halcyon.wave.wind.Options`."""
        names = Storm.model_fields.keys() - {"track", "perturbation", *self.track_options()}
        return self.model_dump(include=names)

    def track_options(self) -> dict[str, Any]:
        """Returns the arguments of `halcyon.wave.track.read_track`."""
        names = ("storm", "agency", "technique", "cycle", "best")
        return {"path": self.track, **{name: getattr(self, name) for name in names}}
