"""Initial states of the spectral model at its grid points: the analytic states of the atmosphere, and files.

The orography of a file is averaged over the box around a grid point, as over the cells of a mesh. Columns of
air are adjusted to the spectrally truncated orography, so that the air is in balance with this orography.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere, spectral
from halcyon._core import atmosphere as _core
from halcyon._core.atmosphere import make_shallow_water_start
from halcyon.base import ConfigError
from halcyon.config.spectral import SpectralCase
from halcyon.launch.errors import all_ranks_raise
from halcyon.remap.faces import points_of as on_sphere
from halcyon.run.output.gaussian_boxes import GaussianBoxes
from halcyon.run.start.air import AirVariables, Columns, check_surface
from halcyon.run.start.case_files import open_start, orography_of_case
from halcyon.run.start.shallow_water import require_wind, shallow_water_heights
from halcyon.run.start.source import Source, SourceInterpolator, Variable
from halcyon.run.start.target import CellPolygons, cell_orography, surface_limits

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.spectral import Model
    from halcyon.transform import Grid

Array = np.ndarray


def set_start(model: spectral.Model, name: str, options: Mapping[str, float] | None = None) -> None:
    """Collective for a distributed model. Sets an analytic initial state of `halcyon.atmosphere` by its name;
    options: as in `start_options` and `air_start_options`. Raises ConfigError for unknown names."""
    model.set(**state_of_start(model, name, options))


def state_of_start(
    model: spectral.Model, name: str, options: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The arguments of `Model.set` for an analytic initial state, at the points of this rank; see
    `set_start`."""
    planet = atmosphere.Planet(
        radius=model.planet.radius, rotation=model.planet.rotation, gravity=model.planet.gravity
    )
    make_state = _air_start if model.levels is not None else _shallow_water_start
    return make_state(model, name, dict(options or {}), planet)


def grid_coordinates(grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes [rad] (point) of a grid."""
    sines, cosines = (np.repeat(of_rows, grid.row_lengths) for of_rows in (grid.sines, grid.cosines))
    fractions = [np.arange(length) / length for length in grid.row_lengths.tolist()]
    return 2 * np.pi * np.concatenate(fractions), np.arctan2(sines, cosines)


def owned_coordinates(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes [rad] (point) of this rank's points of a model."""
    lon, lat = grid_coordinates(model.grid)
    return lon[model.points], lat[model.points]


def _shallow_water_start(
    model: Model, name: str, options: Mapping[str, float], planet: atmosphere.Planet
) -> dict[str, Any]:
    start = make_shallow_water_start(name, options, planet)
    lon, lat = owned_coordinates(model)
    east, north = start.wind(lon, lat)
    return {
        "east": east,
        "north": north,
        "ground": start.ground(lon, lat),  # height [m]
        "surface": start.surface(lon, lat),  # height [m]
        "axis": start.axis,
    }


def _air_start(
    model: Model, name: str, options: Mapping[str, float], planet: atmosphere.Planet
) -> dict[str, Any]:
    start = atmosphere.AirStart(name, options=options, planet=planet)
    lon, lat = owned_coordinates(model)
    surface_pressure = start.surface_pressure(lon, lat)
    assert model.levels is not None
    a, b = map(np.asarray, model.levels)
    pressure = spectral.level_pressures(a, b, surface_pressure)
    east, north = start.wind(lon, lat, pressure)
    humidity, temperature = (
        each(lon, lat, pressure) for each in (start.specific_humidity, start.temperature)
    )
    if not model.moist:  # the winds are balanced with the virtual temperature
        temperature = virtual_temperature(temperature, humidity)
    water = dict.fromkeys(atmosphere.WATER_TRACERS, np.zeros_like)
    ratios: dict[str, Callable[[np.ndarray], np.ndarray]] = water | {
        "water_vapour": lambda _: humidity / (1 - humidity),
        "constant_tracer": np.ones_like,
        "passive_tracer": lambda p: start.tracer(lon, lat, p),
    }
    for tracer in model.tracers:
        if tracer not in ratios or (tracer == "passive_tracer" and not start.has_tracer):
            text = f"The start '{name}' has no tracer '{tracer}'. Give 'constant_tracer', or another start."
            raise ConfigError(text)
    tracers = [ratios[each](pressure) for each in model.tracers]
    return {
        "east": east,
        "north": north,
        **({"tracers": np.stack(tracers)} if tracers else {}),
        "temperature": temperature,
        "surface": surface_pressure,
        "ground": start.ground_geopotential(lon, lat) / planet.gravity,  # height [m]
    }


def virtual_temperature(temperature: Array | float, humidity: Array) -> Array:
    """T (1 + (R_v/R - 1) q) [K] for the specific humidity q."""
    air = atmosphere.Air()
    return temperature * (1 + (air.vapour_gas_constant / air.gas_constant - 1) * humidity)


def set_start_from_file(case: SpectralCase, model: spectral.Model, comm: MPI.Comm) -> None:
    """Collective. Sets a model to the state of a file; each rank reads only the data that it needs.

    Raises InputError, on all ranks, for an unsuitable file."""
    with all_ranks_raise(comm):
        owned = _OwnedPoints.of(model, case.initial.smoothing)
        case_ground = orography_of_case(case, owned.polygons)  # geopotential [m2 s-2]
    if case.equations.has_levels:
        with all_ranks_raise(comm), open_start(case) as source:
            ground = _air_orography(case, source, owned, case_ground)
        _set_orography(model, ground / case.equations.gravity)
    with all_ranks_raise(comm), open_start(case) as source:
        state = _state(case, model, source, owned, case_ground)
    arguments: dict[str, Any] = state
    model.set(**arguments)


@dataclass(frozen=True)
class _OwnedPoints:
    """This rank's grid points on the unit sphere."""

    points: Array  # (point, 3)
    polygons: CellPolygons  # the boxes around the points
    east: Array  # eastward unit vectors (point, 3)
    north: Array  # northward unit vectors (point, 3)

    @classmethod
    def of(cls, model: spectral.Model, smoothing: float) -> _OwnedPoints:
        lon, lat = owned_coordinates(model)
        points = on_sphere(*np.degrees((lon, lat)))
        *corners, offsets = GaussianBoxes(model.grid).corners(model.points)
        areas = 4 * np.pi * model.grid.areas.ravel()[model.points]
        polygons = CellPolygons.scaled(points, on_sphere(*corners), offsets, areas, smoothing)
        east = np.stack([-np.sin(lon), np.cos(lon), np.zeros(len(lon))], axis=1)
        north = np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)], axis=1)
        return cls(points, polygons, east, north)

    def wind(self, source: Source, variables: list[Variable]) -> list[Array]:
        """Eastward and northward wind [m s-1] (point, level), or (point, 1), on the levels of the file."""
        interpolator = SourceInterpolator(source, self.points)
        eastward, northward = variables
        return [
            interpolator.component(eastward, northward, directions) for directions in (self.east, self.north)
        ]


def _state(
    case: SpectralCase, model: spectral.Model, source: Source, owned: _OwnedPoints, case_ground: Array | None
) -> dict[str, Array]:
    """The arguments of `Model.set`. case_ground: surface geopotential [m2 s-2] from the orography file of the
    case, if the case has one."""
    if case.equations.has_levels:
        return _air(case, model, source, owned)
    east, north = (component[:, 0] for component in owned.wind(source, require_wind(source)))
    if case.equations.set == "barotropic":
        return {"east": east, "north": north}
    case_height = None if case_ground is None else case_ground / case.equations.gravity
    surface, ground = shallow_water_heights(source, owned.points, owned.polygons, case_height)
    return {"east": east, "north": north, "surface": surface, "ground": ground}


def _air_orography(
    case: SpectralCase, source: Source, owned: _OwnedPoints, case_ground: Array | None
) -> Array:
    """The surface geopotential [m2 s-2] (point): of the orography file of the case, or else of the initial
    state file, or else derived from the columns of that file."""
    variables = _variables(case, source, has_new_orography=case_ground is not None)
    if case_ground is not None:
        return case_ground
    if variables.ground is not None:
        return cell_orography(source, variables.ground, owned.polygons)
    return _columns(case, source, variables, owned, ground=None).ground


def _columns(
    case: SpectralCase, source: Source, variables: AirVariables, owned: _OwnedPoints, ground: Array | None
) -> Columns:
    """The columns of air of a file at this rank's points; ground: as in `Columns`."""
    air, gravity = atmosphere.Air(), case.equations.gravity
    return Columns(
        source, variables, owned.points, ground, air.gas_constant, gravity, air.vapour_gas_constant
    )


def _variables(case: SpectralCase, source: Source, *, has_new_orography: bool) -> AirVariables:
    return AirVariables.find(
        source,
        case.equations.gravity,
        has_new_orography=has_new_orography,
        is_moist=case.equations.moist,
    )


def _set_orography(model: spectral.Model, height: Array) -> None:
    """Collective. Sets a valid state with an orography [m] (point), which the model truncates; the other
    values of the state are arbitrary."""
    n_levels, n = model.n_levels, len(model.points)
    zero, water = np.zeros((n_levels, n)), np.zeros((len(model.tracers), n_levels, n))
    tracers: dict[str, Any] = {"tracers": water} if model.tracers else {}
    surface, temperature = np.full(n, 1e5), zero + 273.15
    model.set(east=zero, north=zero, temperature=temperature, surface=surface, ground=height, **tracers)


def _air(case: SpectralCase, model: spectral.Model, source: Source, owned: _OwnedPoints) -> dict[str, Array]:
    """The arguments of `Model.set`: the state of a file above the truncated orography of the model."""
    assert model.levels is not None
    height = model.ground
    a, b = map(np.asarray, model.levels)
    variables = _variables(case, source, has_new_orography=False)
    columns = _columns(case, source, variables, owned, height * case.equations.gravity)
    ps = np.exp(columns.log_ps)
    check_surface(source, ps, surface_limits(float(a[0])))
    pressures = spectral.level_pressures(np.asarray(a), np.asarray(b), ps)
    log_p = np.log(np.ascontiguousarray(pressures.T))  # of the model's levels (point, level)
    wind = owned.wind(source, [variables.eastward, variables.northward])
    east, north = (_core.values_at(columns.log_p, component, log_p) for component in wind)
    temperature, tracers = columns.temperatures.values(log_p), {}
    if case.equations.moist:  # the profiles are of virtual temperature
        assert columns.humidity is not None
        humidity = _core.values_at(columns.log_p, columns.humidity, log_p)
        temperature /= virtual_temperature(1.0, humidity)
        vapour = (humidity / (1 - humidity)).T
        tracers = {"tracers": np.stack([vapour, *[0 * vapour] * (len(model.tracers) - 1)])}
    return {
        "east": east.T,
        "north": north.T,
        **tracers,
        "temperature": temperature.T,
        "surface": ps,
        "ground": height,
    }
