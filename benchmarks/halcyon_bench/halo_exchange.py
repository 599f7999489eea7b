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


COPY = "copy of what arrives"  # name of the result for a copy of the received bytes
SINGLY = "singly, "  # prefix of the results for one exchange per field
EXCHANGES_PER_TURN = 10


@dataclass(frozen=True)
class Case:
    """Fields on the cells of G<level>, partitioned by METIS.

    Raises ConfigError for counts below 1, and if dtype is neither float64 nor float32."""

    level: int = 6
    layers: int = 1  # of the halo
    numbers: int = 30  # values per cell of each field
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
    """Collective. Wall time [us] of a halo exchange (pack, transfer, unpack) of fields in memory that the
    ranks of a node share; see `rank_statistics` for the result. The methods take turns of several exchanges.

    A method is METHOD, or `METHOD, UNPACK` (see `halcyon.halo.Halo`). The result has one entry per method,
    for all fields in one message; for several fields also `singly, METHOD`, for one exchange per field; and
    COPY."""
    mesh = uniform(case.level, tolerance=1e-4)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    part = Decomposition(mesh, owners, comm.rank, case.layers)
    functions = _exchanges(comm, case, part, methods)
    times_us: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(math.ceil(repetitions / EXCHANGES_PER_TURN)):
        for name, function in functions.items():
            function()  # refills the caches, and is not timed
            for _ in range(EXCHANGES_PER_TURN):
                times_us[name].append(wall_us(comm, function))
    return {name: rank_statistics(comm, np.array(us)) for name, us in times_us.items()}


def _exchanges(
    comm: MPI.Comm, case: Case, part: Decomposition, methods: Sequence[str]
) -> dict[str, Callable[[], object]]:
    """The timed functions by the name of the result."""
    fields = [Field("cell", case.dtype, (case.numbers,))] * case.fields
    shared_halo = Halo(comm, part, fields, method="shared")
    arrays = shared_halo.allocate()
    functions: dict[str, Callable[[], object]] = {}
    for name in methods:
        method, _, unpack = name.partition(", ")
        options = {"method": method, "unpack": unpack or "none", "node_memory": True}
        functions[name] = partial(Halo(comm, part, fields, **options).exchange, arrays)
        if case.fields > 1:
            single_halos = [Halo(comm, part, fields[:1], **options) for _ in arrays]
            functions[SINGLY + name] = partial(_exchange_singly, single_halos, [[array] for array in arrays])
    source, target = np.zeros((2, shared_halo.received_bytes), np.uint8)
    functions[COPY] = lambda: np.copyto(target, source)
    return functions


def _exchange_singly(halos, arrays) -> None:
    for halo, array in zip(halos, arrays, strict=True):
        halo.exchange(array)


def on_ranks(case: Case, methods: Sequence[str], *, repetitions: int) -> dict[str, Any]:
    """`measured` in a new job. Raises RunError if the job fails, ConfigError for an invalid configuration."""
    return measure.run_on_ranks(case.ranks, str(case), measured, case, list(methods), repetitions)


def table(times: Mapping[str, Mapping[str, float]]) -> str:
    """Table of the times of each method."""
    lines = [f"{'[us] per exchange':<28}{'best':>10}{'max':>10}{'mean':>10}{'of a copy':>11}"]
    copy_us = times[COPY]["best"]
    for name, us in times.items():
        times = "".join(f"{us[column]:>10.1f}" for column in ("best", "max", "mean"))
        lines.append(f"{name:<28}{times}{us['best'] / copy_us:>11.2f}")
    return "\n".join(lines)
