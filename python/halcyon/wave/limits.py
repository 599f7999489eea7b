"""How long a step of transport may be."""

from __future__ import annotations

from typing import Any

from halcyon._core.wave import SpectralGrid, cfl_limits
from halcyon.mesh import Mesh


def cfl_limit(mesh: Mesh, grid: SpectralGrid, **options: Any) -> float:
    """The longest step of transport [s] that is stable for all frequencies; options as of `cfl_limits`."""
    return float(min(cfl_limits(mesh, grid, **options)))
