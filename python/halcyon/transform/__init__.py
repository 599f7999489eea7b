"""Spherical harmonics: values on Gaussian grids and their coefficients."""

from halcyon.transform.grid import Grid
from halcyon.transform.share import Share
from halcyon.transform.transform import Transform

__all__ = ["Grid", "Share", "Transform"]
