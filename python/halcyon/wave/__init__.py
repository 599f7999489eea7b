"""The wave model: spectra and their transport, source terms, initial seas and bulk parameters."""

from typing import Any

from halcyon._core.wave import (
    ConstantWind,
    Model,
    Physics,
    SpectralGrid,
    cfl_limits,
    exact_transfer,
    jonswap,
    make_physics,
    partitions,
    physics_options,
    physics_references,
    physics_sets,
    product_names,
    products,
    set_fetch_law,
    wave_variables,
    wavenumbers,
)
from halcyon.deprecated import provide
from halcyon.mesh import Mesh

__all__ = [
    "ConstantWind",
    "Model",
    "Physics",
    "SpectralGrid",
    "cfl_limit",
    "cfl_limits",
    "exact_transfer",
    "jonswap",
    "make_physics",
    "partitions",
    "physics_options",
    "physics_references",
    "physics_sets",
    "product_names",
    "products",
    "set_fetch_law",
    "wave_variables",
    "wavenumbers",
]


def cfl_limit(mesh: Mesh, grid: SpectralGrid, **options: Any) -> float:
    """Returns the longest transport step [s] that is stable at all frequencies; options as in
    `cfl_limits`."""
    return float(min(cfl_limits(mesh, grid, **options)))


provide(__name__)
