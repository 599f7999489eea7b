"""A model that is planned: its mesh, what a rank computes in a step, and what its exchanges carry."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from halcyon.simulate.mesh_volumes import boundary_cells

IMBALANCE = 1.03  # METIS' largest part over the mean


@dataclass(frozen=True)
class Computation:
    """CPU times [s] of a cell and bin, or level, in each part of a step, by cells of a patch, and how many
    ranks of a node computed at once; None where that is not known."""

    cells: tuple[float, ...]
    parts: Mapping[str, tuple[float, ...]]
    ranks_at_once: int | None = None

    def of(self, part: str, cells: float) -> float:
        """In a patch of so many cells; outside of what was measured, as at its end."""
        return float(np.interp(np.log(max(cells, 1)), np.log(self.cells), self.parts[part]))

    def as_json(self) -> dict[str, Any]:
        """As `read` takes it."""
        return {"cells": self.cells, **self.parts, "ranks_at_once": self.ranks_at_once}


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """What is planned: mesh and cells, halo layers, and what a step covers [s]. `speed`: of a core there over
    one here. A model says what its step computes, by parts, and what it exchanges, how often."""

    TITLE: ClassVar[str]
    PARTS: ClassVar[tuple[str, ...]]  # of a step's computation, as `Computation` has them
    EXCHANGES: ClassVar[int] = 1  # of a step, all alike

    mesh: str
    cells: int
    layers: int = 2
    step_s: float
    cut: str = "estimate"
    speed: float = 1.0

    @property
    @abstractmethod
    def values(self) -> str:
        """What a cell has, in words."""

    @property
    def steps(self) -> str:
        """How long what is, in words."""
        return f"steps of {self.step_s:g} s"

    @property
    @abstractmethod
    def cost_name(self) -> str:
        """Of the file that keeps what `cost_s` measures."""

    @abstractmethod
    def cost_s(self, ranks: int, level: int) -> Mapping[str, float]:
        """CPU time [s] of a cell and bin, or level, in each part of a step: measured here, on so many ranks
        at once that have a mesh G<level> each."""

    @abstractmethod
    def exchanged(self) -> dict[str, Any]:
        """An exchange, as options of the workload `mesh_halo`."""

    @abstractmethod
    def parts_s(self, cost: Computation, ranks: int) -> dict[str, float]:
        """Times [s] of the parts of a step on the largest patch."""

    @abstractmethod
    def early_s(self, cost: Computation, ranks: int) -> float:
        """Of them, the time [s] of what needs no halo."""

    def computation_s(self, cost: Computation, ranks: int) -> float:
        """Time [s] of a step on the largest patch."""
        return sum(self.parts_s(cost, ranks).values())

    def patch(self, ranks: int) -> float:
        """Cells of the largest patch."""
        return max(IMBALANCE * self.cells / ranks, math.ceil(self.cells / ranks))

    def inner_part(self, ranks: int) -> float:
        """Of a patch's cells, those that need no halo: all but as many of its own outermost layers."""
        cells = self.cells / ranks
        return 1 - boundary_cells(cells, self.layers) / cells
