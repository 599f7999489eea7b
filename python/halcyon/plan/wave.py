"""Performance model of the wave model, for `halcyon plan`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from halcyon.choices import names
from halcyon.plan.computation import REPETITIONS, ComputationCost
from halcyon.plan.model import Model
from halcyon.plan.probes.wave_cost import WaveSetup, measure_on_ranks

SCHEMES = {"upwind": 1, "second_order": 2}  # transport scheme: number of halo layers that it needs
PHYSICS = names("physics sets")


@dataclass(frozen=True, kw_only=True)
class WaveModel(Model):
    """The wave model: its benchmarked configuration (`sea`), numbers of spectral bins and of bytes per value,
    and time steps [s] of transport and of source terms. Each step of transport has one halo exchange."""

    TITLE = "the wave model"
    PARTS = ("transport", "sources")

    sea: WaveSetup = field(default_factory=WaveSetup)
    bins: int = 1260
    bytes_per_value: int = 4
    step_s: float = 60.0
    source_step_s: float = 1200.0

    @property
    def values_text(self) -> str:
        return f"{self.bins:,} bins"

    @property
    def steps_text(self) -> str:
        return f"{super().steps_text}, sources every {self.source_step_s:g} s"

    @property
    def cost_name(self) -> str:
        return f"wave_cost_{self.sea.scheme}_{self.sea.physics}_{self.sea.depth}"

    def cost_s(self, ranks: int, probe: int) -> dict[str, float]:
        cost_ns = measure_on_ranks(
            ranks, self.sea, mesh_level=probe, repetitions=REPETITIONS, independent_ranks=True
        )
        return {part: 1e-9 * cost_ns[part] for part in self.PARTS}

    def exchanged(self) -> dict[str, Any]:
        return {"bins": self.bins, "bytes_per_value": self.bytes_per_value}

    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        """Times [s] of a step of transport, and of the source terms averaged over steps of transport."""
        cells = self.patch(ranks)
        scaled_values = cells * self.bins / self.speed  # number of values over the relative core speed
        transport, sources = (scaled_values * cost.of(part, cells) for part in self.PARTS)
        return {"transport": transport, "sources": sources * self.step_s / self.source_step_s}

    def overlappable_s(self, cost: ComputationCost, ranks: int) -> float:
        return self.parts_s(cost, ranks)["transport"] * self.inner_share(ranks)
