"""Spectral transforms between grid-point values and coefficients: spherical harmonics, and waves of a
periodic plane."""

from halcyon.deprecated import provide
from halcyon.transform.bifourier import Bifourier
from halcyon.transform.grid import Grid, Plane
from halcyon.transform.hiding import Hiding
from halcyon.transform.share import PlaneShare, Share
from halcyon.transform.transform import Transform
from halcyon.transform.tuning import ExchangeSettings

__all__ = ["Bifourier", "ExchangeSettings", "Grid", "Hiding", "Plane", "PlaneShare", "Share", "Transform"]

provide(__name__)
