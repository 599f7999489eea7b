"""What a start needs of a file, as files call it: CF standard names, names that products use, units."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from halcyon.base import InputError

STANDARD_GRAVITY = 9.80665  # by which CF has geopotential height [m s-2]
_BLANKS = re.compile(r"[\s.^]|\*\*")
_SPEED = {"ms-1": 1.0, "m/s": 1.0}
_PRESSURE = {"pa": 1.0, "hpa": 100.0, "mbar": 100.0, "mb": 100.0, "millibar": 100.0, "millibars": 100.0}
_GEOPOTENTIAL = {"m2s-2": 1.0, "m2/s2": 1.0}
_HEIGHT = {"m": 1.0, "meter": 1.0, "meters": 1.0, "metre": 1.0, "metres": 1.0}


@dataclass(frozen=True)
class Quantity:
    """A quantity of a file. names: of products, in lower case; units: factors into `unit` by their spelling
    without blanks, points and signs of powers; limits: between which its values [unit] must be."""

    name: str
    standard_names: tuple[str, ...]
    names: tuple[str, ...]
    units: dict[str, float]
    unit: str
    limits: tuple[float, float] = field(default=(float("-inf"), float("inf")))

    def factor(self, variable: Any, place: str) -> float:
        """By which the values of a variable are multiplied. Raises InputError for units that are none."""
        given = str(getattr(variable, "units", ""))
        plain = plain_unit(given)
        if plain not in self.units:
            raise InputError(
                f"{place} has the units '{given}', which are none of {self.name}. Bring it to {self.unit},"
                " or mend the attribute units."
            )
        return self.units[plain]


def plain_unit(text: str) -> str:
    """A unit without blanks, points and signs of powers, in lower case."""
    return _BLANKS.sub("", text.lower())


TEMPERATURE = Quantity(
    "temperature",
    ("air_temperature",),
    ("t", "ta", "temp", "temperature"),
    {"k": 1.0, "kelvin": 1.0},
    "K",
    (50.0, 2000.0),
)
EASTWARD = Quantity(
    "the eastward wind", ("eastward_wind",), ("u", "ua", "eastward_wind"), _SPEED, "m s-1", (-1e3, 1e3)
)
NORTHWARD = Quantity(
    "the northward wind", ("northward_wind",), ("v", "va", "northward_wind"), _SPEED, "m s-1", (-1e3, 1e3)
)
GEOPOTENTIAL = Quantity(
    "the geopotential of levels",
    ("geopotential", "geopotential_height"),
    ("z", "zg", "gh", "geopotential", "geopotential_height"),
    _GEOPOTENTIAL | dict.fromkeys([*_HEIGHT, "gpm"], STANDARD_GRAVITY),
    "m2 s-2",
)
SURFACE_PRESSURE = Quantity(
    "the pressure at the ground",
    ("surface_air_pressure",),
    ("sp", "ps", "surface_pressure"),
    _PRESSURE,
    "Pa",
    (1e3, 2e5),
)
GROUND_HEIGHT = Quantity(
    "the height of the ground", ("surface_altitude",), ("zs", "zsurf", "orog", "topography"), _HEIGHT, "m"
)


def ground_geopotential(gravity: float) -> Quantity:
    """The geopotential of the ground, of its height by a gravity [m s-2]."""
    return Quantity(
        "the geopotential of the ground",
        ("surface_altitude", "surface_geopotential", "geopotential"),
        ("z", "zs", "zsurf", "orog", "topography"),
        _GEOPOTENTIAL | dict.fromkeys(_HEIGHT, gravity),
        "m2 s-2",
    )


def relief(gravity: float) -> Quantity:
    """The same in files of the ground alone, which call it more things."""
    theirs = ground_geopotential(gravity)
    return Quantity(
        "the height of the ground",
        (*theirs.standard_names, "height", "altitude", "height_above_mean_sea_level"),
        (*theirs.names, "elevation", "altitude", "height", "topo", "rose"),
        theirs.units,
        theirs.unit,
    )


def mixing_ratio(tracer: str) -> Quantity:
    """That of a tracer, which a file has by this name or standard name; limits leave room for what fluxes
    without limits overshoot."""
    kilogram = ("kgkg-1", "kg/kg", "1")
    return Quantity(
        f"the tracer '{tracer}'",
        (tracer,),
        (tracer.lower(),),
        dict.fromkeys(kilogram, 1.0) | {"gkg-1": 1e-3, "g/kg": 1e-3, "mgkg-1": 1e-6, "mg/kg": 1e-6},
        "kg kg-1",
        (-0.25, 1.25),
    )


SURFACE_HEIGHT = Quantity("the height of the surface", (), ("height",), _HEIGHT, "m")
PRESSURE_LEVELS = Quantity("pressure", ("air_pressure",), (), _PRESSURE, "Pa", (1e-3, 2e5))
