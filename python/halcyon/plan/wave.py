"""The wave model, as it is planned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from halcyon.choices import names
from halcyon.plan.computation import REPETITIONS, Computation
from halcyon.plan.model import Model
from halcyon.plan.probes.wave_cost import Sea, on_ranks

SCHEMES = {"upwind": 1, "second_order": 2}  # and the halo layers that they need
PHYSICS = names("physics sets")


@dataclass(frozen=True, kw_only=True)
class WaveModel(Model):
    """Bins and their bytes, and steps [s] of transport and of the sources. One exchange goes with each step
    of transport."""

    TITLE = "the wave model"
    PARTS = ("transport", "sources")

    sea: Sea = field(default_factory=Sea)
    bins: int = 1260
    bytes_per_value: int = 4
    step_s: float = 60.0
    source_step_s: float = 1200.0

    @property
    def values(self) -> str:
        return f"{self.bins:,} bins"

    @property
    def steps(self) -> str:
        return f"{super().steps}, sources every {self.source_step_s:g} s"

    @property
    def cost_name(self) -> str:
        return f"wave_cost_{self.sea.scheme}_{self.sea.physics}_{self.sea.depth}"

    def cost_s(self, ranks: int, level: int) -> dict[str, float]:
        cost_ns = on_ranks(ranks, self.sea, level=level, repetitions=REPETITIONS, apart=True)
        return {part: 1e-9 * cost_ns[part] for part in self.PARTS}

    def exchanged(self) -> dict[str, Any]:
        return {"bins": self.bins, "bytes_per_value": self.bytes_per_value}

    def parts_s(self, cost: Computation, ranks: int) -> dict[str, float]:
        """A step of transport, and of the sources as they fall upon it."""
        cells = self.patch(ranks)
        values = cells * self.bins / self.speed
        transport, sources = (values * cost.of(part, cells) for part in self.PARTS)
        return {"transport": transport, "sources": sources * self.step_s / self.source_step_s}

    def early_s(self, cost: Computation, ranks: int) -> float:
        return self.parts_s(cost, ranks)["transport"] * self.inner_part(ranks)
