"""The validation cases of the wave model, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from halcyon.validate.check import Outcome

MODULES = (
    "halcyon.validate.wave_propagation",
    "halcyon.validate.wave_growth",
    "halcyon.validate.wave_hurricane",
)


def wave_cases() -> dict[str, Callable[[], Outcome]]:
    """All cases, in the order of their modules."""
    return {name: case for module in MODULES for name, case in importlib.import_module(module).CASES.items()}
