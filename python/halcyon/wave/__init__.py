"""The wave model: state and transport, source terms, initial seas and the bulk parameters of spectra."""

from halcyon._core.wave import (
    ConstantWind,
    Model,
    Physics,
    SpectralGrid,
    cfl_limit,
    exact_transfer,
    jonswap,
    physics_options,
    physics_sets,
    products,
    set_fetch_law,
    wave_variables,
    wavenumbers,
)
from halcyon.wave.physics import make_physics

__all__ = [
    "ConstantWind",
    "Model",
    "Physics",
    "SpectralGrid",
    "cfl_limit",
    "exact_transfer",
    "jonswap",
    "make_physics",
    "physics_options",
    "physics_sets",
    "products",
    "set_fetch_law",
    "wave_variables",
    "wavenumbers",
]
