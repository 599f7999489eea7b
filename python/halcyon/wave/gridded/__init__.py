"""Fields of other models on longitudes and latitudes, from CF netCDF files, at the cells of a mesh.

`catalogue` finds what files hold; `Interpolation` takes it to places; `Series` gives it at any time of a run.
"""

from halcyon.wave.gridded.axes import Axes
from halcyon.wave.gridded.catalogue import Catalogue, Record, catalogue, serving
from halcyon.wave.gridded.interpolation import Interpolation, passes_of
from halcyon.wave.gridded.quantity import CURRENT, ICE, LEVEL, WIND, Quantity
from halcyon.wave.gridded.series import Series

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
