"""Parts of a model that compute on groups of fields while others travel, for `halcyon.bench.overlap`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from halcyon import schedule
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon._core.comm import Statistics
    from halcyon.comm import Progress


class Run(Protocol):
    """What can be done again and again."""

    def run(self) -> None:
        """Collective. Once."""

    @property
    def statistics(self) -> Statistics:
        """What the exchanges have cost on this rank so far: transfer_s and wait_s are read."""


class Section(Protocol):
    """A part of a model, the same work in any number of groups."""

    @property
    def sides(self) -> int:
        """1: groups come; 2: they leave, too."""

    def pipeline(self, comm: MPI.Comm, groups: int, method: str, progress: Progress | None) -> Run:
        """Collective. All of it: while a group is worked on, another one travels."""

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        """Collective. Its messages alone, in one group."""

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        """Collective. Its work alone."""


@dataclass(frozen=True)
class Asleep:
    """All-to-alls among all ranks, with sleep as computation, which takes no core from a thread or from a
    network that is pretended.

    @param rank_bytes that a rank has of all groups, its own block among them; compute_s: of all groups

    Raises ConfigError for numbers that cannot be."""

    rank_bytes: int = 4_000_000
    compute_s: float = 0.0
    sides: int = 1

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

    def pipeline(self, comm: MPI.Comm, groups: int, method: str, progress: Progress | None) -> Run:
        from halcyon.comm import Execution

        return Execution(comm, self._schedule(comm.size, groups, self.compute_s), method, progress=progress)

    def communication(self, comm: MPI.Comm, method: str) -> Run:
        from halcyon.comm import Execution

        return Execution(comm, self._schedule(comm.size, 1, 0.0), method)

    def computation(self, comm: MPI.Comm, groups: int) -> Run:
        from halcyon.comm import Execution

        piece = schedule.computation(comm.size, self.compute_s / groups)
        return Execution(comm, schedule.repeated(piece, groups), "isend_irecv")

    def _schedule(self, ranks: int, groups: int, compute_s: float) -> schedule.Schedule:
        block = self.rank_bytes // (ranks * self.sides)
        if block < groups:
            raise ConfigError(
                f"{self.rank_bytes} bytes of a rank are too few for {groups} groups on {ranks} ranks. Give"
                " more."
            )
        parts = [block // groups + (g < block % groups) for g in range(groups)]
        leaving = parts if self.sides == 2 else ()
        return schedule.pipeline(ranks, parts, leaving, compute_s=compute_s / groups)
