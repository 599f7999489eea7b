"""What a start needs of a file, as files call it: CF standard names, names that products use, units."""

from __future__ import annotations

from halcyon.wave.gridded import Quantity

STANDARD_GRAVITY = 9.80665  # by which CF has geopotential height [m s-2]
_SPEED = {"ms-1": 1.0, "m/s": 1.0}
_PRESSURE = {"pa": 1.0} | dict.fromkeys(["hpa", "mbar", "mb", "millibar", "millibars"], 100.0)
_GEOPOTENTIAL = {"m2s-2": 1.0, "m2/s2": 1.0}
_HEIGHT = {"m": 1.0}

TEMPERATURE = Quantity.of(
    "temperature", "air_temperature", "t ta temp temperature", {"k": 1.0, "kelvin": 1.0}, "K", (50.0, 2000.0)
)
EASTWARD = Quantity.of(
    "the eastward wind", "eastward_wind", "u ua eastward_wind", _SPEED, "m s-1", (-1e3, 1e3)
)
NORTHWARD = Quantity.of(
    "the northward wind", "northward_wind", "v va northward_wind", _SPEED, "m s-1", (-1e3, 1e3)
)
GEOPOTENTIAL = Quantity.of(
    "the geopotential of levels",
    "geopotential geopotential_height",
    "z zg gh geopotential geopotential_height",
    _GEOPOTENTIAL | {"m": STANDARD_GRAVITY, "gpm": STANDARD_GRAVITY},
    "m2 s-2",
)
SURFACE_PRESSURE = Quantity.of(
    "the pressure at the ground",
    "surface_air_pressure",
    "sp ps surface_pressure",
    _PRESSURE,
    "Pa",
    (1e3, 2e5),
)
GROUND_HEIGHT = Quantity.of(
    "the height of the ground", "surface_altitude", "zs zsurf orog topography", _HEIGHT, "m"
)
SURFACE_HEIGHT = Quantity.of("the height of the surface", "", "height", _HEIGHT, "m")
PRESSURE_LEVELS = Quantity.of("pressure", "air_pressure", "", _PRESSURE, "Pa")


def ground_geopotential(gravity: float) -> Quantity:
    """The geopotential of the ground, of its height by a gravity [m s-2]."""
    return Quantity.of(
        "the geopotential of the ground",
        "surface_altitude surface_geopotential geopotential",
        "z zs zsurf orog topography",
        _GEOPOTENTIAL | {"m": gravity},
        "m2 s-2",
    )


def relief(gravity: float) -> Quantity:
    """The same in files of the ground alone, which call it more things."""
    return Quantity.of(
        "the height of the ground",
        "surface_altitude surface_geopotential geopotential height altitude height_above_mean_sea_level",
        "z zs zsurf orog topography elevation altitude height topo rose",
        _GEOPOTENTIAL | {"m": gravity},
        "m2 s-2",
    )


def mixing_ratio(tracer: str) -> Quantity:
    """That of a tracer, which a file has by this name or standard name; limits leave room for what fluxes
    without limits overshoot."""
    grams = {"gkg-1": 1e-3, "g/kg": 1e-3, "mgkg-1": 1e-6, "mg/kg": 1e-6}
    units = dict.fromkeys(["kgkg-1", "kg/kg", "1"], 1.0) | grams
    return Quantity(f"the tracer '{tracer}'", [tracer], [tracer.lower()], units, "kg kg-1", (-0.25, 1.25))
