"""How much of what transforms exchange hides behind their work, from trials of a step's before a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.schedule import ceiling, hidden
from halcyon.transform.tuning import seconds

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.schedule import Stages
    from halcyon.spectral import Model

TRIALS = 5  # whose mean counts, as in the paper on YHGSM


@dataclass(frozen=True)
class Hiding:
    """Of a tendency's transforms, wall times of the slowest rank [s]: `work_s` alone, `blocking_s` in one
    group without progress, `pipelined_s` as the run exchanges; `ceiling`: the share that a network which
    moves messages by itself would hide; `spread_s`: the standard deviation of the trials of `blocking_s`."""

    work_s: float
    blocking_s: float
    pipelined_s: float
    ceiling: float
    spread_s: float = 0.0

    @property
    def hidden(self) -> float | None:
        """1 - (T_pipe - T_comp) / (T_block - T_comp); None where too little is exposed to tell."""
        return hidden(self.work_s, self.blocking_s, self.pipelined_s, self.spread_s)

    @property
    def efficiency(self) -> float:
        """The share of work in the time of the pipeline."""
        return self.work_s / self.pipelined_s

    def figures(self) -> dict[str, float | None]:
        """All of it, as run.json holds it."""
        shares = {"hidden": self.hidden, "efficiency": self.efficiency}
        found = asdict(self) | shares
        return {name: None if value is None else round(value, 6) for name, value in found.items()}

    def text(self) -> str:
        """A line of the table at the end of a run."""
        work, blocking, pipelined = (1e3 * each for each in (self.work_s, self.blocking_s, self.pipelined_s))
        share = "too little to tell what is" if self.hidden is None else f"{100 * self.hidden:.0f} %"
        return (
            f"transforms of a step: {work:.2f} ms of work, {blocking:.2f} in one group, {pipelined:.2f} as"
            f" exchanged: by wall clock {share} hidden of {100 * self.ceiling:.0f} % that could be,"
            f" efficiency {100 * self.efficiency:.0f} %"
        )


@dataclass(frozen=True)
class Trials:
    """Means of trials of a tendency's transforms [s]: `wall_s` of the slowest rank, `work_s` of the one that
    works longest; `parts_s` of the ranks' mean, (to the grid, back) by (Fourier, Legendre, exchange). Of this
    rank and all trials `exchange_s` and `sent_bytes`. `spread_s`: the standard deviation of `wall_s`."""

    wall_s: float
    work_s: float
    parts_s: np.ndarray
    exchange_s: float
    sent_bytes: int
    spread_s: float = 0.0


def trials(comm: MPI.Comm, v_set: MPI.Comm, model: Model) -> Trials:
    """Collective. From a barrier of the V set each; the first one, which makes the exchanges, does not
    count."""
    model.rehearse()
    taken: list[Any] = []
    walls_s = [seconds(v_set, lambda: taken.append(model.rehearse())) for _ in range(TRIALS)]
    exchange_s = [sum(way.exchange_s for way in ways) for ways in taken]
    works_s = np.subtract(walls_s, exchange_s)
    parts = [[[way.fourier_s, way.legendre_s, way.exchange_s] for way in ways] for ways in taken]
    by_trial = np.max(comm.allgather([walls_s, works_s.tolist()]), axis=0)
    slowest = by_trial.mean(axis=1)
    return Trials(
        wall_s=float(slowest[0]),
        work_s=float(slowest[1]),
        parts_s=comm.allreduce(np.mean(parts, axis=0)) / comm.size,
        exchange_s=sum(exchange_s),
        sent_bytes=sum(way.sent_bytes for ways in taken for way in ways),
        spread_s=float(by_trial[0].std()),
    )


def hiding(model: Model, groups: int, blocking: Trials, pipelined: Trials) -> Hiding:
    """Of what was measured in one group without progress and as the run exchanges, in so many groups."""
    ways = [_stages(model, way, *parts) for way, parts in enumerate(blocking.parts_s)]
    exchange_s = blocking.parts_s[:, 2]
    hidden_s = sum(s * ceiling(groups, stages) for s, stages in zip(exchange_s, ways, strict=True))
    most = hidden_s / max(exchange_s.sum(), 1e-9)
    return Hiding(blocking.work_s, blocking.wall_s, pipelined.wall_s, float(most), blocking.spread_s)


def _stages(model: Model, way: int, fourier_s: float, legendre_s: float, exchange_s: float) -> Stages:
    """Of the way to the grid (0) and back: the exchange is dealt to transpositions by their bytes."""
    columns, panels, points = exchange_s * transposed(model)
    if way == 0:
        return [(columns, legendre_s), (panels, fourier_s), (points, 0.0)]
    return [(points, fourier_s), (panels, legendre_s), (columns, 0.0)]


def transposed(model: Model) -> np.ndarray:
    """The shares of coefficients, of panels and of points in what is sent for a field."""
    v, w = model.sets
    m = model.truncation + 1
    n_rows = len(model.grid.row_lengths)
    numbers = m * (m + 1) * (1 - 1 / v), 2 * m * n_rows * (1 - 1 / w), model.grid.n_points * (1 - 1 / v)
    return np.array(numbers) / sum(numbers)
