"""Analytic initial states of the air at arrays of points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halcyon._core import atmosphere as _core
from halcyon.base import InputError

Array = NDArray[np.float64]


class AirStart:
    """An analytic initial state of the air; see the table in docs/atmosphere.md.

    Longitudes, latitudes [rad] and pressures [Pa] are numbers or arrays that numpy can broadcast; results
    have the broadcast shape.

    >>> start = AirStart("baroclinic_wave", options={"perturbation": 0})
    >>> east, north = start.wind(0.0, np.pi / 4, 25200.0)
    >>> bool(abs(east - 35) < 1e-12)
    True
    """

    def __init__(
        self,
        name: str,
        *,
        options: Mapping[str, float] | None = None,
        planet: _core.Planet | None = None,
        air: _core.Air | None = None,
    ) -> None:
        """Makes the state `name`, one of `air_start_names()`, by default on `air_start_planet(name)`.

        Options override `air_start_options(name)`; angles in radians. Raises ConfigError for unknown names
        or options and for invalid values."""
        planet = planet or _core.air_start_planet(name)
        self._start = _core.make_air_start(name, dict(options or {}), planet, air or _core.Air())

    @property
    def has_tracer(self) -> bool:
        """True if the start defines a tracer; without a tracer, `tracer` returns 0."""
        return self._start.has_tracer

    def ground_geopotential(self, lon: ArrayLike, lat: ArrayLike) -> Array:
        """Surface geopotential [m2 s-2]."""
        shape, values = _broadcast(lon=lon, lat=lat)
        return self._start.ground_geopotential(*values).reshape(shape)

    def surface_pressure(self, lon: ArrayLike, lat: ArrayLike) -> Array:
        """Surface pressure [Pa]."""
        shape, values = _broadcast(lon=lon, lat=lat)
        return self._start.surface_pressure(*values).reshape(shape)

    def temperature(self, lon: ArrayLike, lat: ArrayLike, pressure: ArrayLike) -> Array:
        """Temperature [K]. Raises InputError for pressures that are not positive."""
        shape, values = _broadcast(lon=lon, lat=lat, pressure=pressure)
        return self._start.temperature(*values).reshape(shape)

    def wind(self, lon: ArrayLike, lat: ArrayLike, pressure: ArrayLike) -> tuple[Array, Array]:
        """Eastward and northward wind [m s-1]. Raises InputError for pressures that are not positive."""
        shape, values = _broadcast(lon=lon, lat=lat, pressure=pressure)
        east, north = self._start.wind(*values)
        return east.reshape(shape), north.reshape(shape)

    def specific_humidity(self, lon: ArrayLike, lat: ArrayLike, pressure: ArrayLike) -> Array:
        """Specific humidity [kg kg-1]; 0 if the start is dry. Raises InputError for pressures that are not
        positive."""
        shape, values = _broadcast(lon=lon, lat=lat, pressure=pressure)
        return self._start.specific_humidity(*values).reshape(shape)

    def tracer(self, lon: ArrayLike, lat: ArrayLike, pressure: ArrayLike) -> Array:
        """Tracer mixing ratio [kg kg-1]. Raises InputError for pressures that are not positive."""
        shape, values = _broadcast(lon=lon, lat=lat, pressure=pressure)
        return self._start.tracer(*values).reshape(shape)


def _broadcast(**arguments: ArrayLike) -> tuple[tuple[int, ...], list[Array]]:
    """Returns the broadcast shape, and the arrays broadcast to it and flattened."""
    arrays = {name: np.asarray(values, np.float64) for name, values in arguments.items()}
    for name, values in arrays.items():
        _check(name, values)
    try:
        shape = np.broadcast_shapes(*(values.shape for values in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {values.shape}" for name, values in arrays.items())
        raise InputError(
            f"The shapes do not broadcast: {shapes}. Give arrays of one shape, or numbers."
        ) from None
    return shape, [np.ascontiguousarray(np.broadcast_to(array, shape)).ravel() for array in arrays.values()]


_LIMITS = {
    "lon": (-np.inf, np.inf, "finite angles in radians"),
    "lat": (-np.pi / 2 - 1e-12, np.pi / 2 + 1e-12, "radians from -pi/2 to pi/2"),
    "pressure": (0.0, np.inf, "pascals above 0"),
}


def _check(name: str, values: Array) -> None:
    lowest, highest, allowed = _LIMITS[name]
    invalid = ~((values > lowest) & (values < highest))
    if invalid.any():
        raise InputError(f"{name} contains {values[invalid].flat[0]}. Give {allowed}.")
