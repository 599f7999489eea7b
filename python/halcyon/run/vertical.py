"""From the levels of a core to those of the fields files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halcyon.atmosphere import interpolate
from halcyon.config.atmosphere_levels import OnHeight, OnPressure
from halcyon.io.vertical_axis import LEVEL, height_axis, model_axis, pressure_axis

if TYPE_CHECKING:
    from halcyon.io.vertical_axis import VerticalAxis

PRESSURE, HEIGHT = "pressure", "geopotential_height"  # products that say where levels are


class Vertical:
    """Brings products of a core (owned cell, level) to the surfaces of `output.vertical`.

    variables: rows of the table that are written; axis: their vertical axis; products: names of what `values`
    needs. Interpolation is linear in ln p, or in height; where a surface is not between the highest and the
    lowest level of a cell, there is no value (NaN).
    """

    def __init__(
        self,
        variables: list[Any],
        wanted: OnPressure | OnHeight | Literal["model"],
        interfaces: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """wanted: output.vertical of a case; interfaces: a [Pa] and b (level + 1) of its levels."""
        self.variables, self._wanted = variables, wanted
        self.axis: VerticalAxis = _axis(wanted, interfaces)
        self._with_levels = {row.name for row in variables if LEVEL in row.dimensions}

    @property
    def products(self) -> list[str]:
        """Those of the variables, and that which says where levels are."""
        names = [row.name for row in self.variables]
        place = {OnPressure: PRESSURE, OnHeight: HEIGHT}.get(type(self._wanted))
        return [*dict.fromkeys([*names, place])] if place and self._with_levels else names

    def values(self, products: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The variables on the axis (owned cell, axis), and (owned cell) of those without levels.

        @param products float64 (owned cell, level) or (owned cell), by name: at least `products`
        """
        names = [row.name for row in self.variables]
        return {name: self._on_axis(products, name) for name in names}

    def _on_axis(self, products: Mapping[str, np.ndarray], name: str) -> np.ndarray:
        values = products[name]
        if name not in self._with_levels or self._wanted == "model":
            return values
        on_pressure = isinstance(self._wanted, OnPressure)
        coordinate = products[PRESSURE if on_pressure else HEIGHT]
        return interpolate(coordinate, values, self.axis.coordinate.values, logarithmic=on_pressure)


def _axis(wanted: OnPressure | OnHeight | Literal["model"], interfaces) -> VerticalAxis:
    if isinstance(wanted, OnPressure):
        return pressure_axis(wanted.pressure)
    return height_axis(wanted.height) if isinstance(wanted, OnHeight) else model_axis(*interfaces)
