"""The quantities that are read from initial state files, with the names and units by which they are found,
and the vertical levels of such a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halcyon.base import InputError
from halcyon.io.vertical_axis import terms_of
from halcyon.mesh.cf_file import numbers, short_unit
from halcyon.mesh.plausible import limits
from halcyon.wave.gridded import Quantity

if TYPE_CHECKING:
    import xarray as xr


STANDARD_GRAVITY = 9.80665  # [m s-2], of CF's geopotential height
# Units of files, with the factor that converts to the unit of the quantity.
_SPEED = {"ms-1": 1.0, "m/s": 1.0}
_PRESSURE = {"pa": 1.0} | dict.fromkeys(["hpa", "mbar", "mb", "millibar", "millibars"], 100.0)
_GEOPOTENTIAL = {"m2s-2": 1.0, "m2/s2": 1.0}
_HEIGHT = {"m": 1.0}

# The arguments of `from_text` are: name in texts, CF standard names, variable names in common data sets,
# units of files with conversion factors, unit of the quantity, valid range.
TEMPERATURE = Quantity.from_text(
    "temperature",
    "air_temperature",
    "t ta temp temperature",
    {"k": 1.0, "kelvin": 1.0},
    "K",
    limits("temperature"),
)
EASTWARD = Quantity.from_text(
    "the eastward wind", "eastward_wind", "u ua eastward_wind", _SPEED, "m s-1", limits("air_velocity")
)
NORTHWARD = Quantity.from_text(
    "the northward wind", "northward_wind", "v va northward_wind", _SPEED, "m s-1", limits("air_velocity")
)
_MIXING_RATIO = dict.fromkeys(["kgkg-1", "kg/kg", "1"], 1.0) | {
    **{"gkg-1": 1e-3, "g/kg": 1e-3, "mgkg-1": 1e-6, "mg/kg": 1e-6}
}
SPECIFIC_HUMIDITY = Quantity(
    "the specific humidity",
    ["specific_humidity"],
    ["q", "hus", "specific_humidity"],
    _MIXING_RATIO,
    "kg kg-1",
    limits("mixing_ratio"),
    other_standard_names=("humidity_mixing_ratio",),
)
HUMIDITY_MIXING_RATIO = Quantity(
    "the mixing ratio of water vapour",
    ["humidity_mixing_ratio"],
    ["water_vapour"],
    _MIXING_RATIO,
    "kg kg-1",
    limits("mixing_ratio"),
    other_standard_names=("specific_humidity",),
)
GEOPOTENTIAL = Quantity.from_text(
    "the geopotential of levels",
    "geopotential geopotential_height",
    "z zg gh geopotential geopotential_height",
    _GEOPOTENTIAL | {"m": STANDARD_GRAVITY, "gpm": STANDARD_GRAVITY},
    "m2 s-2",
    limits("geopotential"),
)
SURFACE_PRESSURE = Quantity.from_text(
    "the surface pressure",
    "surface_air_pressure",
    "sp ps surface_pressure",
    _PRESSURE,
    "Pa",
    limits("surface_pressure"),
)
GROUND_HEIGHT = Quantity.from_text(
    "the height of the orography", "surface_altitude", "zs zsurf orog topography", _HEIGHT, "m"
)
SURFACE_HEIGHT = Quantity.from_text("the height of the fluid surface", "", "height", _HEIGHT, "m")
HUMIDITY = Quantity(  # either of the two, for texts
    "the humidity",
    [*SPECIFIC_HUMIDITY.standard_names, *HUMIDITY_MIXING_RATIO.standard_names],
    [*SPECIFIC_HUMIDITY.names, *HUMIDITY_MIXING_RATIO.names],
    _MIXING_RATIO,
    "kg kg-1",
)
PRESSURE = Quantity.from_text("the pressure of levels", "air_pressure", "pressure", _PRESSURE, "Pa")
PRESSURE_LEVELS = Quantity.from_text("pressure", "air_pressure", "", _PRESSURE, "Pa")


def surface_geopotential(gravity: float) -> Quantity:
    """The surface geopotential; heights are multiplied by gravity [m s-2]."""
    return Quantity.from_text(
        "the surface geopotential",
        "surface_altitude surface_geopotential geopotential",
        "z zs zsurf orog topography",
        _GEOPOTENTIAL | {"m": gravity},
        "m2 s-2",
        limits("geopotential"),
    )


def orography_quantity(gravity: float) -> Quantity:
    """The surface geopotential in files of orography, where more variable names are accepted."""
    return Quantity.from_text(
        "the height of the orography",
        "surface_altitude surface_geopotential geopotential height altitude height_above_mean_sea_level",
        "z zs zsurf orog topography elevation altitude height topo rose",
        _GEOPOTENTIAL | {"m": gravity},
        "m2 s-2",
        limits("geopotential"),
    )


def mixing_ratio(tracer: str) -> Quantity:
    """The mixing ratio of a tracer: a variable whose name or standard name is the name of the tracer. The
    valid range allows for overshoots of transport schemes that are not monotone."""
    return Quantity(
        f"the tracer '{tracer}'", [tracer], [tracer.lower()], _MIXING_RATIO, "kg kg-1", limits("mixing_ratio")
    )


_HYBRID = "atmosphere_hybrid_sigma_pressure_coordinate"
_NUMBERED = "model_level_number"


@dataclass(frozen=True)
class Levels:
    """Levels of a file, from the top down."""

    dimension: str
    kind: Literal["pressure", "height", "hybrid", "numbered"]
    order: np.ndarray  # index of each level in the file
    # Pressures [Pa], heights [m] or numbers (level), or a [Pa] and b of p = a + b ps (2, level).
    values: np.ndarray
    ps_name: str | None = None  # name of the variable ps of hybrid levels

    @property
    def size(self) -> int:
        return len(self.order)

    def label(self, k: int) -> str:
        """The name of level k from the top, for messages."""
        units = {"pressure": " Pa", "height": " m"}.get(self.kind)
        return f"{self.dimension} {k + 1 if units is None else f'{self.values[k]:g}{units}'}"


def levels_of(path: str, file: Any, variable: Any) -> Levels:
    """The levels of a variable. Raises InputError if it has no levels of a supported kind."""
    for axis in (file[name] for name in variable.dims if name in file.variables):
        if axis.attrs.get("standard_name") == _HYBRID or "formula_terms" in axis.attrs:
            return _hybrid_levels(path, file, axis)
        if axis.attrs.get("standard_name") == _NUMBERED:
            values = _numbers(path, axis)
            downward = -values if axis.attrs.get("positive") == "up" else values
            return _sorted_levels(path, axis, "numbered", downward, values)
        if short_unit(axis) in PRESSURE_LEVELS.units:
            values = PRESSURE_LEVELS.units[short_unit(axis)] * _numbers(path, axis)
            return _sorted_levels(path, axis, "pressure", values, values)
        if _is_height(axis):
            values = _numbers(path, axis)
            return _sorted_levels(path, axis, "height", -values, values)
    raise InputError(
        f"{path}: {variable.name} ({', '.join(variable.dims)}) has no levels of a known kind: pressure"
        " [Pa or hPa], height [m], hybrid levels with formula_terms (in GRIB: pv), or levels of the standard"
        f" name {_NUMBERED} with a variable of their pressure. Give a file on pressure"
        " levels."
    )


def _is_height(axis: Any) -> bool:
    has_height_name = axis.attrs.get("standard_name") in ("altitude", "height", "geopotential_height")
    return (has_height_name or axis.attrs.get("positive") == "up") and short_unit(axis) == "m"


def _hybrid_levels(path: str, file: Any, axis: Any) -> Levels:
    terms = terms_of(axis.attrs)
    missing = [name for name in terms.values() if name not in file.variables]
    if not {"b", "ps"} <= terms.keys() or not ("ap" in terms or {"a", "p0"} <= terms.keys()) or missing:
        absent = (
            f"the variables {', '.join(missing)}" if missing else "formula_terms with ap (or a, p0), b, ps"
        )
        raise InputError(
            f"{path}: the levels {axis.name} lack {absent}."
            " Add them (CF conventions, appendix D), or interpolate the file to pressure levels."
        )
    if "ap" in terms:
        a = _numbers(path, file[terms["ap"]])
    else:
        a = _numbers(path, file[terms["a"]]) * float(file[terms["p0"]])
    b = _numbers(path, file[terms["b"]])
    typical_pressures = a + b * 1e5
    return _sorted_levels(path, axis, "hybrid", typical_pressures, np.stack([a, b]), terms["ps"])


def _sorted_levels(
    path: str,
    axis: xr.DataArray,
    kind: Literal["pressure", "height", "hybrid", "numbered"],
    sort_key: np.ndarray,
    values: np.ndarray,
    ps_name: str | None = None,
) -> Levels:
    """The levels in the order of `sort_key`, which increases downwards. Raises InputError for invalid
    levels."""
    order = np.argsort(sort_key)
    if len(order) < 2 or not np.all(np.diff(sort_key[order]) > 0):
        raise InputError(
            f"{path}: the levels {axis.name} are fewer than two, or some are equal. Give at least two"
            " distinct levels."
        )
    if kind == "pressure" and not sort_key.min() > 0:
        raise InputError(
            f"{path}: the levels {axis.name} include the pressure {sort_key.min():g} Pa. Remove this level."
        )
    return Levels(str(axis.name), kind, order, values[..., order], ps_name)


def _numbers(path: str, variable: Any) -> np.ndarray:
    """The values of a variable. Raises InputError if a value is missing or infinite."""
    values = numbers(variable)
    if not np.isfinite(values).all():
        raise InputError(f"{path}: {variable.name} has missing or infinite values. Correct the file.")
    return values
