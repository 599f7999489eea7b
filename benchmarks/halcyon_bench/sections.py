"""Parts of a model that compute on groups of fields while others travel, for `halcyon_bench.overlap`."""

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
    """What can be done again and again, and what this rank took so far [s]: exchanges in starts and
    waits, and work, 0 where it sleeps. `run` is collective."""

    run: Callable[[], object]
    calls_s: Callable[[], float]
    work_s: Callable[[], float] = lambda: 0.0


class Section(Protocol):
    """A part of a model, the same work in any number of groups. `algorithm`: of its all-to-alls, and
    `algorithms`: what they may be."""

    algorithm: str
    algorithms: Sequence[str]

    def name(self, ranks: int) -> str:
        """By which so many ranks that share it are told from others."""

    def sets_of(self, ranks: int) -> tuple[int, int]:
        """V and W of so many ranks."""

    def v_set(self, comm: MPI.Comm) -> MPI.Comm:
        """Collective. A communicator of the ranks that begin together, to be freed."""

    def stages(self, communication_s: float, compute_s: float) -> schedule.Stages:
        """Of what all of it takes, the stages' parts, for `schedule.ideal_s`."""

    def pipeline(self, comm: MPI.Comm, how: ExchangeSettings, progress: Progress | None) -> Run:
        """Collective. All of it: while a group is worked on, others travel."""

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        """Collective. Its messages alone, in one group."""

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        """Collective. Its work alone."""


def messages(comm: MPI.Comm, work: schedule.Schedule, method: str, progress: Progress | None = None) -> Run:
    """Collective. A schedule that can be run again and again; its work is sleep."""
    from halcyon.comm import Execution

    execution = Execution(comm, work, method, progress=progress)
    return Run(execution.run, lambda: execution.statistics.transfer_s + execution.statistics.wait_s)


@dataclass(frozen=True)
class Asleep:
    """All-to-alls among all ranks, with sleep as computation, which takes no core from a thread or from a
    network that is pretended.

    @param rank_bytes that a rank has of all groups, its own block among them; compute_s: of all groups

    Raises ConfigError for numbers that cannot be."""

    rank_bytes: int = 4_000_000
    compute_s: float = 0.0
    sides: int = 1
    algorithm = "burst"
    algorithms = ("burst",)

    def __post_init__(self):
        if self.rank_bytes < 1 or self.compute_s < 0:
            raise ConfigError(
                f"A rank has {self.rank_bytes} bytes and computes for {self.compute_s:g} s. Give 1 byte or"
                " more, and 0 s or more."
            )
        if self.sides not in (1, 2):
            raise ConfigError(
                f"{self.sides} sides of a pipeline. Give 1 (groups come) or 2 (they leave, too)."
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

    def pipeline(self, comm: MPI.Comm, how: ExchangeSettings, progress: Progress | None) -> Run:
        work = self._schedule(comm.size, how.groups, self.compute_s, how.ahead)
        return messages(comm, work, how.method, progress)

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        return messages(comm, self._schedule(comm.size, 1, 0.0), method)

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        piece = schedule.computation(comm.size, self.compute_s / groups)
        return messages(comm, schedule.repeated(piece, groups), "isend_irecv")

    def _schedule(self, ranks: int, groups: int, compute_s: float, ahead: int = 1) -> schedule.Schedule:
        block = self.rank_bytes // (ranks * self.sides)
        if block < groups:
            raise ConfigError(
                f"{self.rank_bytes} bytes of a rank are too few for {groups} groups on {ranks} ranks. Give"
                " more."
            )
        parts = [block // groups + (g < block % groups) for g in range(groups)]
        leaving = parts if self.sides == 2 else ()
        return schedule.pipeline(ranks, parts, leaving, compute_s=compute_s / groups, ahead=ahead)


def transforming(work: Callable[[], object], transform: Transform) -> Run:
    """Work of a transform that can be done again and again."""
    return Run(
        work,
        lambda: transform.statistics.transfer_s + transform.statistics.wait_s,
        lambda: transform.core.times.fourier_s + transform.core.times.legendre_s,
    )


@dataclass
class Fourier:
    """The Fourier section of a spectral model: rows of all levels come together, are transformed, and
    wavenumbers come together to be summed (way "analysis"), or the way back ("synthesis").

    @param rows of a full grid; sets: (V, W) whose product is the number of ranks; by default (1, ranks)

    Raises ConfigError for numbers that cannot be, as `halcyon.transform.Transform` does."""

    truncation: int = 63
    rows: int = 96
    fields: int = 30
    sets: tuple[int, int] | None = None
    way: str = "analysis"
    algorithm: str = "burst"
    algorithms = ALGORITHMS

    def __post_init__(self):
        if self.way not in ("analysis", "synthesis"):
            raise ConfigError(f"way is '{self.way}'. Use analysis or synthesis.")
        if self.fields < 1:
            raise ConfigError(f"{self.fields} fields. Give 1 or more.")
        self._last: Transform | None = None

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
        self, comm: MPI.Comm, how: ExchangeSettings, progress: Progress | None = None
    ) -> Transform:
        most = -(-self.fields // self.sets_of(comm.size)[0])
        if how.groups > most:
            raise ConfigError(
                f"{self.fields} fields, {most} in the largest V set, make no {how.groups} groups. Give fewer."
            )
        given = how._asdict() | {"progress": progress or "none"}
        self._last = Transform(self._grid, self.truncation, comm=comm, sets=self.sets, **given)
        return self._last

    def _way(self, groups: int = 1) -> ExchangeSettings:
        return ExchangeSettings(groups, algorithm=self.algorithm)

    def _arrays(self, transform: Transform) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and values."""
        mine = transform.share.fields(self.fields)
        generator = np.random.default_rng(transform.share.v)
        shape = mine.stop - mine.start, transform.n_coefficients
        coefficients = generator.normal(size=shape) + 0j
        return coefficients, generator.normal(size=(self.fields, *transform.shape))

    def _call(self, transform: Transform, coefficients: np.ndarray, values: np.ndarray) -> None:
        if self.way == "analysis":
            transform.analysis(values, out=coefficients)
        else:
            transform.synthesis(coefficients, out=values)

    def pipeline(self, comm: MPI.Comm, how: ExchangeSettings, progress: Progress | None) -> Run:
        transform = self._transform(comm, how, progress)
        arrays = self._arrays(transform)
        return transforming(lambda: self._call(transform, *arrays), transform)

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        return messages(comm, self._transform(comm, self._way()).schedule(self.way, self.fields), method)

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        transform = self._transform(comm, self._way(groups))
        arrays = self._arrays(transform)
        # leaves numbers in its memory: work on what lies in new one takes longer
        self._call(transform, *arrays)
        return transforming(lambda: transform.core.compute(self.way, *arrays), transform)

    def stages(self, communication_s: float, compute_s: float) -> schedule.Stages:
        """By what the last transform that was made has taken on this rank, and by bytes."""
        transform = self._last
        fourier_s, legendre_s = transform.fourier_s, transform.legendre_s
        fourier_s = compute_s * fourier_s / max(fourier_s + legendre_s, 1e-30)
        columns, panels = (communication_s * part for part in self._parts(transform))
        if self.way == "analysis":
            return [(columns, fourier_s), (panels, compute_s - fourier_s)]
        return [(0.0, compute_s - fourier_s), (panels, fourier_s), (columns, 0.0)]

    def _parts(self, transform: Transform) -> tuple[float, float]:
        """Of the bytes that this rank sends and gets: between columns and rows, between these and panels."""
        v, w = transform.sets
        mine = transform.share.fields(self.fields)
        n = mine.stop - mine.start
        columns = transform.core.n_points * (self.fields - n)
        panels = (w - 1) * n * 2 * transform.n_coefficients * self.rows / self.truncation
        if w == 1:
            return 1.0, 0.0
        all_of_them = columns + panels / w
        return (0.0, 1.0) if v == 1 else (columns / all_of_them, panels / w / all_of_them)
