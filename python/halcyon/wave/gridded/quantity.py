"""Quantities that are read from files of other models: CF standard names, usual variable names, units."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi
from typing import Any, Self

from halcyon.base import KNOT, InputError
from halcyon.mesh.cf_file import short_unit
from halcyon.mesh.plausible import limits

# Factors that convert units, as `short_unit` spells them, to m s-1, 1 and m.
_SPEEDS = {
    **dict.fromkeys(["ms-1", "m/s", "mps", "mpers"], 1.0),
    **dict.fromkeys(["cms-1", "cm/s"], 0.01),
    **dict.fromkeys(["kmh-1", "km/h", "km/hr"], 1 / 3.6),
    **dict.fromkeys(["knot", "knots", "kt", "kts", "kn"], KNOT),
}
_FRACTIONS = {
    **dict.fromkeys(["1", "(0-1)", "0-1", "fraction", "proportion"], 1.0),
    **dict.fromkeys(["%", "percent"], 0.01),
}
_LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity that is read from files.

    standard_names: CF standard names; names: usual variable names, in lower case; units: for each allowed
    unit, spelled as by `short_unit`, the factor that converts it to `unit`; limits: valid range in `unit`;
    height: height or depth [m] that is selected where a file has several levels, and the tolerance [m];
    other_standard_names: of other quantities whose variables may have one of the names."""

    name: str
    standard_names: list[str]
    names: list[str]
    units: dict[str, float]
    unit: str
    limits: tuple[float, float] = (-inf, inf)
    height: tuple[float, float] = (0.0, 10.0)
    other_standard_names: tuple[str, ...] = ()

    @classmethod
    def from_text(cls, name: str, standard_names: str, names: str, *other_members: Any) -> Self:
        """Makes a quantity from names separated by spaces; other_members: units, unit, limits, height."""
        return cls(name, standard_names.split(), names.split(), *other_members)

    def factor(self, unit: str, label: str, remedy: str) -> float:
        """Returns the factor that converts `unit` to the quantity's unit; label: the variable, for errors.

        Raises InputError, whose text ends with `remedy`, for an unknown unit."""
        spelling = short_unit(unit)
        if spelling not in self.units:
            raise InputError(f"{label} has the units '{unit}', which are not units of {self.name}. {remedy}")
        return self.units[spelling]


# Units, unit, limits and height of a quantity.
_WINDS = _SPEEDS, "m s-1", limits("wind"), (10.0, 0.5)
WIND = (
    Quantity.from_text(
        "the eastward wind",
        "eastward_wind x_wind",
        "u10 10u u10m ugrd10m ugrd_10maboveground u_grd_10m uas uwnd u10n u_wind"
        " u_10m 10m_u_component_of_wind",
        *_WINDS,
    ),
    Quantity.from_text(
        "the northward wind",
        "northward_wind y_wind",
        "v10 10v v10m vgrd10m vgrd_10maboveground v_grd_10m vas vwnd v10n v_wind"
        " v_10m 10m_v_component_of_wind",
        *_WINDS,
    ),
)
# Speed and direction, of which files have components that they lack.
SPEED = Quantity.from_text(
    "the wind speed",
    "wind_speed",
    "si10 10si ws10 ws wspd wspd10 wind_speed windspeed sfcwind wind wind_surface wind_10maboveground"
    " 10m_wind_speed",
    *_WINDS,
)
DIRECTION = Quantity.from_text(
    "the wind direction",
    "wind_from_direction wind_to_direction",
    "wdir10 10wdir wdir wind_direction winddirection wind_dir winddir wnddir wdir_surface wdir_10maboveground"
    " 10m_wind_direction",
    dict.fromkeys(["degree", "degrees", "deg", "degreetrue", "degreestrue", "degree_true"], 1.0)
    | dict.fromkeys(["rad", "radian", "radians"], 180 / pi),
    "degree",
    (-360.0, 720.0),
    _WINDS[-1],
)
_CURRENTS = (
    *(_SPEEDS, "m s-1", limits("current"), (0.0, 10.0)),
    ("eastward_wind", "northward_wind", "x_wind", "y_wind"),
)
CURRENT = (
    Quantity.from_text(
        "the eastward current",
        "eastward_sea_water_velocity surface_eastward_sea_water_velocity"
        " sea_water_x_velocity surface_sea_water_x_velocity",
        "uo utotal ocu ucurr uogrd uos water_u ssu ucur u_current u u_eastward vozocrtx sozocrtx",
        *_CURRENTS,
    ),
    Quantity.from_text(
        "the northward current",
        "northward_sea_water_velocity surface_northward_sea_water_velocity"
        " sea_water_y_velocity surface_sea_water_y_velocity",
        "vo vtotal ocv vcurr vogrd vos water_v ssv vcur v_current v v_northward vomecrty somecrty",
        *_CURRENTS,
    ),
)
ICE = Quantity.from_text(
    "the ice concentration",
    "sea_ice_area_fraction",
    "siconc ci icec icec_surface aice sic ice",
    _FRACTIONS,
    "1",
    limits("ice_fraction"),
)
LEVEL = Quantity.from_text(
    "the water level",
    "sea_surface_height_above_mean_sea_level sea_surface_height_above_geoid"
    " sea_surface_height_above_sea_level sea_surface_height",
    "zos ssh zeta surf_el elev wlv water_level",
    _LENGTHS,
    "m",
    limits("water_level"),
)
