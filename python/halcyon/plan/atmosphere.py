"""Performance model of the atmosphere, for `halcyon plan`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from halcyon.atmosphere import EQUATION_SETS, EquationSet
from halcyon.plan.computation import REPETITIONS, ComputationCost
from halcyon.plan.model import Model
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, on_ranks
from halcyon.simulate.mesh_volumes import halo_cells

STABLE_FRACTION = 0.9  # fraction of the longest stable step, as for time.step: auto
TILE_BYTES = 160 << 10  # size of a field in a cache tile of a rank: AirOptions.tile_bytes


@dataclass(frozen=True, kw_only=True)
class AtmosphereModel(Model):
    """An equation set with a precision and number of levels. A step has three stages, each with one exchange
    of the state."""

    TITLE = "the atmosphere"
    PARTS = ("sweeps",)
    EXCHANGES = 3

    air: AtmosphereSetup = field(default_factory=AtmosphereSetup)

    @property
    def _equation_set(self) -> EquationSet:
        return EQUATION_SETS[self.air.equations]

    @property
    def values(self) -> str:
        levels = f"{self.air.levels} level{'s' if self.air.levels > 1 else ''}"
        return f"{levels} ({self.air.equations.replace('_', ' ')}, {self.air.bits} bits)"

    @property
    def cost_name(self) -> str:
        return f"atmosphere_cost_{self.air.equations}_{self.air.levels}_{self.air.bits}"

    def cost_s(self, ranks: int, level: int) -> dict[str, float]:
        cost = on_ranks(ranks, self.air, level=level, repetitions=REPETITIONS, independent=True)
        return {"sweeps": 1e-6 * cost["step"]}

    def exchanged(self) -> dict[str, Any]:
        """The exchanged state: fields on cells, and the wind on edges."""
        n_values = {"level": self.air.levels, "interface": self.air.levels + 1}
        counts = {"cell": 0, "edge": 0}
        for row in self._equation_set.variables:
            if row.name in self._equation_set.state:
                item, *vertical = row.dimensions
                counts[item] += n_values[vertical[0]] if vertical else 1
        return {"bins": counts["cell"], "edge_bins": counts["edge"], "bytes_per_value": self.air.bits // 8}

    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        return {"sweeps": self._cell_s(cost, ranks) * self._computed_cells(ranks)}

    def overlappable_s(self, cost: ComputationCost, ranks: int) -> float:
        return self._cell_s(cost, ranks) * min(
            self.patch(ranks) * self.inner_part(ranks), self._overlappable_cells(ranks)
        )

    def _overlappable_cells(self, ranks: int) -> float:
        """Cells that a rank can compute during the halo exchange. A rank computes by tiles that fit into the
        cache (docs/atmosphere.md, "Tiles"). It can compute the tiles at least one tile width from its
        boundary, and the part of one boundary tile that needs no halo. Shallow water, and ranks with a single
        tile, can compute all inner cells."""
        cells, tile = self.patch(ranks), TILE_BYTES / (self.air.bits / 8 * self.air.levels)
        if not self._equation_set.has_levels or cells < 1.5 * tile:
            return cells
        inner_cells = max(0.0, math.sqrt(cells) - 2 * math.sqrt(tile)) ** 2
        return inner_cells + tile - self.layers * math.sqrt(tile)

    def _cell_s(self, cost: ComputationCost, ranks: int) -> float:
        return self.air.levels * cost.of("sweeps", self._computed_cells(ranks)) / self.speed

    def _computed_cells(self, ranks: int) -> float:
        """Cells of the largest patch, and the halo cells that are computed redundantly."""
        cells = self.patch(ranks)
        return cells + self._equation_set.halo_work * halo_cells(cells, 1)


def longest_step(equations: str, level: int) -> float:
    """Returns a step [s] close to the one that `time.step: auto` chooses on G<level>, in whole seconds."""
    step_s = STABLE_FRACTION * EQUATION_SETS[equations].longest_step_s / 2**level
    return float(math.floor(step_s))
