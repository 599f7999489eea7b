"""Gridded fields of other models on longitudes and latitudes, from CF netCDF files, at the cells of a mesh.

`catalogue` lists the records of the files, `Interpolation` interpolates in space and `Series` in time."""

from halcyon.deprecated import provide
from halcyon.wave.gridded.catalogue import Catalogue, Record, Series, catalogue, select_period
from halcyon.wave.gridded.interpolation import Axes, Interpolation, fill_passes
from halcyon.wave.gridded.quantity import CURRENT, ICE, LEVEL, WIND, Quantity

__all__ = [
    "CURRENT",
    "ICE",
    "LEVEL",
    "WIND",
    "Axes",
    "Catalogue",
    "Interpolation",
    "Quantity",
    "Record",
    "Series",
    "catalogue",
    "fill_passes",
    "select_period",
]

provide(__name__)
