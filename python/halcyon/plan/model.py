"""Performance model of a run: its mesh, and the computation and halo exchanges of a step. The cells of one
rank are a patch."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from halcyon.config.yaml_source import Location
from halcyon.plan.output import Output
from halcyon.simulate.mesh_volumes import boundary_cells

IMBALANCE = 1.03  # ratio of the largest to the mean number of cells of the patches that METIS makes


@dataclass(frozen=True)
class ComputationCost:
    """CPU time of a step per cell and spectral bin (waves) or per cell and level (atmosphere), on patches of
    several sizes."""

    cells: tuple[float, ...]  # numbers of cells of the measured patches
    parts: Mapping[str, tuple[float, ...]]  # time per cell and bin (or level) [s] (patch) of each part
    ranks_at_once: int | None = None  # number of ranks measured simultaneously, if known

    def of(self, part: str, cells: float) -> float:
        """The time [s] of a part per cell and bin (or level) on a patch of `cells` cells, interpolated in the
        logarithm of that number; constant outside the measured range."""
        return float(np.interp(np.log(max(cells, 1)), np.log(self.cells), self.parts[part]))

    def as_json(self) -> dict[str, Any]:
        """JSON content, as expected by `computation.read`."""
        return {"cells": self.cells, **self.parts, "ranks_at_once": self.ranks_at_once}


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """A planned model: mesh, number of cells, number of halo layers, and time step [s]. `cut`: "estimate" or
    "metis", how the halo volumes are found. `speed`: ratio of the core speeds of the planned and of this
    machine. Subclasses define the parts of a step's computation, and the exchanges."""

    TITLE: ClassVar[str]
    PARTS: ClassVar[tuple[str, ...]]  # parts of a step's computation, as in `ComputationCost`
    EXCHANGES: ClassVar[int] = 1  # number of halo exchanges per step
    PROBES: ClassVar[tuple[int, ...]] = (1, 2, 3, 4, 5)  # measured meshes G1 to G5, which exceeds the cache
    WITHOUT: ClassVar[tuple[str, ...]] = ()  # strategies (`studies.STRATEGIES`) that are not planned
    OWN_ORDERS: ClassVar[bool] = False  # whether strategies leave the orders of the messages as they are

    mesh: str
    cells: int
    layers: int = 2
    step_s: float
    cut: str = "estimate"
    speed: float = 1.0

    @property
    def title(self) -> str:
        """Name of the model in tables and pictures."""
        return self.TITLE

    def as_json(self) -> dict[str, Any]:
        """The model and its options, as JSON content."""
        return asdict(self)

    def require_values(self, ranks: int) -> None:  # noqa: B027
        """Raises ConfigError if the description of the step has no valid values on a number of ranks."""

    @property
    def known_cost(self) -> ComputationCost | None:
        """The cost of the computation, if it need not be measured."""
        return None

    def option_position(self, exchange: str, location: Location) -> str | None:
        """Where the user gave an option of one of the `exchanges`, for errors; None for options of the
        command line."""
        return None

    @property
    @abstractmethod
    def values_text(self) -> str:
        """Description of the values of a cell, such as "26 levels (hydrostatic, 64 bits)"."""

    @property
    def steps_text(self) -> str:
        """Description of the time steps, such as "steps of 60 s"."""
        return f"steps of {self.step_s:g} s"

    @property
    @abstractmethod
    def cost_name(self) -> str:
        """Name of the cache file of `cost_s`, without number of ranks, hash and suffix."""

    @property
    def description(self) -> str:
        """Mesh, values and steps, in one line."""
        layers = f"{self.layers} halo layer{'s' if self.layers > 1 else ''}"
        return f"{self.mesh}: {self.cells:,} cells of {self.values_text}, {layers}, {self.steps_text}"

    def probe_cells(self, probe: int) -> int:
        """Number of cells of one of the `PROBES`."""
        return 10 * 4**probe + 2

    @abstractmethod
    def cost_s(self, ranks: int, probe: int) -> Mapping[str, float]:
        """Measures the CPU time [s] of each part of a step, as in `ComputationCost`, on a number of
        simultaneous ranks of this machine, each with one of the `PROBES`."""

    @abstractmethod
    def exchanged(self) -> dict[str, Any]:
        """The numbers and sizes of the values in a halo exchange, as options of the workload `mesh_halo`."""

    def mesh_halo(self, **options: Any) -> dict[str, Any]:
        """The workload of a halo exchange on the mesh, with the given options of `mesh_halo`."""
        cells = {"cells": self.cells} if self.cut == "estimate" else {}
        halo = {"mesh": self.mesh, "layers": self.layers, "cut": self.cut, "order": "at_once"}
        return {"type": "mesh_halo"} | halo | cells | options

    def exchanges(self, ranks: int, cost: ComputationCost | None) -> dict[str, dict[str, Any]]:
        """The different exchanges of a step, by name, as workloads of `halcyon simulate`; `cost` is None
        before it is known."""
        return {"halo": self.mesh_halo(**self.exchanged())}

    def exchange_counts(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        """How often each of the `exchanges` happens in a step."""
        return {"halo": self.EXCHANGES}

    @property
    def has_single_exchange(self) -> bool:
        """Whether all exchanges of a step are equal, so that steps can be simulated."""
        return True

    @abstractmethod
    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        """Times [s] of the parts of a step on the largest patch."""

    @abstractmethod
    def overlappable_s(self, cost: ComputationCost, ranks: int) -> float:
        """Time [s] of the computation that needs no halo and can overlap with the exchange."""

    def hidden_s(self, cost: ComputationCost, ranks: int, exchanged_s: Mapping[str, float]) -> float:
        """Time [s] of the exchanges of a step, given by name, that overlaps with computation."""
        return min(exchanged_s.get("halo", 0.0), self.overlappable_s(cost, ranks))

    def output(self, ranks: int) -> Output | None:
        """The output of the model, if it is known."""
        return None

    def details(self, cost: ComputationCost, ranks: int) -> dict[str, Any]:
        """Additional columns of a row of the plan."""
        return {}

    def computation_s(self, cost: ComputationCost, ranks: int) -> float:
        """Time [s] of a step's computation on the largest patch."""
        return sum(self.parts_s(cost, ranks).values())

    def patch(self, ranks: int) -> float:
        """Number of cells of the largest patch."""
        return (
            self.cells if ranks == 1 else max(IMBALANCE * self.cells / ranks, math.ceil(self.cells / ranks))
        )

    def inner_share(self, ranks: int) -> float:
        """Share of a patch's cells that need no halo: all cells except its outermost `layers` layers."""
        cells = self.cells / ranks
        return 1 - boundary_cells(cells, self.layers) / cells
