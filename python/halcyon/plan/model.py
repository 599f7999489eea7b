"""Performance model of a run: its mesh, and the computation and halo exchanges of a step. The cells of one
rank are a patch."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

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
    EXCHANGES: ClassVar[int] = 1  # number of equal exchanges per step

    mesh: str
    cells: int
    layers: int = 2
    step_s: float
    cut: str = "estimate"
    speed: float = 1.0

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

    @abstractmethod
    def cost_s(self, ranks: int, mesh_level: int) -> Mapping[str, float]:
        """Measures the CPU time [s] of each part of a step, as in `ComputationCost`, on a number of
        simultaneous ranks of this machine, each with a mesh G<mesh_level>."""

    @abstractmethod
    def exchanged(self) -> dict[str, Any]:
        """The numbers and sizes of the values in one exchange, as options of the workload `mesh_halo`."""

    @abstractmethod
    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        """Times [s] of the parts of a step on the largest patch."""

    @abstractmethod
    def overlappable_s(self, cost: ComputationCost, ranks: int) -> float:
        """Time [s] of the computation that needs no halo and can overlap with the exchange."""

    def computation_s(self, cost: ComputationCost, ranks: int) -> float:
        """Time [s] of a step's computation on the largest patch."""
        return sum(self.parts_s(cost, ranks).values())

    def patch(self, ranks: int) -> float:
        """Number of cells of the largest patch."""
        return max(IMBALANCE * self.cells / ranks, math.ceil(self.cells / ranks))

    def inner_share(self, ranks: int) -> float:
        """Share of a patch's cells that need no halo: all cells except its outermost `layers` layers."""
        cells = self.cells / ranks
        return 1 - boundary_cells(cells, self.layers) / cells
