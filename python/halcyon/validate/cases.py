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
    "atmosphere": ("halcyon.validate.atmosphere_shallow_water",),
}


def cases_of(model: str) -> dict[str, Callable[[], Outcome]]:
    """All cases of a model, in the order of their modules."""
    modules = map(importlib.import_module, MODULES[model])
    return {name: case for module in modules for name, case in module.CASES.items()}
