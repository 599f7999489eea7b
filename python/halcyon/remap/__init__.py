"""Conservative remapping of fields on polygons to the boxes of a latitude-longitude grid."""

from halcyon.remap.conservative import Conservative
from halcyon.remap.faces import Faces
from halcyon.remap.grid import LatLonGrid, grid_around, regular_grid, suitable_resolution

__all__ = [
    "Conservative",
    "Faces",
    "LatLonGrid",
    "grid_around",
    "regular_grid",
    "suitable_resolution",
]
