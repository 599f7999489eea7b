"""Performance model of the atmosphere, for `halcyon plan`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from halcyon.atmosphere import EQUATION_SETS, EquationSet
from halcyon.plan.computation import REPETITIONS, ComputationCost
from halcyon.plan.model import Model
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, measure_on_ranks
from halcyon.simulate.mesh_volumes import halo_cells

STABLE_FRACTION = 0.9  # fraction of the longest stable step, as for time.step: auto
GCR_BYTES, GCR_RADIX = 6 * 552, 32  # of an allreduce with three stored directions (docs/krylov.md)
TILE_BYTES = 160 << 10  # largest size of a field on one cache tile: AirOptions.tile_bytes


@dataclass(frozen=True, kw_only=True)
class AtmosphereModel(Model):
    """An equation set with a precision and number of levels. A step has three stages, each with one exchange
    of the state."""

    TITLE = "the atmosphere"
    PARTS: ClassVar[tuple[str, ...]] = (
        "sweeps",
    )  # key of the cost files; the computation of a step is not divided into parts
    EXCHANGES = 3

    air: AtmosphereSetup = field(default_factory=AtmosphereSetup)

    @property
    def _equation_set(self) -> EquationSet:
        return EQUATION_SETS[self.air.equations]

    @property
    def values_text(self) -> str:
        levels = f"{self.air.levels} level{'s' if self.air.levels > 1 else ''}"
        return f"{levels} ({self.air.equations.replace('_', ' ')}, {self.air.bits} bits)"

    @property
    def cost_name(self) -> str:
        return f"atmosphere_cost_{self.air.equations}_{self.air.levels}_{self.air.bits}"

    def cost_s(self, ranks: int, probe: int) -> dict[str, float]:
        cost_us = measure_on_ranks(
            ranks, self.air, mesh_level=probe, repetitions=REPETITIONS, independent_ranks=True
        )
        return {"sweeps": 1e-6 * cost_us["step"]}

    def exchanged(self) -> dict[str, Any]:
        """The exchanged state: fields on cells, and the wind on edges."""
        n_values = {"level": self.air.levels, "interface": self.air.levels + 1}  # by vertical dimension
        counts = {"cell": 0, "edge": 0}  # values per cell and per edge
        for variable in self._equation_set.variables:
            if variable.name in self._equation_set.state:
                item, *vertical = variable.dimensions
                counts[item] += n_values[vertical[0]] if vertical else 1
        return {"bins": counts["cell"], "edge_bins": counts["edge"], "bytes_per_value": self.air.bits // 8}

    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        return {"sweeps": self._cell_s(cost, ranks) * self._computed_cells(ranks)}

    def overlappable_s(self, cost: ComputationCost, ranks: int) -> float:
        return self._cell_s(cost, ranks) * min(
            self.patch(ranks) * self.inner_share(ranks), self._overlappable_cells(ranks)
        )

    def _overlappable_cells(self, ranks: int) -> float:
        """Limit, due to cache tiles (docs/atmosphere.md, "Tiles"), of the number of cells that a rank can
        compute during the halo exchange: the cells of tiles at least one tile width from the boundary of the
        patch, and the cells of one boundary tile that need no halo. Tiles and patches are taken as squares.
        Shallow water has no tiles, and a patch may be a single tile: then the limit is the whole patch."""
        cells, tile_cells = self.patch(ranks), TILE_BYTES / (self.air.bits / 8 * self.air.levels)
        if not self._equation_set.has_levels or cells < 1.5 * tile_cells:
            return cells
        cells_of_inner_tiles = max(0.0, math.sqrt(cells) - 2 * math.sqrt(tile_cells)) ** 2
        return cells_of_inner_tiles + tile_cells - self.layers * math.sqrt(tile_cells)

    def _cell_s(self, cost: ComputationCost, ranks: int) -> float:
        """Time [s] of a step for all levels of a cell, on a core of the planned machine."""
        return self.air.levels * cost.of("sweeps", self._computed_cells(ranks)) / self.speed

    def _computed_cells(self, ranks: int) -> float:
        """Number of cells of the largest patch, plus the work on halo cells as a number of cells."""
        cells = self.patch(ranks)
        return cells if ranks == 1 else cells + self._equation_set.halo_work * halo_cells(cells, 1)


@dataclass(frozen=True, kw_only=True)
class SemiImplicitModel(AtmosphereModel):
    """Shallow water in semi-implicit steps: three stages, each with exchanges of the state and the wind and
    a solution by GCR, whose iterations each have a halo of one value per cell and an allreduce
    (docs/atmosphere.md, docs/krylov.md). `iterations` per step, or None: as the probe counts."""

    TITLE = "semi-implicit shallow water"
    PARTS = ("sweeps", "iterations")
    WITHOUT = ("unwaited",)

    iterations: float | None = None

    @property
    def values_text(self) -> str:
        return f"{super().values_text}, semi-implicit"

    @property
    def cost_name(self) -> str:
        return f"{super().cost_name}_semi_implicit"

    @property
    def has_single_exchange(self) -> bool:
        return False

    def cost_s(self, ranks: int, probe: int) -> dict[str, float]:
        options: dict[str, Any] = {"mesh_level": probe, "repetitions": REPETITIONS, "independent_ranks": True}
        cost_us = measure_on_ranks(ranks, replace(self.air, semi_implicit=True), **options)
        return {"sweeps": 1e-6 * cost_us["step"], "iterations": cost_us["iterations"]}

    def exchanges(self, ranks: int, cost: ComputationCost | None) -> dict[str, dict[str, Any]]:
        wind = self.mesh_halo(bins=0, edge_bins=1, bytes_per_value=self.air.bits // 8)
        surface = self.mesh_halo(bins=1, bytes_per_value=8, layers=1)
        reduction = {"type": "allreduce", "data_bytes": GCR_BYTES, "radix": GCR_RADIX}
        return {**super().exchanges(ranks, cost), "wind": wind, "surface": surface, "reduction": reduction}

    def exchange_counts(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        """Each solution also computes the first residual, exchanges its result, and has two more reductions;
        the fastest wave is found by two reductions per step."""
        given = self.iterations
        iterations = cost.of("iterations", self.cells) if given is None else given
        stages = self.EXCHANGES
        counts = {"halo": stages, "wind": stages, "surface": iterations + 2 * stages}
        return counts | {"reduction": iterations + 2 * stages + 2}


def longest_step(equations: str, mesh_level: int) -> float:
    """Returns a time step [s], in whole seconds, close to that of `time.step: auto` on G<mesh_level>."""
    step_s = STABLE_FRACTION * EQUATION_SETS[equations].longest_step_s / 2**mesh_level
    return float(math.floor(step_s))
