"""The values of variables of the table, as a model has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halcyon import wave

SURFACE = ("friction_velocity", "roughness_length", "eastward_stress", "northward_stress")


def values_of(
    model: wave.Model, names: Sequence[str], cells: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Variables by name, float32 (owned cell), or of some of these (int32): products are computed, together,
    and so is the state of the surface; all others are attributes of the model."""
    products = set(wave.product_names())
    found = model.products([name for name in names if name in products], cells)
    surface = model.surface(cells) if set(SURFACE) & {*names} else {}
    for name in names:
        if name in surface:
            found[name] = surface[name]
        elif name not in found:
            values = np.asarray(getattr(model, name))
            found[name] = values if cells is None else values[cells]
    return found
