"""The vertical axis of fields with levels in files: pressure surfaces, height surfaces or model levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon.io.attributes import quantity_attributes
from halcyon.mesh.cf_file import numbers

if TYPE_CHECKING:
    import xarray as xr


LEVEL = "level"  # vertical dimension in the models' tables of variables, for any vertical axis
SURFACE_PRESSURE = "surface_pressure"  # name of ps, a variable in the formula of model levels
BOUNDS = "bounds"  # dimension of size 2, and suffix of variables with bounds
_STORAGE_ATTRIBUTES = ("_FillValue", "checksum")
_REFERENCE_PRESSURE = 1e5  # [Pa] surface pressure for the values of `level`


@dataclass(frozen=True)
class AxisVariable:
    """A variable of an axis: its values, float64 (level) or (level, 2), and its netCDF attributes."""

    name: str
    values: np.ndarray
    attributes: dict[str, str]


@dataclass(frozen=True)
class VerticalAxis:
    """A vertical axis: the coordinate variable, which has the name of the dimension, and the auxiliary
    variables."""

    coordinate: AxisVariable
    others: tuple[AxisVariable, ...] = ()

    @property
    def name(self) -> str:
        """Name of the dimension."""
        return self.coordinate.name

    @property
    def size(self) -> int:
        return len(self.coordinate.values)

    @property
    def variables(self) -> tuple[AxisVariable, ...]:
        return self.coordinate, *self.others

    @property
    def required_variables(self) -> list[str]:
        """Names of the variables in the axis' formula that are not part of the axis, such as surface
        pressure."""
        axis_names = [variable.name for variable in self.variables]
        return [name for name in terms_of(self.coordinate.attributes).values() if name not in axis_names]

    def level_label(self, index: int) -> str:
        """Returns the name of a level for messages, such as `pressure 85000 Pa`."""
        units = self.coordinate.attributes.get("units", "")
        value = f"{self.coordinate.values[index]:.6g}"
        return f"{self.name} {value}" if units in ("", "1") else f"{self.name} {value} {units}"

    def same_as(self, other: VerticalAxis | None) -> bool:
        """Whether the other axis has the same names and values."""
        if other is None or [v.name for v in self.variables] != [v.name for v in other.variables]:
            return False
        pairs = zip(self.variables, other.variables, strict=True)
        return all(np.array_equal(a.values, b.values) for a, b in pairs)

    @property
    def has_bounds(self) -> bool:
        """Whether a variable needs the dimension `bounds` of size 2."""
        return any(variable.values.ndim == 2 for variable in self.variables)


def pressure_axis(values: ArrayLike) -> VerticalAxis:
    """Returns the axis of pressure surfaces [Pa] (level)."""
    return VerticalAxis(_coordinate("pressure", values, "air_pressure", "pressure", "Pa", "down"))


def height_axis(values: ArrayLike) -> VerticalAxis:
    """Returns the axis of surfaces of geopotential height [m] (level) above the mean radius."""
    return VerticalAxis(_coordinate("height", values, "altitude", "geopotential height", "m", "up"))


def model_axis(a: ArrayLike, b: ArrayLike) -> VerticalAxis:
    """Returns the axis of model levels between interfaces with the pressure p = a + b ps, from the top to the
    ground; a [Pa], b [1] (level + 1).

    It is the hybrid sigma pressure coordinate of CF-1.11, appendix D. Its variables `ap` and `b` are the
    means of a and b at the two interfaces of a level, and their bounds are the values at these interfaces.
    The coordinate `level` is p / ps for ps = 10^5 Pa."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    level_bounds, a_bounds, b_bounds = (
        _level_bounds(values) for values in (a / _REFERENCE_PRESSURE + b, a, b)
    )
    coordinate = _coordinate(
        *(
            "level",
            level_bounds.mean(axis=1),
            "atmosphere_hybrid_sigma_pressure_coordinate",
            "hybrid level",
            "1",
        ),
        positive="down",
        computed_standard_name="air_pressure",
        formula_terms=f"ap: ap b: b ps: {SURFACE_PRESSURE}",
        bounds=f"level_{BOUNDS}",
    )
    at_bounds = f"ap: ap_{BOUNDS} b: b_{BOUNDS} ps: {SURFACE_PRESSURE}"
    others = (
        AxisVariable(f"level_{BOUNDS}", level_bounds, {"formula_terms": at_bounds}),
        _term("ap", a_bounds, "pressure of levels where ps is 0", "Pa"),
        _term("b", b_bounds, "part of ps in the pressure of levels", "1"),
        AxisVariable(f"ap_{BOUNDS}", a_bounds, {}),
        AxisVariable(f"b_{BOUNDS}", b_bounds, {}),
    )
    return VerticalAxis(coordinate, others)


def numbered_axis(n_levels: int) -> VerticalAxis:
    """Returns the axis of model levels by number, 1 at the top, whose pressure is a variable of the file: in
    moist air it is no function of the surface pressure alone."""
    standard_name = "model_level_number"
    values = np.arange(1, n_levels + 1)
    comment = "The pressure of the levels is the variable pressure."
    return VerticalAxis(
        _coordinate("level", values, standard_name, "model level", "1", "down", comment=comment)
    )


def axis_of(file: xr.Dataset) -> VerticalAxis | None:
    """Returns the vertical axis of an open file, found by its attributes; None if it has none."""
    for name, variable in file.variables.items():
        if variable.dims == (name,) and (variable.attrs.get("axis") == "Z" or "positive" in variable.attrs):
            return VerticalAxis(
                _read(file, str(name)),
                tuple(_read(file, other) for other in _associated_variables(file, variable)),
            )
    return None


def terms_of(attributes: Mapping[Any, Any]) -> dict[str, str]:
    """Returns the attribute formula_terms as a dictionary: term to name of its variable."""
    words = str(attributes.get("formula_terms", "")).replace(":", " ").split()
    return dict(zip(words[::2], words[1::2], strict=False))


def _associated_variables(file: xr.Dataset, axis: xr.Variable) -> list[str]:
    """Returns the auxiliary variables of an axis: bounds, and formula terms of the axis and of its bounds."""
    bounds = axis.attrs.get("bounds", "")
    names = [bounds, *terms_of(axis.attrs).values()]
    if bounds in file.variables:
        names += terms_of(file[bounds].attrs).values()
    return [name for name in dict.fromkeys(names) if name in file and file[name].dims[:1] == axis.dims]


def _read(file: xr.Dataset, name: str) -> AxisVariable:
    attributes = {key: value for key, value in file[name].attrs.items() if key not in _STORAGE_ATTRIBUTES}
    return AxisVariable(name, numbers(file[name]), attributes)


def _term(name: str, bounds: np.ndarray, long_name: str, units: str) -> AxisVariable:
    attributes = {"long_name": long_name, "units": units, "bounds": f"{name}_{BOUNDS}"}
    return AxisVariable(name, bounds.mean(axis=1), attributes)


def _coordinate(
    name: str,
    values: ArrayLike,
    standard_name: str,
    long_name: str,
    units: str,
    positive: str,
    **more_attributes: str,
) -> AxisVariable:
    attributes = quantity_attributes(standard_name, long_name, units) | {"positive": positive, "axis": "Z"}
    return AxisVariable(name, np.array(values, float), attributes | more_attributes)


def _level_bounds(interfaces: np.ndarray) -> np.ndarray:
    """Returns the values at the upper and lower interface of each level, (level, 2)."""
    return np.stack([interfaces[:-1], interfaces[1:]], axis=1)
