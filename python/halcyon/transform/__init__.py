"""Spherical harmonics, and waves of a periodic plane: values on grids and their coefficients."""

from halcyon.transform.bifourier import Bifourier
from halcyon.transform.grid import Grid, Plane
from halcyon.transform.hiding import Hiding
from halcyon.transform.share import PlaneShare, Share
from halcyon.transform.transform import Transform
from halcyon.transform.tuning import Choice

__all__ = ["Bifourier", "Choice", "Grid", "Hiding", "Plane", "PlaneShare", "Share", "Transform"]
