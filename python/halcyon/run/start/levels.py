"""The levels of a file: on surfaces of pressure or of height, or hybrid ones of another model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from halcyon.base import InputError
from halcyon.io.vertical_axis import terms_of
from halcyon.mesh.cf_file import numbers, plain_unit
from halcyon.run.start.quantities import PRESSURE_LEVELS

_HYBRID = "atmosphere_hybrid_sigma_pressure_coordinate"


@dataclass(frozen=True)
class Levels:
    """Levels from the top down. order: their indices in the file; values: pressures [Pa] or heights [m]
    (level), or of hybrid the coefficients of p = a + b ps, a [Pa] and b (2, level), and `surface`, the
    variable that is ps by the formula."""

    dimension: str
    kind: Literal["pressure", "height", "hybrid"]
    order: np.ndarray
    values: np.ndarray
    surface: str | None = None

    @property
    def size(self) -> int:
        return len(self.order)


def levels_of(path: str, file: Any, variable: Any) -> Levels:
    """Those of a variable of a file. Raises InputError where it has none that is understood."""
    for axis in (file[name] for name in variable.dims if name in file.variables):
        if axis.attrs.get("standard_name") == _HYBRID or "formula_terms" in axis.attrs:
            return _hybrid(path, file, axis)
        if plain_unit(axis) in PRESSURE_LEVELS.units:
            values = PRESSURE_LEVELS.units[plain_unit(axis)] * _numbers(path, axis)
            return _sorted(path, axis, "pressure", values, values)
        if _is_height(axis):
            values = _numbers(path, axis)
            return _sorted(path, axis, "height", -values, values)
    raise InputError(
        f"{path}: {variable.name} ({', '.join(variable.dims)}) has no levels that are known: none of"
        " pressure [Pa or hPa], of height [m], or hybrid ones with formula_terms. Give a file on levels of"
        " pressure."
    )


def _is_height(axis: Any) -> bool:
    named = axis.attrs.get("standard_name") in ("altitude", "height", "geopotential_height")
    return (named or axis.attrs.get("positive") == "up") and plain_unit(axis) == "m"


def _hybrid(path: str, file: Any, axis: Any) -> Levels:
    terms = terms_of(axis)
    missing = [name for name in terms.values() if name not in file.variables]
    if not {"b", "ps"} <= terms.keys() or not ("ap" in terms or {"a", "p0"} <= terms.keys()) or missing:
        absent = (
            f"the variables {', '.join(missing)}" if missing else "formula_terms with ap (or a, p0), b, ps"
        )
        raise InputError(
            f"{path}: the levels {axis.name} lack {absent}."
            " Add them (CF conventions, appendix D), or bring the file to levels of pressure."
        )
    if "ap" in terms:
        a = _numbers(path, file[terms["ap"]])
    else:
        a = _numbers(path, file[terms["a"]]) * float(file[terms["p0"]])
    b = _numbers(path, file[terms["b"]])
    return _sorted(path, axis, "hybrid", a + b * 1e5, np.stack([a, b]), terms["ps"])


def _sorted(path, axis, kind, key, values, surface=None) -> Levels:
    order = np.argsort(key)
    if len(order) < 2 or not np.all(np.diff(key[order]) > 0):
        raise InputError(
            f"{path}: the levels {axis.name} are fewer than two, or two are the same. Give more of them."
        )
    if kind == "pressure" and not key.min() > 0:
        raise InputError(f"{path}: the levels {axis.name} have the pressure {key.min():g} Pa. Leave it out.")
    return Levels(axis.name, kind, order, values[..., order], surface)


def _numbers(path: str, variable: Any) -> np.ndarray:
    values = numbers(variable)
    if not np.isfinite(values).all():
        raise InputError(f"{path}: {variable.name} lacks a number. Mend the file.")
    return values
