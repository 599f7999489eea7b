"""What transforms take of a step of the spectral model, by the blocking collective and by pipelines: figure
9b of the paper on YHGSM's Fourier section, before overlap and with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from halcyon.atmosphere.levels import interfaces
from halcyon.run.spectral_start import set_start
from halcyon.spectral import Model
from halcyon.transform import Grid
from halcyon_bench.sections import Fourier, Run

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress

START = "held_suarez"
STEP_SHARE = 0.5  # of the longest stable step

# Groups, method and the name of the progress.
Way = tuple[int, str, str]


class Step:
    """A step of a model that exchanges in one way: calls are those of its transforms, and so is work."""

    def __init__(self, model: Model, step_s: float) -> None:
        self._model, self._step_s = model, step_s

    def run(self) -> None:
        self._model.step(self._step_s, check=False)

    @property
    def statistics(self) -> SimpleNamespace:
        return SimpleNamespace(transfer_s=self._model.transforms.exchange_s, wait_s=0.0)

    @property
    def work_s(self) -> float:
        taken = self._model.transforms
        return taken.fourier_s + taken.legendre_s


def steps(
    comm: MPI.Comm, section: Fourier, ways: Sequence[Way], by: Mapping[str, Progress | str]
) -> dict[Way, Run]:
    """Collective. A step of Held and Suarez' air by each way, semi-implicit: of the section's truncation,
    rows and sets, and of as many levels as it has fields.

    @param by progress by its name in the ways"""
    made = {}
    for way in ways:
        groups, method, progress = way
        made[way] = _model(comm, section)
        how = {"groups": groups, "method": method, "progress": by[progress]}
        made[way].communicate(algorithm=section.algorithm, **how)
    # All bring their states to the grid: who had not would make an exchange in a step that counts.
    step_s = STEP_SHARE * min(comm.allgather(min(each.longest_step(100.0) for each in made.values())))
    return {way: Step(model, step_s) for way, model in made.items()}


def _model(comm: MPI.Comm, section: Fourier) -> Model:
    model = Model(
        "primitive",
        section.truncation,
        Grid.full(section.rows),
        scheme="semi_implicit",
        levels=interfaces(section.fields),
        held_suarez=True,
        comm=comm,
        sets=section.sets,
    )
    set_start(model, START)
    return model


def row(way: Way, wall_s: float, calls_s: float, work_s: float) -> dict[str, Any]:
    """A line of what is found; `share` is that of transforms, with their exchanges, of the step."""
    groups, method, progress = way
    transforms_s = calls_s + work_s
    return {
        "method": method,
        "groups": groups,
        "progress": progress,
        "step_s": wall_s,
        "transforms_s": transforms_s,
        "calls_s": calls_s,
        "share": transforms_s / wall_s,
    }
