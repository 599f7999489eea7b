"""The wave model: state and transport, source terms, initial seas and the bulk parameters of spectra."""

from halcyon._core.wave import (
    ConstantWind,
    Model,
    Physics,
    SpectralGrid,
    cfl_limits,
    exact_transfer,
    jonswap,
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
from halcyon.wave.limits import cfl_limit
from halcyon.wave.physics import make_physics

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
