"""What is read from files of other models, as they call it: CF standard names, names of products, units."""

from dataclasses import dataclass
from math import inf

from halcyon.base import KNOT, InputError
from halcyon.mesh.cf_file import plain_unit

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
    """A quantity that files hold.

    standard_names: those of CF; names: of products, in lower case; units: factors into `unit` by their
    spelling as `plain_unit` has it; limits: beyond which a value [unit] is none; height: at
    which it is wanted [m] where a file has several, up or down, and how far off it may be.
    """

    name: str
    standard_names: list[str]
    names: list[str]
    units: dict[str, float]
    unit: str
    limits: tuple[float, float] = (-inf, inf)
    height: tuple[float, float] = (0.0, 10.0)

    @classmethod
    def of(cls, name, standard_names, names, *others):
        """Of names in one text."""
        return cls(name, standard_names.split(), names.split(), *others)

    def factor(self, unit: str, place: str, remedy: str) -> float:
        """By which values in `unit` are multiplied; `place` says whose unit it is, for errors.

        Raises InputError with a remedy for a unit that is not known."""
        plain = plain_unit(unit)
        if plain not in self.units:
            raise InputError(f"{place} has the units '{unit}', which are none of {self.name}. {remedy}")
        return self.units[plain]


_WINDS = _SPEEDS, "m s-1", (-150.0, 150.0), (10.0, 0.5)
WIND = (
    Quantity.of(
        "the eastward wind",
        "eastward_wind x_wind",
        "u10 10u u10m ugrd10m ugrd_10maboveground u_grd_10m uas uwnd u10n u_wind",
        *_WINDS,
    ),
    Quantity.of(
        "the northward wind",
        "northward_wind y_wind",
        "v10 10v v10m vgrd10m vgrd_10maboveground v_grd_10m vas vwnd v10n v_wind",
        *_WINDS,
    ),
)
_CURRENTS = _SPEEDS, "m s-1", (-15.0, 15.0)
CURRENT = (
    Quantity.of(
        "the eastward current",
        "eastward_sea_water_velocity surface_eastward_sea_water_velocity",
        "uo utotal uos water_u ssu ucur u_current",
        *_CURRENTS,
    ),
    Quantity.of(
        "the northward current",
        "northward_sea_water_velocity surface_northward_sea_water_velocity",
        "vo vtotal vos water_v ssv vcur v_current",
        *_CURRENTS,
    ),
)
ICE = Quantity.of(
    "the ice concentration",
    "sea_ice_area_fraction",
    "siconc ci icec icec_surface aice sic ice",
    _FRACTIONS,
    "1",
    (-0.01, 1.02),
)
LEVEL = Quantity.of(
    "the water level",
    "sea_surface_height_above_mean_sea_level sea_surface_height_above_geoid"
    " sea_surface_height_above_sea_level sea_surface_height",
    "zos ssh zeta surf_el elev wlv water_level",
    _LENGTHS,
    "m",
    (-30.0, 30.0),
)
