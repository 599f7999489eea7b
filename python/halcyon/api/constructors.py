"""`halcyon.wave`, `atmosphere` and `spectral`: simulations whose options are keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halcyon.api.options import case_options, docstring_of, signature_of
from halcyon.api.simulation import Simulation


def _constructor(model: str) -> Callable[..., Simulation]:
    def construct(**options: Any) -> Simulation:
        return Simulation(case_options(model, options))

    construct.__name__ = construct.__qualname__ = model
    construct.__doc__ = docstring_of(model)
    vars(construct)["__signature__"] = signature_of(model)
    return construct


wave, atmosphere, spectral = map(_constructor, ("wave", "atmosphere", "spectral"))
