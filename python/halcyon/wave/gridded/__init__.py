"""Gridded fields of other models at the cells of a mesh.

`catalogue` lists the records of the files, the `Interpolation` of a `Grid` interpolates in space and `Series`
in time. Kinds of grids: `Axes`, `Curvilinear`, `ReducedRows`, `Scattered`."""

from halcyon.deprecated import provide
from halcyon.wave.gridded.axes import Axes
from halcyon.wave.gridded.catalogue import Catalogue, Record, Series, catalogue, require_change, select_period
from halcyon.wave.gridded.curvilinear import Curvilinear
from halcyon.wave.gridded.grid import ComponentInterpolation, Grid, Interpolation, Window
from halcyon.wave.gridded.quantity import CURRENT, ICE, LEVEL, WIND, Quantity
from halcyon.wave.gridded.reduced_rows import ReducedRows
from halcyon.wave.gridded.scattered import Scattered

__all__ = [
    "CURRENT",
    "ICE",
    "LEVEL",
    "WIND",
    "Axes",
    "Catalogue",
    "ComponentInterpolation",
    "Curvilinear",
    "Grid",
    "Interpolation",
    "Quantity",
    "Record",
    "ReducedRows",
    "Scattered",
    "Series",
    "Window",
    "catalogue",
    "require_change",
    "select_period",
]

provide(__name__)
