"""The starts of the spectral model: those of the atmosphere at the points of a Gaussian grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from halcyon import atmosphere, spectral
from halcyon._core.atmosphere import make_shallow_water_start


def set_start(model: spectral.Model, name: str, options: Mapping[str, float] | None = None) -> None:
    """Collective where ranks share the model. Sets it to a start of `halcyon.atmosphere` by its name; options
    as `start_options` and `air_start_options` have them. Raises ConfigError for what is not there."""
    model.set(**state_of_start(model, name, options))


def state_of_start(
    model: spectral.Model, name: str, options: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """What `Model.set` takes of a start, at the points of this rank; as `set_start`."""
    planet = atmosphere.Planet(
        radius=model.planet.radius, rotation=model.planet.rotation, gravity=model.planet.gravity
    )
    place = _air if model.levels is not None else _layer
    return place(model, name, dict(options or {}), planet)


def points_of(grid) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes [rad] (point) of a grid."""
    sines, cosines = (np.repeat(each, grid.row_lengths) for each in (grid.sines, grid.cosines))
    turns = [np.arange(length) / length for length in grid.row_lengths.tolist()]
    return 2 * np.pi * np.concatenate(turns), np.arctan2(sines, cosines)


def places_of(model) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes [rad] (point) of the points that this rank has of a model."""
    lon, lat = points_of(model.grid)
    return lon[model.points], lat[model.points]


def _layer(model, name, options, planet) -> dict[str, Any]:
    start = make_shallow_water_start(name, options, planet)
    lon, lat = places_of(model)
    east, north = start.wind(lon, lat)
    return {
        "east": east,
        "north": north,
        "ground": start.ground(lon, lat),
        "surface": start.surface(lon, lat),
        "axis": start.axis,
    }


def _air(model, name, options, planet) -> dict[str, Any]:
    start = atmosphere.AirStart(name, options=options, planet=planet)
    lon, lat = places_of(model)
    surface = start.surface_pressure(lon, lat)
    pressure = spectral.level_pressures(*map(np.asarray, model.levels), surface)
    east, north = start.wind(lon, lat, pressure)
    return {
        "east": east,
        "north": north,
        "temperature": start.temperature(lon, lat, pressure),
        "surface": surface,
        "ground": start.ground_geopotential(lon, lat) / planet.gravity,
    }
