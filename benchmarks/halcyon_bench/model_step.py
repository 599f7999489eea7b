"""Share of the transforms in a step of the spectral model, with the blocking collective and with overlapped
pipelines: figure 9b of the paper on YHGSM's Fourier section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halcyon.atmosphere.levels import interfaces
from halcyon.run.start.on_grid import set_start
from halcyon.spectral import Model
from halcyon.transform import Grid
from halcyon_bench.sections import FourierSection, Run

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress

START = "held_suarez"
STEP_SHARE = 0.5  # of the longest stable step

# Groups, method and the name of the progress.
Way = tuple[int, str, str]


def steps(
    comm: MPI.Comm, section: FourierSection, ways: Sequence[Way], by: Mapping[str, Progress | str]
) -> dict[Way, Run]:
    """Collective. A semi-implicit step of the Held-Suarez test for each of `ways`, with the truncation, rows
    and sets of the section, and one level per field.

    @param by progress objects by the name of the progress"""
    made = {}
    for way in ways:
        groups, method, progress = way
        made[way] = _model(comm, section)
        how = {"groups": groups, "method": method, "progress": by[progress]}
        made[way].set_exchange(algorithm=section.algorithm, **how)
    # longest_step transforms the state to the grid; else the first timed step would include this exchange.
    step_s = STEP_SHARE * min(comm.allgather(min(each.longest_step(100.0) for each in made.values())))
    return {way: _step(model, step_s) for way, model in made.items()}


def _step(model: Model, step_s: float) -> Run:
    """A step of a model; communication calls and work are those of its transforms."""
    return Run(
        lambda: model.step(step_s, check=False),
        lambda: model.transforms.exchange_s,
        lambda: model.transforms.fourier_s + model.transforms.legendre_s,
    )


def _model(comm: MPI.Comm, section: FourierSection) -> Model:
    shape = section.truncation, Grid.full(section.rows)
    how = {"scheme": "semi_implicit", "levels": interfaces(section.fields), "held_suarez": True}
    model = Model("primitive", *shape, **how, comm=comm, sets=section.sets)
    set_start(model, START)
    return model


def row(way: Way, wall_s: float, calls_s: float, work_s: float) -> dict[str, Any]:
    """One result; `share` is the share of the transforms, including their exchanges, in the step."""
    transforms_s = calls_s + work_s
    times = {"step_s": wall_s, "transforms_s": transforms_s, "calls_s": calls_s}
    named = dict(zip(("groups", "method", "progress"), way, strict=True))
    return named | times | {"share": transforms_s / wall_s}
