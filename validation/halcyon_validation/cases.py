"""The validation cases of each model, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from halcyon_validation.check import Outcome

MODULES = {
    "wave": (
        "halcyon_validation.wave_propagation",
        "halcyon_validation.wave_growth",
        "halcyon_validation.wave_hurricane",
    ),
    "atmosphere": (
        "halcyon_validation.atmosphere_shallow_water",
        "halcyon_validation.atmosphere_semi_implicit",
        "halcyon_validation.atmosphere_air",
    ),
    "krylov": ("halcyon_validation.krylov_helmholtz",),
    "spectral": ("halcyon_validation.spectral",),
}


def cases_of(model: str, *, long: bool = False) -> dict[str, Callable[[], Outcome]]:
    """All cases of a model, in the order of their modules: those of minutes, or the long ones of hours."""
    modules = [importlib.import_module(name) for name in MODULES[model]]
    tables = [getattr(module, "LONG", {}) if long else module.CASES for module in modules]
    return {name: case for table in tables for name, case in table.items()}
