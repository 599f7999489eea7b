"""What transforms take of a step of the spectral model, by the blocking collective and by pipelines: figure
9b of the paper on YHGSM's Fourier section, before overlap and with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halcyon.atmosphere.levels import interfaces
from halcyon.run.start.on_grid import set_start
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
        made[way].set_exchange(algorithm=section.algorithm, **how)
    # All bring their states to the grid: who had not would make an exchange in a step that counts.
    step_s = STEP_SHARE * min(comm.allgather(min(each.longest_step(100.0) for each in made.values())))
    return {way: _step(model, step_s) for way, model in made.items()}


def _step(model: Model, step_s: float) -> Run:
    """A step of a model: calls are those of its transforms, and so is work."""
    return Run(
        lambda: model.step(step_s, check=False),
        lambda: model.transforms.exchange_s,
        lambda: model.transforms.fourier_s + model.transforms.legendre_s,
    )


def _model(comm: MPI.Comm, section: Fourier) -> Model:
    shape = section.truncation, Grid.full(section.rows)
    how = {"scheme": "semi_implicit", "levels": interfaces(section.fields), "held_suarez": True}
    model = Model("primitive", *shape, **how, comm=comm, sets=section.sets)
    set_start(model, START)
    return model


def row(way: Way, wall_s: float, calls_s: float, work_s: float) -> dict[str, Any]:
    """A line of what is found; `share` is that of transforms, with their exchanges, of the step."""
    transforms_s = calls_s + work_s
    times = {"step_s": wall_s, "transforms_s": transforms_s, "calls_s": calls_s}
    named = dict(zip(("groups", "method", "progress"), way, strict=True))
    return named | times | {"share": transforms_s / wall_s}
