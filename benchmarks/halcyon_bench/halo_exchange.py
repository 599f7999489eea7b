"""Time of a halo exchange by each method, and of a copy of the received bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import graph
from halcyon.base import ConfigError
from halcyon.halo import Decomposition, Field, Halo
from halcyon.launch import measure
from halcyon.mesh import uniform
from halcyon_bench.timing import rank_statistics, wall_us

if TYPE_CHECKING:
    from mpi4py import MPI


COPY = "copy of what arrives"
SINGLY = "singly, "
EXCHANGES_PER_TURN = 10


@dataclass(frozen=True)
class Case:
    """Fields on the cells of G<level>, partitioned by METIS, with `numbers` values per cell each.

    Raises ConfigError for counts below 1 and other types."""

    level: int = 6
    layers: int = 1
    numbers: int = 30
    dtype: str = "float64"
    fields: int = 1
    ranks: int = 2

    def __post_init__(self):
        for name in ("layers", "numbers", "fields", "ranks"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be at least 1.")
        if self.dtype not in ("float64", "float32"):
            raise ConfigError(f"dtype is '{self.dtype}', but must be float64 or float32.")

    def __str__(self):
        fields = f"{self.fields} fields of " if self.fields > 1 else ""
        return f"G{self.level}, {self.layers} layers, {fields}{self.numbers} {self.dtype}, {self.ranks} ranks"


def measured(comm: MPI.Comm, case: Case, methods: Sequence[str], repetitions: int) -> dict[str, Any]:
    """Collective. Wall time [us] of an exchange (pack, transfer, unpack) of the same fields in node memory:
    `best` of the repetitions, and the medians of `max` and `mean` over ranks. Methods are interleaved, with
    several exchanges per turn.

    Names of the result: each method, with all fields in one message, or `METHOD, UNPACK`
    (`halcyon.halo.Halo`); for several fields `singly, METHOD`, one exchange per field; and a copy of the
    received bytes."""
    mesh = uniform(case.level, tolerance=1e-4)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    part = Decomposition(mesh, owners, comm.rank, case.layers)
    ways = _ways(comm, case, part, methods)
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(math.ceil(repetitions / EXCHANGES_PER_TURN)):
        for name, way in ways.items():
            way()  # refills the caches, and is not timed
            for _ in range(EXCHANGES_PER_TURN):
                taken[name].append(wall_us(comm, way))
    return {name: rank_statistics(comm, np.array(each)) for name, each in taken.items()}


def _ways(
    comm: MPI.Comm, case: Case, part: Decomposition, methods: Sequence[str]
) -> dict[str, Callable[[], object]]:
    fields = [Field("cell", case.dtype, (case.numbers,))] * case.fields
    memory = Halo(comm, part, fields, method="shared")
    arrays = memory.allocate()
    ways: dict[str, Callable[[], object]] = {}
    for way in methods:
        method, _, unpack = way.partition(", ")
        how = {"method": method, "unpack": unpack or "none", "node_memory": True}
        ways[way] = partial(Halo(comm, part, fields, **how).exchange, arrays)
        if case.fields > 1:
            single = [Halo(comm, part, fields[:1], **how) for _ in arrays]
            ways[SINGLY + way] = partial(_one_by_one, single, [[array] for array in arrays])
    source, target = np.zeros((2, memory.received_bytes), np.uint8)
    ways[COPY] = lambda: np.copyto(target, source)
    return ways


def _one_by_one(halos, arrays) -> None:
    for halo, each in zip(halos, arrays, strict=True):
        halo.exchange(each)


def on_ranks(case: Case, methods: Sequence[str], *, repetitions: int) -> dict[str, Any]:
    """`measured` in a new job. Raises RunError if the job fails, ConfigError for an invalid configuration."""
    return measure.run_on_ranks(case.ranks, str(case), measured, case, list(methods), repetitions)


def table(found: Mapping[str, Mapping[str, float]]) -> str:
    """Table of the times of each method."""
    lines = [f"{'[us] per exchange':<28}{'best':>10}{'max':>10}{'mean':>10}{'of a copy':>11}"]
    copy_us = found[COPY]["best"]
    for name, us in found.items():
        times = "".join(f"{us[column]:>10.1f}" for column in ("best", "max", "mean"))
        lines.append(f"{name:<28}{times}{us['best'] / copy_us:>11.2f}")
    return "\n".join(lines)
