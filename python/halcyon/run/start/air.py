"""The air of a file on the cells, edges and levels of a mesh, in hydrostatic balance.

Horizontally linear; ln(ps) is, rather than ps, since it is nearly linear in the height of the ground.
Temperature and wind are linear in ln(p) along a column, and the pressure at the ground follows from the
geopotential of the file's levels, or its own, by dphi = -R T d ln(p): also that on another ground than the
file's, which is the mean over a cell, or that of another file. Layers get means: of the temperature over
ln(p), by which they are as thick as the file's, of tracers over p, by which they have as much of them.
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
    ground_geopotential,
    levels_of,
    mixing_ratio,
)
from halcyon.run.start.source import Gathered, Source, Variable
from halcyon.run.start.target import Target, ground_of
from halcyon.wave.gridded import Quantity

Array = np.ndarray


@dataclass(frozen=True)
class AirVariables:
    """Those of a file; geopotential is that of levels, ground that of the ground; tracers by their names."""

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
        cls, source: Source, gravity: float, *, moves: bool = False, tracers: Sequence[str] = ()
    ) -> AirVariables:
        """moves: to another ground; tracers: those of the case. Raises InputError for what is missing, or not
        understood."""
        levels = levels_of(source.path, source.file, source.with_levels(TEMPERATURE))
        by_formula = None if levels.surface is None else source.named(levels.surface, SURFACE_PRESSURE)
        found = cls(
            levels,
            *(source.required(each, levels) for each in (TEMPERATURE, EASTWARD, NORTHWARD)),
            by_formula or source.variable(SURFACE_PRESSURE),
            source.variable(GEOPOTENTIAL, levels) if levels.kind == "pressure" else None,
            source.variable(ground_geopotential(gravity)),
            tracers_of(source, tracers, levels),
        )
        if found.surface is None and found.geopotential is None:
            other = ", or of the geopotential of its levels" if levels.kind == "pressure" else ""
            raise InputError(source.missing(SURFACE_PRESSURE, other))
        if moves and found.geopotential is None and found.ground is None:
            raise InputError(source.missing(ground_geopotential(gravity), ", on which its air stands"))
        return found


def air_of(
    source: Source,
    target: Target,
    gas_constant: float,
    gravity: float,
    ground: Array | None = None,
    tracers: Sequence[str] = (),
) -> dict[str, Array]:
    """What `Core.set_state` takes, of a source and the mesh and levels of a `Target`.

    ground: the geopotential [m2 s-2] (local cell) of the ground to stand on, by default the file's; tracers:
    those that the core carries, in its order. Raises InputError for what the file lacks or cannot be."""
    variables = AirVariables.of(source, gravity, moves=ground is not None, tracers=tracers)
    if ground is None and variables.ground is not None:
        ground = ground_of(source, variables.ground, target.outlines)
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
    """Columns of a file at points (n, 3): x = ln(p) of its levels (n, level), the `ground` geopotential (n),
    ln of the pressure there, `surface` (n), and the `temperatures`."""

    def __init__(
        self,
        source: Source,
        variables: AirVariables,
        points: Array,
        ground: Array | None,
        gas_constant: float,
        gravity: float,
    ) -> None:
        """ground: to stand on; None: as the file tells, or at height 0."""
        self._at = Gathered(source, points)
        self._variables = variables
        temperature = self._at.column(variables.temperature)
        theirs, known = (self._field(each) for each in (variables.ground, variables.surface))
        self.x = self._levels(temperature, theirs, known, gas_constant, gravity)
        self.temperatures = _core.SourceTemperatures(self.x, temperature, gas_constant, gravity)
        if variables.geopotential is None:
            at, phi = known, np.zeros(len(points)) if theirs is None else theirs
            self.ground = phi if ground is None else ground
        else:
            at, phi = self._nearest(theirs if ground is None else ground, known)
            self.ground = self._found(known, at, phi) if ground is None else ground
        self.surface = np.where(self.ground == phi, at, self.temperatures.log_pressure(self.ground, at, phi))

    def mixing_ratio(self, variable: Variable, interfaces: Array) -> Array:
        """Of a tracer (n, layer) between interfaces, ln(p) (n, interface), of the first columns."""
        n = len(interfaces)
        return _core.means_by_mass(self.x[:n], self._at.column(variable, bounded=True)[:n], interfaces)

    def _found(self, surface: Array | None, at: Array, phi: Array) -> Array:
        """The ground of a file that has the pressure there alone, or neither."""
        return np.zeros(len(phi)) if surface is None else self.temperatures.geopotential(surface, at, phi)

    def _field(self, variable: Variable | None) -> Array | None:
        if variable is None:
            return None
        return self._at.field(variable, np.log if variable.quantity is SURFACE_PRESSURE else None)

    def _levels(self, temperature, ground, surface, gas_constant: float, gravity: float) -> Array:
        levels = self._variables.levels
        if levels.kind == "height":
            below = np.zeros(len(temperature)) if ground is None else ground
            depth = gravity * levels.values - below[:, None]
            return _levels_of_heights(depth / gas_constant, temperature, surface, gas_constant, gravity)
        return level_logarithms(levels, len(temperature), surface)

    def _nearest(self, ground: Array | None, surface: Array | None) -> tuple[Array, Array]:
        """ln(p) and geopotential (n) of the level that is nearest to the ground, of those that have one."""
        phi = self._at.column(self._variables.geopotential)
        if ground is None and surface is not None:
            distance = np.abs(self.x - surface[:, None])
        else:
            distance = np.abs(phi - (0.0 if ground is None else ground[:, None]))
        nearest = np.argmin(np.where(np.isnan(phi), np.inf, distance), axis=1)[:, None]
        pick = [np.take_along_axis(each, nearest, axis=1)[:, 0] for each in (self.x, phi)]
        return np.ascontiguousarray(pick[0]), np.ascontiguousarray(pick[1])


def level_logarithms(levels: Levels, n: int, surface: Array | None) -> Array:
    """ln(p) (n, level) of levels of pressure, or of hybrid ones under ln(ps) (n)."""
    if levels.kind == "pressure":
        return np.ascontiguousarray(np.broadcast_to(np.log(levels.values), (n, levels.size)))
    a, b = levels.values
    return np.log(a + b * np.exp(surface)[:, None])


def _levels_of_heights(
    depth: Array, temperature: Array, surface: Array, gas_constant: float, gravity: float
) -> Array:
    """ln(p) (n, level) of levels of height, from ln(ps) upward by d ln(p) = -d(phi / R) / T with T linear in
    height, and as if it fell by the standard lapse rate below the lowest that has one.

    depth: phi / R above the ground [K] (n, level)"""
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
    source: Source, variables: AirVariables, target: Target, columns: Columns, surface: Array
) -> Array:
    """Across the edges (edge, level): linear in ln(p) between the levels of the file."""
    if not len(target.edge_points):
        return np.empty((0, target.n_levels))
    at = Gathered(source, target.edge_points)
    wind = at.across(variables.eastward, variables.northward, target.edge_normals)
    levels, (first, second) = variables.levels, target.cells_on_edge.T
    if levels.kind == "height":
        x = (columns.x[first] + columns.x[second]) / 2
    else:
        known = None if levels.kind == "pressure" else at.field(variables.surface, np.log)
        x = level_logarithms(levels, len(wind), known)
    between = target.interfaces((surface[first] + surface[second]) / 2)
    return _core.values_at(x, wind, np.log((between[:, :-1] + between[:, 1:]) / 2))


def _tracers(names: Sequence[str], variables: AirVariables, columns: Columns, interfaces: Array) -> Array:
    """Mixing ratios (tracer, cell, layer); 1 of what no file has to have."""
    n, n_interfaces = interfaces.shape
    found = np.ones((len(names), n, n_interfaces - 1))
    for name, values in zip(names, found, strict=True):
        if n and name in variables.tracers:
            values[...] = columns.mixing_ratio(variables.tracers[name], interfaces)
    return found


def check_surface(source: Source, surface: Array, limits: tuple[float, float]) -> None:
    """Raises InputError where the pressure at the ground is none that the levels of a model can stand on."""
    low, high = limits
    bad = np.flatnonzero(~((surface > low) & (surface < high)))
    if len(bad):
        raise InputError(
            f"{source.path} makes a pressure of {surface[bad[0]]:g} Pa at the ground of the mesh, but its"
            f" levels stand on {low:g} to {high:g} Pa. Look at the file's units, or at levels."
        )


_NOT_BY_MASS = ("mole_", "volume_")


def tracers_of(source: Source, names: Iterable[str], levels: Levels) -> dict[str, Variable]:
    """The variables of a file, on its levels, that the tracers of a case name; that which is 1 everywhere is
    none. Raises InputError where one is missing or is no mixing ratio on these levels."""
    return {name: _tracer(source, name, levels) for name in names if name != CONSTANT_TRACER}


def _tracer(source: Source, name: str, levels: Levels) -> Variable:
    quantity = mixing_ratio(name)
    found = source.variable(quantity, levels)
    if found is None:
        raise InputError(_missing(source, quantity, name, levels))
    standard_name = str(found.data.attrs.get("standard_name", ""))
    if standard_name.startswith(_NOT_BY_MASS):
        raise InputError(
            f"{found.place} is a {standard_name}, but tracers are mixing ratios by mass. Bring it to kg kg-1,"
            f" with a standard_name that says so, or leave '{name}' out of tracers."
        )
    return found


def _missing(source: Source, quantity: Quantity, name: str, levels: Levels) -> str:
    wanted = {levels.dimension, *source.places.dimensions}
    variables = source.file.variables.items()
    for own, each in variables:
        if name in (own, each.attrs.get("standard_name")):
            lacking = ", ".join(sorted(wanted - {*each.dims}))
            return (
                f"{source.path}: {own} ({', '.join(each.dims)}) lacks {lacking}, on which the tracer '{name}'"
                " must be. Mend the file, or leave it out of tracers."
            )
    others = [own for own, each in variables if wanted <= {*each.dims} and short_unit(each) in quantity.units]
    remedy = f"Name one of {', '.join(others)}" if others else "Add it to the file"
    return (
        f"{source.path} has no variable of the name or standard_name '{name}', which tracers name. {remedy},"
        f" or leave '{name}' out of tracers."
    )
