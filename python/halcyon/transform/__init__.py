"""Spherical harmonics, and waves of a periodic plane: values on grids and their coefficients."""

from halcyon.transform.bifourier import Bifourier
from halcyon.transform.grid import Grid
from halcyon.transform.hiding import Hiding
from halcyon.transform.plane import Plane
from halcyon.transform.plane_share import PlaneShare
from halcyon.transform.share import Share
from halcyon.transform.transform import Transform
from halcyon.transform.tuning import Choice

__all__ = ["Bifourier", "Choice", "Grid", "Hiding", "Plane", "PlaneShare", "Share", "Transform"]
