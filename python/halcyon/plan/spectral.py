"""Performance model of the spectral primitive equations, for `halcyon plan`."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from halcyon import spectral
from halcyon.base import ConfigError
from halcyon.config.spectral import Gaussian
from halcyon.config.yaml_source import errors_at
from halcyon.plan.computation import REPETITIONS, ComputationCost
from halcyon.plan.model import Model
from halcyon.plan.probes.spectral_cost import (
    FIELDS,
    JET,
    SpectralSetup,
    measure_on_ranks,
    solver_transforms,
    transform_work,
)
from halcyon.semi_lagrangian import width_for
from halcyon.simulate.spectral_exchanges import gaussian_grid, sphere_sets

ADVECTIONS = {"eulerian": "semi_implicit", "semi_lagrangian": "semi_lagrangian"}  # advection: time scheme
SAFETY = 0.9  # fraction of the longest step, as for time.step: auto
DEFORMATION = 1e-4  # assumed |vorticity| + |divergence| [s-1]
GRID_LENGTHS = 3  # half wavelengths that the strongest wind travels in a semi-Lagrangian step
GROUPS = 3  # groups of fields in the pipeline of a transform, if the V set has as many
SPECTRA = {"eulerian": 3 + 4, "semi_lagrangian": 3 + 3}  # of the fields in transforms, arrays of coefficients
REDUCTIONS = {"eulerian": 1, "semi_lagrangian": 4}  # of failures; of the strongest wind and the mass
REDUCED_BYTES = 552  # an exact sum
GCR_SUMS = 5  # per iteration: <r, r>, <r, w>, <w, w> and those with two kept directions
HALO_FIELDS = 3 + 4  # velocity, and {..}_D of wind, temperature and pressure (docs/spectral.md)
STRIPE_ROWS = 8
TOLERANCE = 1.05  # of the balance of V x W sets


@dataclass(frozen=True, kw_only=True)
class SpectralModel(Model):
    """Primitive equations with truncation T on a Gaussian grid of a type. `cells` is the number of grid
    points; ranks form balanced V x W sets with small halos (`sets`)."""

    TITLE = "the spectral model"
    PARTS: ClassVar[tuple[str, ...]] = ("legendre", "fourier", "columns")
    PROBES = (21, 42, 85)  # truncations
    WITHOUT = ("collective", "unwaited")

    setup: SpectralSetup = field(default_factory=SpectralSetup)
    truncation: int
    grid: str = "octahedral"
    advection: str = "semi_lagrangian"
    cut: str = "sets"

    @property
    def values_text(self) -> str:
        levels = f"{self.setup.levels} level{'s' if self.setup.levels > 1 else ''}"
        return f"{levels} (primitive equations, {self.advection.replace('_', '-')}, {self.setup.bits} bits)"

    @property
    def description(self) -> str:
        halo = f", halo of {self.width} points" if self.advection == "semi_lagrangian" else ""
        return f"{self.mesh}: {self.cells:,} points of {self.values_text}{halo}, {self.steps_text}"

    @property
    def has_single_exchange(self) -> bool:
        return False

    @property
    def width(self) -> int:
        """Width of the wide halo [points] for the wind of automatic steps."""
        return width_for(gaussian_grid(self.truncation, self.grid), JET, self.step_s)

    @property
    def cost_name(self) -> str:
        bits = "" if self.setup.bits == 64 else f"_{self.setup.bits}_bits"
        return f"spectral_cost_{self.setup.scheme}_{self.setup.levels}{bits}"

    def probe_cells(self, probe: int) -> int:
        return gaussian_grid(probe, "octahedral").core.n_points

    def cost_s(self, ranks: int, probe: int) -> dict[str, float]:
        return measure_on_ranks(ranks, self.setup, truncation=probe, repetitions=REPETITIONS)

    def exchanged(self) -> dict[str, Any]:
        raise NotImplementedError  # `exchanges` is redefined

    def exchanges(self, ranks: int, cost: ComputationCost | None) -> dict[str, dict[str, Any]]:
        if ranks == 1:
            return {}
        v, w = self.sets(ranks, cost)
        work = {"type": "spectral", "truncation": self.truncation, "grid": self.grid, "sets": [v, w]}
        work |= {"order": "at_once", "precision": self.setup.bits}
        transform = work | {"fields": self.setup.levels}
        found = {
            "transform": transform | {"exchange": "transform"},
            "part": transform | {"exchange": "part"},
            "reduction": {"type": "allreduce", "data_bytes": REDUCED_BYTES, "radix": 32},
        }
        if self.advection == "semi_lagrangian":
            halo_values = HALO_FIELDS * self.setup.levels
            found["halo"] = work | {"exchange": "halo", "fields": halo_values, "width": self.width}
            found["surface"] = transform | {"exchange": "transform", "fields": 1}
            if v > 1:
                found["modes"] = transform | {"exchange": "modes"}
        return found

    def exchange_counts(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        n_spectra = SPECTRA[self.advection]
        # A halo is simulated with the values of both exchanges; the mass fixer synthesises the surface.
        counts: dict[str, float] = {"transform": n_spectra, "part": FIELDS[self.setup.scheme] - n_spectra}
        counts["reduction"] = REDUCTIONS[self.advection]
        return counts | {"halo": 1, "surface": 1, "modes": 2}

    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        work = self.largest_work(self.sets(ranks, cost))
        return dict(
            zip(
                SpectralModel.PARTS,
                (n * s for n, s in zip(work, self._unit_s(cost, ranks), strict=True)),
                strict=True,
            )
        )

    def _unit_s(self, cost: ComputationCost, ranks: int) -> tuple[float, ...]:
        """Time [s] of a unit of work of each part on a core of the planned machine. Transforms have the whole
        grid's, columns the patch's cost."""
        cells = {"columns": self.cells / ranks}
        return tuple(cost.of(part, cells.get(part, self.cells)) / self.speed for part in SpectralModel.PARTS)

    def overlappable_s(self, cost: ComputationCost, ranks: int) -> float:
        """Transforms of all groups of fields but one: during its transposition nothing is computed."""
        parts = self.parts_s(cost, ranks)
        return self._pipelined_share(cost, ranks) * (parts["legendre"] + parts["fourier"])

    def hidden_s(self, cost: ComputationCost, ranks: int, exchanged_s: Mapping[str, float]) -> float:
        transposed_s = exchanged_s.get("transform", 0.0) + exchanged_s.get("part", 0.0)
        return min(self._pipelined_share(cost, ranks) * transposed_s, self.overlappable_s(cost, ranks))

    def _pipelined_share(self, cost: ComputationCost, ranks: int) -> float:
        groups = min(GROUPS, math.ceil(self.setup.levels / self.sets(ranks, cost)[0]))
        return 1 - 1 / groups

    def details(self, cost: ComputationCost, ranks: int) -> dict[str, Any]:
        return {"sets": list(self.sets(ranks, cost))}

    def sets(self, ranks: int, cost: ComputationCost | None) -> tuple[int, int]:
        """The V and W with the smallest halo, of those whose computation of a step takes at most `TOLERANCE`
        times the shortest. Without costs, the parts of the computation count equally.

        Raises ConfigError if no sets fit."""
        if cost is None:
            totals = (*transform_work(self.truncation, self._row_lengths), self.cells)
            return best_sets(self, ranks, tuple(1 / total for total in totals))
        return best_sets(self, ranks, self._unit_s(cost, ranks))

    def largest_work(self, sets: tuple[int, int]) -> tuple[float, float, float]:
        """The largest work of a rank on all levels: of Legendre sums and Fourier transforms
        (`transform_work`), and the number of values of columns."""
        shares, lengths = sphere_sets(self.truncation, self.grid, sets), self._row_lengths
        n_fields = math.ceil(self.setup.levels / sets[0])
        fourier = np.bincount(shares.w_of_row, lengths * np.log2(lengths)).max()
        legendre = float(shares.coefficients.max()) * len(lengths)
        return n_fields * legendre, n_fields * float(fourier), self.setup.levels * shares.max_points

    @property
    def _row_lengths(self) -> np.ndarray:
        return gaussian_grid(self.truncation, self.grid).row_lengths

    def halo_area(self, sets: tuple[int, int]) -> float:
        """Number of points in the halo and the patch of a rank at the equator, in one hemisphere."""
        v, w = sets
        rows = len(self._row_lengths) / (2 * w) + 2 * self.width
        return rows * (self._row_lengths.max() / v + 2 * self.width)


@dataclass(frozen=True, kw_only=True)
class GcrSpectralModel(SpectralModel):
    """The semi-Lagrangian model with the solver gcr, on the grid."""

    PARTS = (*SpectralModel.PARTS, "iteration")

    @property
    def values_text(self) -> str:
        return f"{super().values_text}, gcr with {self.iterations} iterations"

    @property
    def cost_name(self) -> str:
        return f"{super().cost_name}_gcr"

    @property
    def iterations(self) -> int:
        """Iterations per step: the residual begins with `alpha f` and falls by `rate` in each, with half the
        step as alpha and the largest f (docs/spectral.md)."""
        alpha_f = self.step_s * spectral.Planet().rotation
        rate = alpha_f / (1 + math.sqrt(1 + alpha_f**2))
        return max(math.ceil(math.log(self.setup.tolerance / alpha_f) / math.log(rate)), 1)

    def exchanges(self, ranks: int, cost: ComputationCost | None) -> dict[str, dict[str, Any]]:
        found = super().exchanges(ranks, cost)
        found.pop("modes", None)
        sums = {"type": "allreduce", "data_bytes": GCR_SUMS * REDUCED_BYTES, "radix": 32}
        return found | ({"sums": sums} if ranks > 1 else {})

    def exchange_counts(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        counts = super().exchange_counts(cost, ranks)
        counts["transform"] += solver_transforms(self.iterations)
        return counts | {"sums": self.iterations + 2}

    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        parts = super().parts_s(cost, ranks)
        transforms = 1 + solver_transforms(self.iterations) / FIELDS[self.setup.scheme]
        parts |= {name: transforms * parts[name] for name in ("legendre", "fourier")}
        _, _, n_values = self.largest_work(self.sets(ranks, cost))
        unit_s = cost.of("iteration", self.cells / ranks) / self.speed
        return parts | {"iteration": self.iterations * n_values * unit_s}


@functools.lru_cache(maxsize=256)
def best_sets(model: SpectralModel, ranks: int, unit_s: tuple[float, ...]) -> tuple[int, int]:
    """`SpectralModel.sets` for costs of a unit of work of each part."""
    n_rows = gaussian_grid(model.truncation, model.grid).core.n_rows
    max_w = min(math.ceil(n_rows / STRIPE_ROWS), model.truncation + 1)
    loads_s: dict[tuple[int, int], float] = {}
    for w in range(min(max_w, ranks), 0, -1):
        sets = ranks // w, w
        with contextlib.suppress(ConfigError):  # more V sets than points in rows
            if ranks % w == 0:
                loads_s[sets] = float(np.dot(model.largest_work(sets), unit_s))
    if not loads_s:
        with errors_at("ranks"):
            raise ConfigError(
                f"--ranks {ranks}: no V x W sets of T{model.truncation} have {ranks} ranks. W is at most "
                f"{max_w}, and V at most the number of points of rows near the poles. Give another number."
            )
    limit_s = TOLERANCE * min(loads_s.values())
    return min((sets for sets in loads_s if loads_s[sets] <= limit_s), key=model.halo_area)


def longest_step(truncation: int, advection: str) -> float:
    """The time step [s], in whole seconds, of `time.step: auto` (docs/spectral.md) with winds of `JET` and
    `DEFORMATION`."""
    planet = spectral.Planet()
    if advection == "semi_lagrangian":
        half_wavelength_m = math.pi * planet.radius / truncation
        crossing_s = 2 / (DEFORMATION + 2 * planet.rotation)  # trajectories do not cross
        limit_s = min(GRID_LENGTHS * half_wavelength_m / JET, crossing_s)
    else:
        wavenumber = math.sqrt(truncation * (truncation + 1)) / planet.radius
        limit_s = 1 / (JET * wavenumber + 2 * planet.rotation)
    return float(math.floor(SAFETY * limit_s))


def truncation_of(cells: int, grid: str) -> int:
    """The truncation whose grid has about a number of points, so with equal spacing: octahedral grids have
    4 N (N + 9) with N = T + 1, full grids about (3 T + 1)^2 / 2. Reduced grids have fewer points than the
    full grids by which they are chosen."""
    if grid == "octahedral":
        return max(round((math.sqrt(81 + cells) - 9) / 2) - 1, 1)

    def excess(truncation: int) -> int:
        full = Gaussian(truncation=truncation)
        return abs(full.n_latitudes * full.n_longitudes - cells)

    middle = round((math.sqrt(2 * cells) - 1) / 3)  # without rounding to lengths of fast transforms
    return min(
        range(max(middle * 9 // 10, 1), middle + 2), key=lambda truncation: (excess(truncation), -truncation)
    )
