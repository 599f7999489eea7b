"""The validation cases of each model, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from halcyon_validation.check import Outcome

MODULES = {
    "wave": ("wave_propagation", "wave_growth", "wave_envelope", "wave_hurricane"),
    "atmosphere": (
        "atmosphere_shallow_water",
        "atmosphere_semi_implicit",
        "atmosphere_air",
        "atmosphere_variable",
        "baroclinic_twin",
        "moist_air",
    ),
    "krylov": ("krylov_helmholtz",),
    "spectral": ("spectral", "semi_lagrangian"),
    "exascale": ("exascale",),
    "network": ("network",),
}


def cases_of(model: str, *, long: bool = False) -> dict[str, Callable[[], Outcome]]:
    """Returns the cases of a model in the order of their modules: if `long`, only the long ones (7 minutes
    to 4 hours each), else only the others."""
    modules = [importlib.import_module(f"halcyon_validation.{name}") for name in MODULES[model]]
    tables = [getattr(module, "LONG", {}) if long else module.CASES for module in modules]
    return {name: case for table in tables for name, case in table.items()}
