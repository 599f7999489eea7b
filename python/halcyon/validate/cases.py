"""The validation cases of each model, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from halcyon.validate.check import Outcome

MODULES = {
    "wave": (
        "halcyon.validate.wave_propagation",
        "halcyon.validate.wave_growth",
        "halcyon.validate.wave_hurricane",
    ),
    "atmosphere": (
        "halcyon.validate.atmosphere_shallow_water",
        "halcyon.validate.atmosphere_semi_implicit",
        "halcyon.validate.atmosphere_air",
    ),
    "krylov": ("halcyon.validate.krylov_helmholtz",),
    "spectral": ("halcyon.validate.spectral",),
}


def cases_of(model: str, *, long: bool = False) -> dict[str, Callable[[], Outcome]]:
    """All cases of a model, in the order of their modules: those of minutes, or the long ones of hours."""
    modules = [importlib.import_module(name) for name in MODULES[model]]
    tables = [getattr(module, "LONG", {}) if long else module.CASES for module in modules]
    return {name: case for table in tables for name, case in table.items()}
