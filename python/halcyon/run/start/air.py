"""Interpolates an atmospheric state from a file to the cells, edges and levels of a mesh, in hydrostatic
balance.

Horizontal interpolation is linear; of surface pressure it is linear in ln(ps), which is nearly linear in the
height of the orography. Temperature and wind are linear in ln(p) along a column. The surface pressure follows
from the geopotential phi of the file's levels, or of the file's surface, by dphi = -R T d ln(p), also if the
orography is a cell mean or from another file. Layer temperatures are means over ln(p), which preserve the
thickness of the layer; layer mixing ratios are means over p, which preserve the mass of the tracer.

*Ground* is the surface geopotential [m2 s-2]. Levels and layers are in order from the top down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon._core import atmosphere as _core
from halcyon._core.atmosphere import WATER_TRACERS
from halcyon.base import InputError
from halcyon.config.physics_checks import CONSTANT_TRACER
from halcyon.mesh.cf_file import short_unit
from halcyon.run.start.quantities import (
    EASTWARD,
    GEOPOTENTIAL,
    HUMIDITY,
    HUMIDITY_MIXING_RATIO,
    NORTHWARD,
    PRESSURE,
    SPECIFIC_HUMIDITY,
    SURFACE_PRESSURE,
    TEMPERATURE,
    Levels,
    levels_of,
    mixing_ratio,
    surface_geopotential,
)
from halcyon.run.start.source import Source, SourceInterpolator, Variable
from halcyon.run.start.target import TargetMesh, cell_orography
from halcyon.wave.gridded import Quantity

Array = np.ndarray


@dataclass(frozen=True)
class AirVariables:
    """The variables of a file; None for variables that the file lacks."""

    levels: Levels
    temperature: Variable
    eastward: Variable
    northward: Variable
    surface_pressure: Variable | None
    geopotential: Variable | None  # on levels
    pressure: Variable | None  # on levels that are no pressure or height surfaces
    ground: Variable | None  # surface geopotential
    humidity: Variable | None  # specific humidity or mixing ratio of water vapour; None for dry air
    tracers: dict[str, Variable]  # by name

    @classmethod
    def find(
        cls,
        source: Source,
        gravity: float,
        *,
        has_new_orography: bool = False,
        tracers: Sequence[str] = (),
        is_moist: bool = False,
    ) -> AirVariables:
        """Finds the variables. has_new_orography: the case has another orography than the file; tracers:
        names of the case's tracers; is_moist: with the humidity. Raises InputError if a variable is missing
        or not supported."""
        levels = levels_of(source.path, source.file, source.find_with_levels(TEMPERATURE))
        # The surface pressure in the formula of hybrid levels, if any.
        formula_ps = None
        if levels.ps_name is not None:
            formula_ps = source.variable_named(levels.ps_name, SURFACE_PRESSURE)
        variables = cls(
            levels=levels,
            temperature=source.require_variable(TEMPERATURE, levels),
            eastward=source.require_variable(EASTWARD, levels),
            northward=source.require_variable(NORTHWARD, levels),
            surface_pressure=formula_ps or source.variable(SURFACE_PRESSURE),
            geopotential=source.variable(GEOPOTENTIAL, levels) if levels.kind == "pressure" else None,
            pressure=_pressure(source, levels),
            ground=source.variable(surface_geopotential(gravity)),
            humidity=_humidity(source, levels) if is_moist else None,
            tracers=tracer_variables(source, tracers, levels),
        )
        if variables.surface_pressure is None and variables.geopotential is None:
            alternative = ", or of the geopotential of its levels" if levels.kind == "pressure" else ""
            raise InputError(source.missing_text(SURFACE_PRESSURE, alternative))
        if has_new_orography and variables.geopotential is None and variables.ground is None:
            raise InputError(
                source.missing_text(surface_geopotential(gravity), ", which a new orography needs")
            )
        return variables


def air_state(
    source: Source,
    target: TargetMesh,
    gas_constant: float,
    gravity: float,
    ground: Array | None = None,
    tracers: Sequence[str] = (),
    *,
    vapour_gas_constant: float | None = None,
) -> dict[str, Array]:
    """The arguments of `Core.set_state` from a source, on the mesh and levels of a `TargetMesh`.

    ground: surface geopotential [m2 s-2] (local cell), by default from the file; tracers: names of the core's
    tracers other than water, in its order; vapour_gas_constant: of moist air [J kg-1 K-1], which gets the
    vapour of the file and no other water; None: dry air. Raises InputError for missing variables and invalid
    values."""
    is_moist = vapour_gas_constant is not None
    variables = AirVariables.find(
        source, gravity, has_new_orography=ground is not None, tracers=tracers, is_moist=is_moist
    )
    if ground is None and variables.ground is not None:
        ground = cell_orography(source, variables.ground, target.polygons)
    columns = Columns(
        source, variables, target.cell_points, ground, gas_constant, gravity, vapour_gas_constant
    )
    n, ps = target.n_cells, np.exp(columns.log_ps)
    check_surface(source, ps, target.surface_limits)
    if not is_moist:
        interfaces = np.log(target.interfaces(ps[:n]))  # ln(p)
        edge_pressures = target.interfaces(_at_edges(target, ps))
    else:
        assert columns.humidity is not None  # as `AirVariables.find` requires
        a, b = target.a.tolist(), target.b.tolist()
        vapour, pressures = _core.moist_layers(columns.log_p, columns.humidity, a, b, ps)
        interfaces, vapour = np.log(pressures[:n]), vapour[:n]
        edge_pressures = _at_edges(target, pressures)
    temperature = columns.temperatures.means(interfaces) if n else np.empty((0, target.n_levels))
    ratios = _tracers(tracers, variables, columns, interfaces)
    if vapour_gas_constant is not None:  # the profiles are of virtual temperature
        temperature *= (1 + vapour) / (1 + vapour_gas_constant / gas_constant * vapour)
        ratios = np.concatenate([[vapour], np.zeros((len(WATER_TRACERS) - 1, *vapour.shape)), ratios])
    return {
        "ground": columns.ground,
        "surface": ps[:n],
        "temperature": temperature,
        "wind": _winds(source, variables, target, columns, edge_pressures),
        "tracers": ratios,
    }


class Columns:
    """Columns of air of a file, at points (n, 3) of the unit sphere.

    `log_p`: ln(p) of the file's levels (n, level); `ground`: surface geopotential (n); `log_ps`: ln of the
    surface pressure at `ground` (n); `temperatures`: temperature profiles, functions of ln(p), of the virtual
    temperature if the file's humidity is used; `humidity`: specific humidity (n, level), or None.
    """

    def __init__(
        self,
        source: Source,
        variables: AirVariables,
        points: Array,
        ground: Array | None,
        gas_constant: float,
        gravity: float,
        vapour_gas_constant: float | None = None,
    ) -> None:
        """ground: new surface geopotential (n); None: the file's, or 0 if the file has none;
        vapour_gas_constant: for the humidity."""
        self._interpolator = SourceInterpolator(source, points)
        self._variables = variables
        temperature = self._interpolator.column(variables.temperature)
        self.humidity: Array | None = None
        if variables.humidity is not None:
            assert vapour_gas_constant is not None
            humidity = self._interpolator.column(variables.humidity, bounded=True)
            _complete_humidity(variables.humidity, variables, humidity, ~np.isnan(temperature))
            if variables.humidity.quantity is HUMIDITY_MIXING_RATIO:
                humidity /= 1 + humidity
            temperature *= 1 + (vapour_gas_constant / gas_constant - 1) * humidity
            self.humidity = humidity
        fields = (variables.ground, variables.surface_pressure)
        source_ground, source_log_ps = (self._field(field) for field in fields)
        self.log_p = self._log_pressures(temperature, source_ground, source_log_ps, gas_constant, gravity)
        self.temperatures = _core.SourceTemperatures(self.log_p, temperature, gas_constant, gravity)
        # The reference is the file's surface, or a level near the surface, with known ln(p) and geopotential
        # phi. The hydrostatic equation between the reference and `ground` gives the surface pressure.
        if variables.geopotential is None:
            assert source_log_ps is not None  # as `AirVariables.find` requires
            reference_log_p, phi = (
                source_log_ps,
                np.zeros(len(points)) if source_ground is None else source_ground,
            )
            self.ground = phi if ground is None else ground
        else:
            reference_log_p, phi = self._nearest_level(
                source_ground if ground is None else ground, source_log_ps
            )
            self.ground = (
                self._derived_ground(source_log_ps, reference_log_p, phi) if ground is None else ground
            )
        self.log_ps = np.where(
            self.ground == phi,
            reference_log_p,
            self.temperatures.log_pressure(self.ground, reference_log_p, phi),
        )

    def mixing_ratio(self, variable: Variable, interfaces: Array) -> Array:
        """Mixing ratio of a tracer (n, layer) between interfaces, ln(p) (n, interface), of the first n
        columns."""
        n, values = len(interfaces), self._interpolator.column(variable, bounded=True)
        return _core.means_by_mass(self.log_p[:n], values[:n], interfaces)

    def _derived_ground(self, log_ps: Array | None, reference_log_p: Array, phi: Array) -> Array:
        """The surface geopotential of a file that has only the surface pressure; 0 without surface
        pressure."""
        if log_ps is None:
            return np.zeros(len(phi))
        return self.temperatures.geopotential(log_ps, reference_log_p, phi)

    def _field(self, variable: Variable | None) -> Array | None:
        """Values (n) of a surface variable; ln(ps) for the surface pressure."""
        if variable is None:
            return None
        return self._interpolator.field(variable, np.log if variable.quantity is SURFACE_PRESSURE else None)

    def _log_pressures(
        self,
        temperature: Array,
        ground: Array | None,
        log_ps: Array | None,
        gas_constant: float,
        gravity: float,
    ) -> Array:
        """ln(p) of the file's levels (n, level)."""
        levels = self._variables.levels
        if levels.kind == "height":
            surface_phi = np.zeros(len(temperature)) if ground is None else ground
            scaled_height = (gravity * levels.values - surface_phi[:, None]) / gas_constant
            assert log_ps is not None
            return _log_pressures_of_heights(scaled_height, temperature, log_ps, gas_constant, gravity)
        return log_pressures_of_levels(self._variables, self._interpolator, len(temperature), log_ps)

    def _nearest_level(self, ground: Array | None, log_ps: Array | None) -> tuple[Array, Array]:
        """ln(p) and geopotential (n) of the level nearest to the surface, among levels with a value."""
        assert self._variables.geopotential is not None
        phi = self._interpolator.column(self._variables.geopotential)
        if ground is None and log_ps is not None:
            distance = np.abs(self.log_p - log_ps[:, None])
        else:
            distance = np.abs(phi - (0.0 if ground is None else ground[:, None]))
        nearest = np.argmin(np.where(np.isnan(phi), np.inf, distance), axis=1)[:, None]
        log_p, phi = (np.take_along_axis(each, nearest, axis=1)[:, 0] for each in (self.log_p, phi))
        return np.ascontiguousarray(log_p), np.ascontiguousarray(phi)


def log_pressures_of_levels(
    variables: AirVariables, interpolator: SourceInterpolator, n: int, log_ps: Array | None
) -> Array:
    """ln(p) (n, level) of pressure levels, of levels with a variable of their pressure, or of hybrid levels
    for ln(ps) (n). Raises InputError unless the pressure increases downwards."""
    levels = variables.levels
    if variables.pressure is not None:
        log_p = interpolator.column(variables.pressure, change=_log)
        if not (np.diff(log_p) > 0).all():
            raise InputError(
                f"{variables.pressure.label} has levels that are missing, or whose pressure does not increase"
                " downwards. Correct the file."
            )
        return log_p
    if levels.kind == "pressure":
        return np.ascontiguousarray(np.broadcast_to(np.log(levels.values), (n, levels.size)))
    assert log_ps is not None  # of hybrid levels
    a, b = levels.values
    return np.log(a + b * np.exp(log_ps)[:, None])


def _log_pressures_of_heights(
    scaled_height: Array, temperature: Array, log_ps: Array, gas_constant: float, gravity: float
) -> Array:
    """ln(p) (n, level) of height levels, from ln(ps) upward by d ln(p) = -d(phi / R) / T with T linear in
    height, and with the standard lapse rate below the lowest level with a value.

    scaled_height: phi / R above the surface [K] (n, level)"""
    log_p, lowest = np.empty_like(scaled_height), temperature.shape[1] - 1
    lapse = _core.LAPSE_RATE * gas_constant / gravity  # -dT / d(phi / R)
    # Scaled height, temperature and ln(p) of the next lower level with a value; initially of the surface,
    # whose temperature is unknown.
    n = len(scaled_height)
    height_below, t_below, log_p_below = np.zeros(n), np.full(n, np.nan), log_ps.copy()
    for k in range(lowest, -1, -1):
        t = np.where(np.isnan(temperature[:, k]), t_below, temperature[:, k])
        t_bottom = np.where(np.isnan(t_below), t + lapse * (scaled_height[:, k] - height_below), t_below)
        log_p[:, k] = log_p_below - (scaled_height[:, k] - height_below) * _mean_inverse(t_bottom, t)
        is_known = ~np.isnan(t)
        log_p_below = np.where(is_known, log_p[:, k], log_p_below)
        height_below = np.where(is_known, scaled_height[:, k], height_below)
        t_below = np.where(is_known, t, t_below)
    return log_p


def _mean_inverse(t1: Array, t2: Array) -> Array:
    """The mean of 1/T over a layer in which T is linear from T1 to T2: ln(T2 / T1) / (T2 - T1)."""
    change = (t2 - t1) / t1
    is_small = np.abs(change) < 1e-6  # where the quotient is rounded badly: ln(1 + x) / x is 1 - x / 2
    divisor = np.where(is_small, 1.0, change)
    return np.where(is_small, 1 - change / 2, np.log1p(divisor) / divisor) / t1


def _at_edges(target: TargetMesh, values: Array) -> Array:
    """Means of values (local cell, ...) of the two cells of edges (owned edge, ...)."""
    cell_1, cell_2 = target.cells_on_edge.T
    return (values[cell_1] + values[cell_2]) / 2


def _winds(
    source: Source, variables: AirVariables, target: TargetMesh, columns: Columns, interfaces: Array
) -> Array:
    """Wind normal to the edges (edge, level), interpolated linearly in ln(p) between the levels of the file.

    interfaces: pressure [Pa] (owned edge, interface)"""
    if not len(target.edge_points):
        return np.empty((0, target.n_levels))
    interpolator = SourceInterpolator(source, target.edge_points)
    wind = interpolator.component(variables.eastward, variables.northward, target.edge_normals)
    levels = variables.levels
    if levels.kind == "height":
        log_p = _at_edges(target, columns.log_p)
    else:
        is_formula = levels.kind == "hybrid" and variables.pressure is None
        surface_pressure: Any = variables.surface_pressure
        log_ps = interpolator.field(surface_pressure, np.log) if is_formula else None
        log_p = log_pressures_of_levels(variables, interpolator, len(wind), log_ps)
    return _core.values_at(log_p, wind, np.log((interfaces[:, :-1] + interfaces[:, 1:]) / 2))


def _tracers(names: Sequence[str], variables: AirVariables, columns: Columns, interfaces: Array) -> Array:
    """Mixing ratios (tracer, cell, layer) between interfaces, ln(p) (cell, interface); 1 for the constant
    tracer, which is not read."""
    n, n_interfaces = interfaces.shape
    ratios = np.ones((len(names), n, n_interfaces - 1))
    for name, values in zip(names, ratios, strict=True):
        if n and name in variables.tracers:
            values[...] = columns.mixing_ratio(variables.tracers[name], interfaces)
    return ratios


def check_surface(source: Source, ps: Array, limits: tuple[float, float]) -> None:
    """Raises InputError if a surface pressure is outside the range that the model levels support [Pa]."""
    low, high = limits
    outside = np.flatnonzero(~((ps > low) & (ps < high)))
    if len(outside):
        raise InputError(
            f"{source.path} gives a surface pressure of {ps[outside[0]]:g} Pa on the mesh, but the"
            f" levels support {low:g} to {high:g} Pa. Check the units of the file, or the option levels."
        )


_NOT_BY_MASS = ("mole_", "volume_")  # beginnings of standard names of ratios that are not ratios of masses


def tracer_variables(source: Source, names: Iterable[str], levels: Levels) -> dict[str, Variable]:
    """The variables of a file, on its levels, for the tracers of a case except the constant one. Raises
    InputError if a variable is missing or is not a mixing ratio on these levels."""
    return {name: _tracer(source, name, levels) for name in names if name != CONSTANT_TRACER}


def _humidity(source: Source, levels: Levels) -> Variable:
    """The variable of the humidity. Raises InputError if it is missing."""
    for quantity in (HUMIDITY_MIXING_RATIO, SPECIFIC_HUMIDITY):
        if (variable := source.variable(quantity, levels)) is not None:
            return variable
    raise InputError(
        f"{source.missing_text(HUMIDITY, f' on {levels.dimension}')} A variable of another name, such as qv,"
        " needs one of these standard names."
    )


def _pressure(source: Source, levels: Levels) -> Variable | None:
    """The variable of the pressure of model levels. Raises InputError if numbered levels have none."""
    if levels.kind == "numbered":
        return source.require_variable(PRESSURE, levels)
    return source.variable(PRESSURE, levels) if levels.kind == "hybrid" else None


def _log(pressure: Array) -> Array:
    """ln(p), NaN for pressures that are not positive."""
    return np.log(np.where(pressure > 0, pressure, np.nan))


def _complete_humidity(variable: Variable, variables: AirVariables, humidity: Array, has_air: Array) -> None:
    """Sets the humidity (n, level) to 0 above the levels that have it. Raises InputError if it is missing
    elsewhere at a level with temperature; has_air: whether the temperature is present (n, level)."""
    is_missing = np.isnan(humidity)
    is_above = ~np.logical_or.accumulate(~is_missing, axis=1)
    humidity[is_above] = 0
    (wrong,) = np.nonzero((is_missing & ~is_above & has_air).any(axis=0))
    if len(wrong):
        raise InputError(
            f"{variable.label} has no value at {variables.levels.label(wrong[0])}, where the"
            " temperature has. Fill the gap, or give another file."
        )


def _tracer(source: Source, name: str, levels: Levels) -> Variable:
    """The variable of one tracer."""
    quantity = mixing_ratio(name)
    variable = source.variable(quantity, levels)
    if variable is None:
        raise InputError(_missing_text(source, quantity, name, levels))
    standard_name = str(variable.data.attrs.get("standard_name", ""))
    if standard_name.startswith(_NOT_BY_MASS):
        raise InputError(
            f"{variable.label} is a {standard_name}, but tracers are mixing ratios by mass. Convert it to kg"
            f" kg-1, with the standard_name of a mass fraction, or remove '{name}' from tracers."
        )
    return variable


def _missing_text(source: Source, quantity: Quantity, name: str, levels: Levels) -> str:
    """The error text for a tracer without a suitable variable."""
    required = {levels.dimension, *source.grid.dimensions}
    variables = source.file.variables.items()
    for key, variable in variables:
        if name in (key, variable.attrs.get("standard_name")):
            missing = ", ".join(sorted(required - {*variable.dims}))
            return (
                f"{source.path}: {key} ({', '.join(variable.dims)}) lacks the dimensions {missing}, which the"
                f" tracer '{name}' needs. Correct the file, or remove '{name}' from tracers."
            )
    candidates = [
        key
        for key, variable in variables
        if required <= {*variable.dims} and short_unit(variable) in quantity.units
    ]
    remedy = f"Name one of {', '.join(candidates)}" if candidates else "Add it to the file"
    return (
        f"{source.path} has no variable of the name or standard_name '{name}', which the option tracers"
        f" names. {remedy}, or leave '{name}' out of tracers."
    )
