"""What drives the waves, as files call it: CF standard names, names that products use, and units."""

import re
from dataclasses import dataclass

from halcyon.base import KNOT, InputError

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
_WORDS = ((r"met(er|re)s?", "m"), (r"sec(ond)?s?", "s"), (r"[\s.{}]|\*\*|\^", ""))


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity that files hold.

    names: of products, in lower case; units: factors into `unit` by their spelling without blanks, points
    and signs of powers; height: at which it is wanted [m] where a file has several, up or down, and how far
    off it may be; limits: beyond which a value [unit] is none.
    """

    name: str
    standard_names: tuple[str, ...]
    names: tuple[str, ...]
    units: dict[str, float]
    unit: str
    height: tuple[float, float]
    limits: tuple[float, float]

    def factor(self, unit: str, place: str) -> float:
        """By which values in `unit` are multiplied; `place` says whose unit it is, for errors.

        Raises InputError for a unit that is not known."""
        plain = unit.strip().lower()
        for pattern, short in _WORDS:
            plain = re.sub(pattern, short, plain)
        if plain not in self.units:
            raise InputError(
                f"{place} has the units '{unit}', which are none of {self.name}. "
                f"Known are {', '.join(self.units)}; name them by the option units where the file is wrong."
            )
        return self.units[plain]


def _speed(name, standard_names, names, height, most):
    return Quantity(name, standard_names, names, _SPEEDS, "m s-1", height, (-most, most))


_AT_10_M, _AT_THE_SURFACE = (10.0, 0.5), (0.0, 10.0)

WIND = (
    _speed(
        "the eastward wind",
        ("eastward_wind", "x_wind"),
        (
            "u10",
            "10u",
            "u10m",
            "ugrd10m",
            "ugrd_10maboveground",
            "u_grd_10m",
            "uas",
            "uwnd",
            "u10n",
            "u_wind",
        ),
        _AT_10_M,
        150.0,
    ),
    _speed(
        "the northward wind",
        ("northward_wind", "y_wind"),
        (
            "v10",
            "10v",
            "v10m",
            "vgrd10m",
            "vgrd_10maboveground",
            "v_grd_10m",
            "vas",
            "vwnd",
            "v10n",
            "v_wind",
        ),
        _AT_10_M,
        150.0,
    ),
)
CURRENT = (
    _speed(
        "the eastward current",
        ("eastward_sea_water_velocity", "surface_eastward_sea_water_velocity"),
        ("uo", "utotal", "uos", "water_u", "ssu", "ucur", "u_current"),
        _AT_THE_SURFACE,
        15.0,
    ),
    _speed(
        "the northward current",
        ("northward_sea_water_velocity", "surface_northward_sea_water_velocity"),
        ("vo", "vtotal", "vos", "water_v", "ssv", "vcur", "v_current"),
        _AT_THE_SURFACE,
        15.0,
    ),
)
ICE = Quantity(
    "the ice concentration",
    ("sea_ice_area_fraction",),
    ("siconc", "ci", "icec", "icec_surface", "aice", "sic", "ice"),
    _FRACTIONS,
    "1",
    _AT_THE_SURFACE,
    (-0.01, 1.02),
)
LEVEL = Quantity(
    "the water level",
    (
        "sea_surface_height_above_mean_sea_level",
        "sea_surface_height_above_geoid",
        "sea_surface_height_above_sea_level",
        "sea_surface_height",
    ),
    ("zos", "ssh", "zeta", "surf_el", "elev", "wlv", "water_level"),
    _LENGTHS,
    "m",
    _AT_THE_SURFACE,
    (-30.0, 30.0),
)
