"""Sections: parts of a model that compute on one group of fields while other groups are exchanged, measured
by `halcyon_bench.overlap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from halcyon import schedule
from halcyon.base import ConfigError
from halcyon.transform import Grid, Transform
from halcyon.transform.tuning import ALGORITHMS, ExchangeSettings

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress


@dataclass(frozen=True)
class Run:
    """Repeatable work, and its accumulated times on this rank [s]."""

    run: Callable[[], object]  # does the work; collective
    calls_s: Callable[[], float]  # time in starts and waits of exchanges
    work_s: Callable[[], float] = lambda: 0.0  # time in computation; 0 if sleep emulates the computation


class Section(Protocol):
    """A part of a model, whose work does not depend on the number of groups of fields."""

    algorithm: str  # of the all-to-alls
    algorithms: Sequence[str]  # that the section supports

    def name(self, ranks: int) -> str:
        """Name of the section on `ranks` ranks."""

    def sets_of(self, ranks: int) -> tuple[int, int]:
        """V and W: the ranks form V sets of W ranks. Each set has a part of the fields, each rank of a set a
        part of the rows of latitude."""

    def v_set(self, comm: MPI.Comm) -> MPI.Comm:
        """Collective. A communicator of the ranks of this rank's V set, which start at a common barrier; the
        caller frees it."""

    def stages(self, communication_s: float, compute_s: float) -> schedule.Stages:
        """Communication and computation [s] of each stage of the pipeline, for `schedule.max_hidden_share`,
        from their totals."""

    def pipeline(self, comm: MPI.Comm, settings: ExchangeSettings, progress: Progress | None) -> Run:
        """Collective. The pipeline, which computes on one group while other groups are exchanged."""

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        """Collective. The messages alone, in one group."""

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        """Collective. The computation alone."""


def schedule_run(
    comm: MPI.Comm, work: schedule.Schedule, method: str, progress: Progress | None = None
) -> Run:
    """Collective. A repeatable execution of a schedule, with computation emulated by sleep."""
    from halcyon.comm import Execution

    execution = Execution(comm, work, method, progress=progress)
    return Run(execution.run, lambda: execution.statistics.transfer_s + execution.statistics.wait_s)


@dataclass(frozen=True)
class SleepSection:
    """All-to-alls among all ranks, with sleep as computation, which leaves the cores to progress threads and
    emulated networks.

    Raises ConfigError for invalid numbers."""

    rank_bytes: int = 4_000_000  # of all groups and exchanges, including the rank's block for itself
    compute_s: float = 0.0  # of all groups
    sides: int = 1  # all-to-alls per group: 1, before the computation; 2, also after it
    algorithm = "burst"
    algorithms = ("burst",)

    def __post_init__(self):
        if self.rank_bytes < 1 or self.compute_s < 0:
            raise ConfigError(
                f"A rank has {self.rank_bytes} bytes in the sleep section, and computes for"
                f" {self.compute_s:g} s. Give 1 byte or more, and 0 s or more."
            )
        if self.sides not in (1, 2):
            raise ConfigError(
                f"{self.sides} sides of a pipeline. Give 1 (receive groups before the computation) or 2 (also"
                " send results)."
            )

    def name(self, ranks: int) -> str:
        return str(ranks)

    def sets_of(self, ranks: int) -> tuple[int, int]:
        return 1, ranks

    def v_set(self, comm: MPI.Comm) -> MPI.Comm:
        return comm.Dup()

    def stages(self, communication_s: float, compute_s: float) -> schedule.Stages:
        if self.sides == 1:
            return [(communication_s, compute_s)]
        return [(communication_s / 2, compute_s), (communication_s / 2, 0.0)]

    def pipeline(self, comm: MPI.Comm, settings: ExchangeSettings, progress: Progress | None) -> Run:
        work = self._schedule(comm.size, settings.groups, self.compute_s, settings.ahead)
        return schedule_run(comm, work, settings.method, progress)

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        return schedule_run(comm, self._schedule(comm.size, 1, 0.0), method)

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        group = schedule.computation(comm.size, self.compute_s / groups)
        return schedule_run(comm, schedule.repeated(group, groups), "isend_irecv")

    def _schedule(self, ranks: int, groups: int, compute_s: float, ahead: int = 1) -> schedule.Schedule:
        block = self.rank_bytes // (ranks * self.sides)  # bytes from one rank to another in one all-to-all
        if block < groups:
            raise ConfigError(
                f"{self.rank_bytes} bytes of a rank are too few for {groups} groups on {ranks} ranks. Give"
                " more."
            )
        group_bytes = [block // groups + (g < block % groups) for g in range(groups)]
        sent_bytes = group_bytes if self.sides == 2 else ()
        return schedule.pipeline(ranks, group_bytes, sent_bytes, compute_s=compute_s / groups, ahead=ahead)


def transform_run(work: Callable[[], object], transform: Transform) -> Run:
    """A run of `work`, a call of the transform, with the times of the transform."""
    return Run(
        work,
        lambda: transform.statistics.transfer_s + transform.statistics.wait_s,
        lambda: transform.core.times.fourier_s + transform.core.times.legendre_s,
    )


@dataclass
class FourierSection:
    """The Fourier section of a spectral model: transposition to complete rows, FFTs, transposition to
    complete wavenumbers and Legendre sums (way "analysis"), or the reverse ("synthesis").

    Raises ConfigError for invalid numbers, as `halcyon.transform.Transform`."""

    truncation: int = 63
    rows: int = 96  # of latitude, of a full grid
    fields: int = 30
    sets: tuple[int, int] | None = None  # (V, W) with V * W ranks; None: (1, ranks)
    way: str = "analysis"
    algorithm: str = "burst"
    algorithms = ALGORITHMS

    def __post_init__(self):
        if self.way not in ("analysis", "synthesis"):
            raise ConfigError(f"way is '{self.way}'. Use analysis or synthesis.")
        if self.fields < 1:
            raise ConfigError(f"{self.fields} fields. Give 1 or more.")
        self._last_transform: Transform | None = None

    def name(self, ranks: int) -> str:
        v, w = self.sets_of(ranks)
        return f"{v}x{w}"

    def sets_of(self, ranks: int) -> tuple[int, int]:
        return self.sets or (1, ranks)

    def v_set(self, comm: MPI.Comm) -> MPI.Comm:
        _, w = self.sets_of(comm.size)
        return comm.Split(comm.rank // w, comm.rank)

    @cached_property
    def _grid(self):
        return Grid.full(self.rows)

    def _transform(
        self, comm: MPI.Comm, settings: ExchangeSettings, progress: Progress | None = None
    ) -> Transform:
        max_groups = -(-self.fields // self.sets_of(comm.size)[0])
        if settings.groups > max_groups:
            raise ConfigError(
                f"{self.fields} fields, {max_groups} in the largest V set, cannot form {settings.groups}"
                " groups. Give fewer."
            )
        options = settings._asdict() | {"progress": progress or "none"}
        self._last_transform = Transform(self._grid, self.truncation, comm=comm, sets=self.sets, **options)
        return self._last_transform

    def _settings(self, groups: int = 1) -> ExchangeSettings:
        return ExchangeSettings(groups, algorithm=self.algorithm)

    def _arrays(self, transform: Transform) -> tuple[np.ndarray, np.ndarray]:
        """Random coefficients of the fields of this rank, and random values of all fields on its points."""
        my_fields = transform.share.fields(self.fields)
        generator = np.random.default_rng(transform.share.v)
        shape = my_fields.stop - my_fields.start, transform.n_coefficients
        coefficients = generator.normal(size=shape) + 0j
        return coefficients, generator.normal(size=(self.fields, *transform.shape))

    def _call(self, transform: Transform, coefficients: np.ndarray, values: np.ndarray) -> None:
        if self.way == "analysis":
            transform.analysis(values, out=coefficients)
        else:
            transform.synthesis(coefficients, out=values)

    def pipeline(self, comm: MPI.Comm, settings: ExchangeSettings, progress: Progress | None) -> Run:
        transform = self._transform(comm, settings, progress)
        arrays = self._arrays(transform)
        return transform_run(lambda: self._call(transform, *arrays), transform)

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        return schedule_run(
            comm, self._transform(comm, self._settings()).schedule(self.way, self.fields), method
        )

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        transform = self._transform(comm, self._settings(groups))
        arrays = self._arrays(transform)
        # Initializes the buffers, since the first access to new memory takes longer.
        self._call(transform, *arrays)
        return transform_run(lambda: transform.core.compute(self.way, *arrays), transform)

    def stages(self, communication_s: float, compute_s: float) -> schedule.Stages:
        """Splits the computation by the times of the last created transform on this rank, and the
        communication by bytes."""
        transform = self._last_transform
        fourier_s, legendre_s = transform.fourier_s, transform.legendre_s
        fourier_s = compute_s * fourier_s / max(fourier_s + legendre_s, 1e-30)
        columns, panels = (communication_s * share for share in self._byte_shares(transform))
        if self.way == "analysis":
            return [(columns, fourier_s), (panels, compute_s - fourier_s)]
        return [(0.0, compute_s - fourier_s), (panels, fourier_s), (columns, 0.0)]

    def _byte_shares(self, transform: Transform) -> tuple[float, float]:
        """Shares of the two transpositions in the exchanged bytes of this rank: between columns and rows, and
        between rows and panels (all rows, some wavenumbers)."""
        v, w = transform.sets
        my_fields = transform.share.fields(self.fields)
        n = my_fields.stop - my_fields.start
        columns = transform.core.n_points * (self.fields - n)
        panels = (w - 1) * n * 2 * transform.n_coefficients * self.rows / self.truncation
        if w == 1:
            return 1.0, 0.0
        total = columns + panels / w
        return (0.0, 1.0) if v == 1 else (columns / total, panels / w / total)
