"""Interpolates an atmospheric state from a file to the cells, edges and levels of a mesh, in hydrostatic
balance.

Horizontal interpolation is linear; for surface pressure in ln(ps), which is nearly linear in the height of
the orography. Temperature and wind are linear in ln(p) along a column. The surface pressure follows from the
geopotential of the file's levels, or of its surface, by dphi = -R T d ln(p), also if the orography is a cell
mean or from another file. Layer temperatures are means over ln(p), which preserve the thickness of the layer;
layer mixing ratios are means over p, which preserve the mass of the tracer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from halcyon._core import atmosphere as _core
from halcyon.base import InputError
from halcyon.config.air_checks import CONSTANT_TRACER
from halcyon.mesh.cf_file import short_unit
from halcyon.run.start.quantities import (
    EASTWARD,
    GEOPOTENTIAL,
    NORTHWARD,
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
    """The variables of a file; surface: surface pressure; geopotential: on levels; ground: surface
    geopotential; tracers: by name."""

    levels: Levels
    temperature: Variable
    eastward: Variable
    northward: Variable
    surface: Variable | None
    geopotential: Variable | None
    ground: Variable | None
    tracers: dict[str, Variable]

    @classmethod
    def of(
        cls, source: Source, gravity: float, *, has_new_orography: bool = False, tracers: Sequence[str] = ()
    ) -> AirVariables:
        """Finds the variables. has_new_orography: the case has another orography than the file; tracers:
        names of the case's tracers. Raises InputError if a variable is missing or not supported."""
        levels = levels_of(source.path, source.file, source.with_levels(TEMPERATURE))
        by_formula = None if levels.surface is None else source.named(levels.surface, SURFACE_PRESSURE)
        found = cls(
            levels,
            *(source.required(each, levels) for each in (TEMPERATURE, EASTWARD, NORTHWARD)),
            by_formula or source.variable(SURFACE_PRESSURE),
            source.variable(GEOPOTENTIAL, levels) if levels.kind == "pressure" else None,
            source.variable(surface_geopotential(gravity)),
            tracer_variables(source, tracers, levels),
        )
        if found.surface is None and found.geopotential is None:
            alternative = ", or of the geopotential of its levels" if levels.kind == "pressure" else ""
            raise InputError(source.missing(SURFACE_PRESSURE, alternative))
        if has_new_orography and found.geopotential is None and found.ground is None:
            raise InputError(source.missing(surface_geopotential(gravity), ", which a new orography needs"))
        return found


def air_state(
    source: Source,
    target: TargetMesh,
    gas_constant: float,
    gravity: float,
    ground: Array | None = None,
    tracers: Sequence[str] = (),
) -> dict[str, Array]:
    """The arguments of `Core.set_state` from a source, on the mesh and levels of a `TargetMesh`.

    ground: surface geopotential [m2 s-2] (local cell), by default from the file; tracers: names of the core's
    tracers, in its order. Raises InputError for missing variables and invalid values."""
    variables = AirVariables.of(source, gravity, has_new_orography=ground is not None, tracers=tracers)
    if ground is None and variables.ground is not None:
        ground = cell_orography(source, variables.ground, target.polygons)
    columns = Columns(source, variables, target.cell_points, ground, gas_constant, gravity)
    n, surface = target.n_cells, np.exp(columns.surface)
    check_surface(source, surface, target.surface_limits)
    interfaces = np.log(target.interfaces(surface[:n]))
    return {
        "ground": columns.ground,
        "surface": surface[:n],
        "temperature": columns.temperatures.means(interfaces) if n else np.empty((0, target.n_levels)),
        "wind": _winds(source, variables, target, columns, surface),
        "tracers": _tracers(tracers, variables, columns, interfaces),
    }


class Columns:
    """Columns of a file at points (n, 3): x = ln(p) of its levels (n, level), the surface geopotential
    `ground` (n), ln of the surface pressure, `surface` (n), and the `temperatures`."""

    def __init__(
        self,
        source: Source,
        variables: AirVariables,
        points: Array,
        ground: Array | None,
        gas_constant: float,
        gravity: float,
    ) -> None:
        """ground: new surface geopotential; None: from the file, or 0 if the file has none."""
        self._interpolator = SourceInterpolator(source, points)
        self._variables = variables
        temperature = self._interpolator.column(variables.temperature)
        source_ground, source_surface = (self._field(each) for each in (variables.ground, variables.surface))
        self.x = self._levels(temperature, source_ground, source_surface, gas_constant, gravity)
        self.temperatures = _core.SourceTemperatures(self.x, temperature, gas_constant, gravity)
        if variables.geopotential is None:
            reference_x, phi = (
                source_surface,
                np.zeros(len(points)) if source_ground is None else source_ground,
            )
            self.ground = phi if ground is None else ground
        else:
            reference_x, phi = self._nearest_level(
                source_ground if ground is None else ground, source_surface
            )
            self.ground = self._derived_ground(source_surface, reference_x, phi) if ground is None else ground
        self.surface = np.where(
            self.ground == phi, reference_x, self.temperatures.log_pressure(self.ground, reference_x, phi)
        )

    def mixing_ratio(self, variable: Variable, interfaces: Array) -> Array:
        """Mixing ratio of a tracer (n, layer) between interfaces, ln(p) (n, interface), of the first n
        columns."""
        n, values = len(interfaces), self._interpolator.column(variable, bounded=True)
        return _core.means_by_mass(self.x[:n], values[:n], interfaces)

    def _derived_ground(self, surface: Array | None, reference_x: Array, phi: Array) -> Array:
        """The surface geopotential of a file with surface pressure only; 0 without surface pressure."""
        if surface is None:
            return np.zeros(len(phi))
        return self.temperatures.geopotential(surface, reference_x, phi)

    def _field(self, variable: Variable | None) -> Array | None:
        if variable is None:
            return None
        return self._interpolator.field(variable, np.log if variable.quantity is SURFACE_PRESSURE else None)

    def _levels(self, temperature, ground, surface, gas_constant: float, gravity: float) -> Array:
        levels = self._variables.levels
        if levels.kind == "height":
            below = np.zeros(len(temperature)) if ground is None else ground
            depth = gravity * levels.values - below[:, None]
            return _levels_of_heights(depth / gas_constant, temperature, surface, gas_constant, gravity)
        return level_logarithms(levels, len(temperature), surface)

    def _nearest_level(self, ground: Array | None, surface: Array | None) -> tuple[Array, Array]:
        """ln(p) and geopotential (n) of the level nearest to the surface, among levels with a value."""
        phi = self._interpolator.column(self._variables.geopotential)
        if ground is None and surface is not None:
            distance = np.abs(self.x - surface[:, None])
        else:
            distance = np.abs(phi - (0.0 if ground is None else ground[:, None]))
        nearest = np.argmin(np.where(np.isnan(phi), np.inf, distance), axis=1)[:, None]
        pick = [np.take_along_axis(each, nearest, axis=1)[:, 0] for each in (self.x, phi)]
        return np.ascontiguousarray(pick[0]), np.ascontiguousarray(pick[1])


def level_logarithms(levels: Levels, n: int, surface: Array | None) -> Array:
    """ln(p) (n, level) of pressure levels, or of hybrid levels for ln(ps) (n)."""
    if levels.kind == "pressure":
        return np.ascontiguousarray(np.broadcast_to(np.log(levels.values), (n, levels.size)))
    a, b = levels.values
    return np.log(a + b * np.exp(surface)[:, None])


def _levels_of_heights(
    depth: Array, temperature: Array, surface: Array, gas_constant: float, gravity: float
) -> Array:
    """ln(p) (n, level) of height levels, from ln(ps) upward by d ln(p) = -d(phi / R) / T with T linear in
    height, and with the standard lapse rate below the lowest level with a value.

    depth: phi / R above the surface [K] (n, level)"""
    x, last = np.empty_like(depth), temperature.shape[1] - 1
    lapse = _core.LAPSE_RATE * gas_constant / gravity
    below, t_below, x_below = np.zeros(len(depth)), np.full(len(depth), np.nan), surface.copy()
    for k in range(last, -1, -1):
        t = np.where(np.isnan(temperature[:, k]), t_below, temperature[:, k])
        start = np.where(np.isnan(t_below), t + lapse * (depth[:, k] - below), t_below)
        x[:, k] = x_below - (depth[:, k] - below) * _mean_inverse(start, t)
        known = ~np.isnan(t)
        x_below = np.where(known, x[:, k], x_below)
        below, t_below = np.where(known, depth[:, k], below), np.where(known, t, t_below)
    return x


def _mean_inverse(first: Array, second: Array) -> Array:
    """The mean of 1/T between two temperatures where T is linear: ln(T2 / T1) / (T2 - T1)."""
    change = (second - first) / first
    small = np.abs(change) < 1e-6
    safe = np.where(small, 1.0, change)
    return np.where(small, 1 - change / 2, np.log1p(safe) / safe) / first


def _winds(
    source: Source, variables: AirVariables, target: TargetMesh, columns: Columns, surface: Array
) -> Array:
    """Wind normal to the edges (edge, level), linear in ln(p) between the levels of the file."""
    if not len(target.edge_points):
        return np.empty((0, target.n_levels))
    interpolator = SourceInterpolator(source, target.edge_points)
    wind = interpolator.component(variables.eastward, variables.northward, target.edge_normals)
    levels, (first, second) = variables.levels, target.cells_on_edge.T
    if levels.kind == "height":
        x = (columns.x[first] + columns.x[second]) / 2
    else:
        log_surface = None if levels.kind == "pressure" else interpolator.field(variables.surface, np.log)
        x = level_logarithms(levels, len(wind), log_surface)
    interfaces = target.interfaces((surface[first] + surface[second]) / 2)
    return _core.values_at(x, wind, np.log((interfaces[:, :-1] + interfaces[:, 1:]) / 2))


def _tracers(names: Sequence[str], variables: AirVariables, columns: Columns, interfaces: Array) -> Array:
    """Mixing ratios (tracer, cell, layer); 1 for the constant tracer, which is not read."""
    n, n_interfaces = interfaces.shape
    found = np.ones((len(names), n, n_interfaces - 1))
    for name, values in zip(names, found, strict=True):
        if n and name in variables.tracers:
            values[...] = columns.mixing_ratio(variables.tracers[name], interfaces)
    return found


def check_surface(source: Source, surface: Array, limits: tuple[float, float]) -> None:
    """Raises InputError if the surface pressure is outside the range that the model levels support."""
    low, high = limits
    bad = np.flatnonzero(~((surface > low) & (surface < high)))
    if len(bad):
        raise InputError(
            f"{source.path} gives a surface pressure of {surface[bad[0]]:g} Pa on the mesh, but the levels"
            f" support {low:g} to {high:g} Pa. Check the units of the file, or the option levels."
        )


_NOT_BY_MASS = ("mole_", "volume_")


def tracer_variables(source: Source, names: Iterable[str], levels: Levels) -> dict[str, Variable]:
    """The variables of a file, on its levels, for the tracers of a case except the constant one. Raises
    InputError if a variable is missing or is not a mixing ratio on these levels."""
    return {name: _tracer(source, name, levels) for name in names if name != CONSTANT_TRACER}


def _tracer(source: Source, name: str, levels: Levels) -> Variable:
    quantity = mixing_ratio(name)
    found = source.variable(quantity, levels)
    if found is None:
        raise InputError(_missing(source, quantity, name, levels))
    standard_name = str(found.data.attrs.get("standard_name", ""))
    if standard_name.startswith(_NOT_BY_MASS):
        raise InputError(
            f"{found.place} is a {standard_name}, but tracers are mixing ratios by mass. Convert it to kg"
            f" kg-1, with the standard_name of a mass fraction, or remove '{name}' from tracers."
        )
    return found


def _missing(source: Source, quantity: Quantity, name: str, levels: Levels) -> str:
    required = {levels.dimension, *source.grid.dimensions}
    variables = source.file.variables.items()
    for key, each in variables:
        if name in (key, each.attrs.get("standard_name")):
            missing = ", ".join(sorted(required - {*each.dims}))
            return (
                f"{source.path}: {key} ({', '.join(each.dims)}) lacks the dimensions {missing}, which the"
                f" tracer '{name}' needs. Correct the file, or remove '{name}' from tracers."
            )
    others = [
        key for key, each in variables if required <= {*each.dims} and short_unit(each) in quantity.units
    ]
    remedy = f"Name one of {', '.join(others)}" if others else "Add it to the file"
    return (
        f"{source.path} has no variable of the name or standard_name '{name}', which the option tracers"
        f" names. {remedy}, or leave '{name}' out of tracers."
    )
