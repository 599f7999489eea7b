"""Fields of other models on longitudes and latitudes, from CF netCDF files, at the cells of a mesh.

`catalogue` finds what files hold; `Interpolation` takes it to places; `Series` gives it at any time of a run.
"""

from halcyon.wave.gridded.catalogue import Catalogue, Record, Series, catalogue, serving
from halcyon.wave.gridded.interpolation import Axes, Interpolation, passes_of
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
    "passes_of",
    "serving",
]
