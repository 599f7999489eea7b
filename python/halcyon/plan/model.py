"""A model that is planned: its mesh, what a rank computes in a step, and which of it needs no halo."""

from __future__ import annotations

import math
from dataclasses import dataclass

from halcyon.plan.computation import Computation
from halcyon.simulate.mesh_volumes import boundary_cells

IMBALANCE = 1.03  # METIS' largest part over the mean


@dataclass(frozen=True)
class Model:
    """What is planned: cells, bins, bytes of a bin, halo layers, and steps [s] of transport and sources. One
    exchange goes with each step of transport. `speed`: of a core there over one here."""

    mesh: str
    cells: int
    bins: int = 1260
    bytes_per_value: int = 4
    layers: int = 2
    step_s: float = 60.0
    source_step_s: float = 1200.0
    cut: str = "estimate"
    speed: float = 1.0

    def computation_s(self, cost: Computation, ranks: int) -> tuple[float, float]:
        """Of the largest patch: a step of transport, and of the sources as they fall upon it."""
        cells = max(IMBALANCE * self.cells / ranks, math.ceil(self.cells / ranks))
        values = cells * self.bins / self.speed
        sources = values * cost.sources_s(cells) * self.step_s / self.source_step_s
        return values * cost.transport_s(cells), sources

    def inner_part(self, ranks: int) -> float:
        """Of a patch's cells, those that need no halo: all but as many of its own outermost layers."""
        cells = self.cells / ranks
        return 1 - boundary_cells(cells, self.layers) / cells
