"""Starts of the spectral model at the points of its grid: those of the atmosphere by name, and from files.

As on meshes, ground of a file is a mean over the box around a point, and air is put on it along its column:
on the ground as it is truncated, so that both are in balance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere, spectral
from halcyon._core import atmosphere as _core
from halcyon._core.atmosphere import make_shallow_water_start
from halcyon.config.spectral import SpectralCase
from halcyon.launch.errors import agreed
from halcyon.remap.faces import points_of as on_sphere
from halcyon.run.output.gaussian_boxes import GaussianBoxes
from halcyon.run.start.air import AirVariables, Columns, check_surface
from halcyon.run.start.asked import ground_given, start_of
from halcyon.run.start.shallow_water import require_wind, water_of
from halcyon.run.start.source import Gathered, Source, Variable
from halcyon.run.start.target import Outlines, ground_of, surface_limits

if TYPE_CHECKING:
    from mpi4py import MPI


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
    place = _named_air if model.levels is not None else _named_layer
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


def _named_layer(model, name, options, planet) -> dict[str, Any]:
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


def _named_air(model, name, options, planet) -> dict[str, Any]:
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


Array = np.ndarray


def set_on_grid(case: SpectralCase, model: spectral.Model, comm: MPI.Comm) -> None:
    """Collective. Sets a model to the state of the file that the case names; each rank reads what it needs.

    Raises InputError, on all ranks, for a file that does not serve the start."""
    with agreed(comm):
        places = _Places.of(model, case.initial.smoothing)
        given = ground_given(case, places.outlines)
    if case.equations.has_levels:
        with agreed(comm), start_of(case) as source:
            ground = _ground_of_air(case, source, places, given)
        _set_ground(model, ground / case.equations.gravity)
    with agreed(comm), start_of(case) as source:
        state = _state(case, model, source, places, given)
    model.set(**state)


@dataclass(frozen=True)
class _Places:
    """Points of a rank on the unit sphere, the outlines of the boxes around them, and the directions east and
    north there, (point, 3) each."""

    points: Array
    outlines: Outlines
    east: Array
    north: Array

    @classmethod
    def of(cls, model: spectral.Model, smoothing: float) -> _Places:
        lon, lat = places_of(model)
        points = on_sphere(*np.degrees((lon, lat)))
        *corners, offsets = GaussianBoxes(model.grid).corners(model.points)
        areas = 4 * np.pi * model.grid.areas.ravel()[model.points]
        outlines = Outlines.grown(points, on_sphere(*corners), offsets, areas, smoothing)
        east = np.stack([-np.sin(lon), np.cos(lon), np.zeros(len(lon))], axis=1)
        north = np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)], axis=1)
        return cls(points, outlines, east, north)

    def wind(self, source: Source, variables: list[Variable]) -> list[Array]:
        """Eastward and northward [m s-1] (point, level), or (point, 1), on the levels of the file."""
        at = Gathered(source, self.points)
        return [at.across(*variables, directions) for directions in (self.east, self.north)]


def _state(
    case: SpectralCase, model: spectral.Model, source: Source, places: _Places, given: Array | None
) -> dict[str, Array]:
    """What `Model.set` takes; given: the geopotential of a ground that the case names."""
    if case.equations.has_levels:
        return _air(case, model, source, places)
    east, north = (each[:, 0] for each in places.wind(source, require_wind(source)))
    if case.equations.set == "barotropic":
        return {"east": east, "north": north}
    named = None if given is None else given / case.equations.gravity
    surface, ground = water_of(source, places.points, places.outlines, named)
    return {"east": east, "north": north, "surface": surface, "ground": ground}


def _ground_of_air(case: SpectralCase, source: Source, places: _Places, given: Array | None) -> Array:
    """The geopotential [m2 s-2] (point) of the ground that the case or the file names, else where the air of
    the file ends."""
    variables = AirVariables.of(source, case.equations.gravity, moves=given is not None)
    if given is not None:
        return given
    if variables.ground is not None:
        return ground_of(source, variables.ground, places.outlines)
    return _columns(case, source, variables, places, None).ground


def _columns(case: SpectralCase, source: Source, variables: AirVariables, places: _Places, ground) -> Columns:
    gas = atmosphere.Air().gas_constant
    return Columns(source, variables, places.points, ground, gas, case.equations.gravity)


def _set_ground(model: spectral.Model, height: Array) -> None:
    """Collective. Puts air of no matter on a ground [m] (point), which is then truncated."""
    n_levels, n = model.n_levels, len(model.points)
    none = np.zeros((n_levels, n))
    model.set(east=none, north=none, temperature=none + 273.15, surface=np.full(n, 1e5), ground=height)


def _air(case: SpectralCase, model: spectral.Model, source: Source, places: _Places) -> dict[str, Array]:
    """Air on the ground that the model has."""
    height, (a, b) = model.ground, model.levels
    variables = AirVariables.of(source, case.equations.gravity, moves=False)
    columns = _columns(case, source, variables, places, height * case.equations.gravity)
    surface = np.exp(columns.surface)
    check_surface(source, surface, surface_limits(float(a[0])))
    levels = np.log(np.ascontiguousarray(spectral.level_pressures(np.asarray(a), np.asarray(b), surface).T))
    wind = places.wind(source, [variables.eastward, variables.northward])
    east, north = (_core.values_at(columns.x, each, levels) for each in wind)
    temperature = columns.temperatures.values(levels)
    return {
        "east": east.T,
        "north": north.T,
        "temperature": temperature.T,
        "surface": surface,
        "ground": height,
    }
