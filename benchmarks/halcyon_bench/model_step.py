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

# Number of groups, exchange method, and name of the kind of MPI progress.
Variant = tuple[int, str, str]


def steps(
    comm: MPI.Comm,
    section: FourierSection,
    variants: Sequence[Variant],
    progress: Mapping[str, Progress | str],
) -> dict[Variant, Run]:
    """Collective. Prepares, for each variant, a semi-implicit step of the spectral model in the Held-Suarez
    test. Truncation, rows of latitude and sets of ranks are those of the section; the model has one level per
    field of the section. `progress` has the progress objects by name."""
    models = {}
    for variant in variants:
        groups, method, name = variant
        models[variant] = _model(comm, section)
        settings = {"groups": groups, "method": method, "progress": progress[name]}
        models[variant].set_exchange(algorithm=section.algorithm, **settings)
    # longest_step transforms the state to the grid, so the first timed step does not include this exchange.
    step_s = STEP_SHARE * min(comm.allgather(min(model.longest_step(100.0) for model in models.values())))
    return {variant: _step_run(model, step_s) for variant, model in models.items()}


def _step_run(model: Model, step_s: float) -> Run:
    """A step of a model; `calls_s` and `work_s` count only the transforms of the model."""
    return Run(
        lambda: model.step(step_s, check=False),
        lambda: model.transforms.exchange_s,
        lambda: model.transforms.fourier_s + model.transforms.legendre_s,
    )


def _model(comm: MPI.Comm, section: FourierSection) -> Model:
    shape = section.truncation, Grid.full(section.rows)
    options = {"scheme": "semi_implicit", "levels": interfaces(section.fields), "held_suarez": True}
    model = Model("primitive", *shape, **options, comm=comm, sets=section.sets)
    set_start(model, START)
    return model


def row(variant: Variant, wall_s: float, calls_s: float, work_s: float) -> dict[str, Any]:
    """One row of the step table; `share`: share of the transforms and their exchanges in the wall time."""
    transforms_s = calls_s + work_s
    times = {"step_s": wall_s, "transforms_s": transforms_s, "calls_s": calls_s}
    settings = dict(zip(("groups", "method", "progress"), variant, strict=True))
    return settings | times | {"share": transforms_s / wall_s}
