"""One level of a field that has many."""

import numpy as np

from halcyon.base import InputError
from halcyon.plot.cells import values_of

PREFERRED = 85000.0  # [Pa], of surfaces of pressure
_NEAR = 1e-4  # part by which a level that is asked for may be off: levels are told with five digits


def on_level(dataset, variable, at=None):
    """A variable (time, face) of an open file at one level, as an xarray array, and the level in words such
    as `pressure 85000 Pa`; None where the variable has no levels.

    at: the value of the vertical coordinate; by default 85000 Pa where that is a pressure, else the middle
    level. Raises InputError, which lists the levels, for another, and for a variable without levels."""
    field = values_of(dataset, variable)
    name = _axis(dataset, field)
    if name is None:
        if at is not None:
            raise InputError(f"--at {at:g}: {variable} has no levels. Leave it out.")
        return field, None
    axis = dataset[name]
    index = _preferred(axis)[0] if at is None else _index(axis, variable, at)
    units = axis.attrs.get("units", "")
    words = f"{name} {axis.values[index]:.5g}" + (f" {units}" if units not in ("", "1") else "")
    return field.isel({name: index}), words


def levels_by_preference(dataset, variable):
    """The levels of a variable, that of `on_level` first and then by their distance from it; None alone where
    it has none."""
    name = _axis(dataset, values_of(dataset, variable))
    return [None] if name is None else [float(dataset[name].values[i]) for i in _preferred(dataset[name])]


def _axis(dataset, field):
    """The vertical dimension of a field; None where it has none."""
    names = [name for name in field.dims if name in dataset.variables]
    return next((name for name in names if dataset[name].attrs.get("axis") == "Z"), None)


def _preferred(axis):
    if axis.attrs.get("standard_name") == "air_pressure":
        return np.argsort(abs(axis.values - PREFERRED), kind="stable")
    return np.argsort(abs(np.arange(axis.size) - axis.size // 2), kind="stable")


def _index(axis, variable, at):
    nearest = int(np.argmin(abs(axis.values - at)))
    value = float(axis.values[nearest])
    if abs(value - at) > _NEAR * max(abs(value), abs(at)):
        known = ", ".join(f"{value:.5g}" for value in axis.values)
        units = axis.attrs.get("units", "1")
        unit = "" if units == "1" else f" [{units}]"
        raise InputError(
            f"--at {at:g}: {variable} has no such level. Of {axis.name}{unit} there are {known}."
        )
    return nearest
