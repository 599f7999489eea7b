"""The atmosphere, as it is planned."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from halcyon.atmosphere import EQUATION_SETS, EquationSet
from halcyon.plan.computation import REPETITIONS, Computation
from halcyon.plan.model import Model
from halcyon.plan.probes.atmosphere_cost import Air, on_ranks
from halcyon.simulate.mesh_volumes import halo_cells

STABLE = 0.9  # of the longest, as time.step: auto takes
TILE_BYTES = 160 << 10  # of a field, in a tile of a rank that is computed at once: AirOptions.tile_bytes


@dataclass(frozen=True, kw_only=True)
class AtmosphereModel(Model):
    """A set of equations with bits and levels, three stages a step, and one exchange of its state in each."""

    TITLE = "the atmosphere"
    PARTS = ("sweeps",)
    EXCHANGES = 3

    air: Air = field(default_factory=Air)

    @property
    def _set(self) -> EquationSet:
        return EQUATION_SETS[self.air.equations]

    @property
    def values(self) -> str:
        levels = f"{self.air.levels} level{'s' if self.air.levels > 1 else ''}"
        return f"{levels} ({self.air.equations.replace('_', ' ')}, {self.air.bits} bits)"

    @property
    def cost_name(self) -> str:
        return f"atmosphere_cost_{self.air.equations}_{self.air.levels}_{self.air.bits}"

    def cost_s(self, ranks: int, level: int) -> dict[str, float]:
        found = on_ranks(ranks, self.air, level=level, repetitions=REPETITIONS, apart=True)
        return {"sweeps": 1e-6 * found["step"]}

    def exchanged(self) -> dict[str, Any]:
        """Of the state: fields of cells, and the wind on edges."""
        sizes = {"level": self.air.levels, "interface": self.air.levels + 1}
        counts = {"cell": 0, "edge": 0}
        for row in self._set.variables:
            if row.name in self._set.state:
                item, *along = row.dimensions
                counts[item] += sizes[along[0]] if along else 1
        return {
            "bins": counts["cell"],
            "edge_bins": counts["edge"],
            "bytes_per_value": self.air.bits // 8,
        }

    def parts_s(self, cost: Computation, ranks: int) -> dict[str, float]:
        return {"sweeps": self._cell_s(cost, ranks) * self._computed(ranks)}

    def early_s(self, cost: Computation, ranks: int) -> float:
        return self._cell_s(cost, ranks) * min(self.patch(ranks) * self.inner_part(ranks), self._early(ranks))

    def _early(self, ranks: int) -> float:
        """Cells that the air computes while its halo travels, of a rank that it computes by tiles which
        stay in the cache (docs/atmosphere.md, "Tiles"): tiles that lie a tile's width from the rank's
        edge, and of one at the edge what needs no halo. Shallow water, and ranks of one tile, compute all
        that can be."""
        cells, tile = self.patch(ranks), TILE_BYTES / (self.air.bits / 8 * self.air.levels)
        if not self._set.has_levels or cells < 1.5 * tile:
            return cells
        inside = max(0.0, math.sqrt(cells) - 2 * math.sqrt(tile)) ** 2
        return inside + tile - self.layers * math.sqrt(tile)

    def _cell_s(self, cost: Computation, ranks: int) -> float:
        return self.air.levels * cost.of("sweeps", self._computed(ranks)) / self.speed

    def _computed(self, ranks: int) -> float:
        """Cells of the largest patch, and of the halo what is computed on both sides."""
        cells = self.patch(ranks)
        return cells + self._set.halo_work * halo_cells(cells, 1)


def longest_step(equations: str, level: int) -> float:
    """The step [s] that `time.step: auto` is near to on G<level>: whole seconds where it has any."""
    step_s = STABLE * EQUATION_SETS[equations].longest_step_s / 2**level
    return float(math.floor(step_s))
