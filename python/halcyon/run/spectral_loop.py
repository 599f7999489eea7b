"""A run of the spectral model, from its input to its pictures."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from halcyon import spectral
from halcyon.config.spectral import SpectralCase
from halcyon.run import report
from halcyon.run.atmosphere_steps import atmosphere_steps_of
from halcyon.run.errors import agreed
from halcyon.run.loop import conclude, draw_pictures
from halcyon.run.progress import say
from halcyon.run.spectral_run import SpectralRun
from halcyon.run.spectral_start import set_start
from halcyon.run.stop import Stop
from halcyon.transform import Grid

if TYPE_CHECKING:
    from mpi4py import MPI

JET = 100.0  # wind [m s-1] for which a step of the air that is ours to choose leaves room


def execute(
    case: SpectralCase, comm: MPI.Comm, stop: Stop, resumed: Callable[[], None] | None = None
) -> None:
    """Collective. Runs a case of the spectral model; as `halcyon.run.models.execute`."""
    from halcyon.comm import communicator

    began = clock.perf_counter()
    with agreed(comm):
        model = model_of(case, comm)
        set_start(model, case.initial.type, case.initial.options())
    longest_s = _least(comm, model.longest_step(_least_speed(case)))
    with agreed(comm):
        steps = atmosphere_steps_of(case, longest_s)
    run = SpectralRun(case, steps, model, comm, communicator(comm), stop)
    say(comm, report.rows_text(_plan(run)))
    if resumed is not None:
        run.resume(resumed)
    run.set_up_s = clock.perf_counter() - began
    with agreed(comm):
        run.exchange.begin()
    run.all()
    with run.timed("pictures_s"):
        pictures = draw_pictures(case, comm)
    outcome = run.outcome(clock.perf_counter() - began, run.model_s())
    found = {"hidden": run.exchange.hidden(), "exchange": run.exchange.text() if comm.size > 1 else None}
    conclude(run, replace(outcome, files=[*outcome.files, *pictures], **found), steps.step_s)


def model_of(case: SpectralCase, comm: MPI.Comm) -> spectral.Model:
    """Collective. The model of a case, without a start."""
    given, diffusion = case.equations, case.equations.hyperdiffusion
    return spectral.Model(
        given.set,
        case.mesh.truncation,
        Grid.full(*case.grid),
        planet=spectral.Planet(radius=given.radius, rotation=given.rotation, gravity=given.gravity),
        scheme="semi_implicit" if case.is_semi_implicit else "runge_kutta",
        filter=case.time.filter,
        filter_share=case.time.filter_share,
        diffusion=None if diffusion is None else (diffusion.order, diffusion.time_scale),
        levels=case.levels.interfaces() if given.has_levels else None,
        held_suarez=case.physics == "held_suarez",
        comm=comm,
        sets=case.sets(comm.size),
    )


def _least(comm: MPI.Comm, value: float) -> float:
    from mpi4py import MPI

    return comm.allreduce(value, op=MPI.MIN)


def _least_speed(case: SpectralCase) -> float:
    """Winds of the air are to come: an `auto` step leaves room for a jet."""
    return JET if case.time.step == "auto" and case.equations.has_levels else 0.0


def _ranks_text(run: SpectralRun) -> str:
    """`4, 2 x 2 sets, 3 groups, isend_irecv, burst, poll`"""
    v, w = run.core.sets
    return str(v * w) if v * w == 1 else f"{v * w}, {v} x {w} sets, {run.exchange.text()}"


def _plan(run: SpectralRun) -> list[tuple[str, str]]:
    """What will run, before it does."""
    case, steps, model = run.case, run.steps, run.core
    latitudes, longitudes = model.grid.shape
    levels = f", {model.n_levels} levels" if model.n_levels > 1 else ""
    scheme = "semi-implicit" if case.is_semi_implicit else "Runge-Kutta"
    behind = "behind" if case.io.background else "between"
    return [
        ("case", str(case.path)),
        ("time", f"{case.time.start:%Y-%m-%d %H:%M} to {case.time.end:%Y-%m-%d %H:%M} UTC"),
        ("grid", f"T{model.truncation}, {latitudes} latitudes x {longitudes} longitudes{levels}"),
        ("equations", f"{case.equations.set}, {scheme}, from {case.initial.type}"),
        ("ranks", _ranks_text(run)),
        ("steps", f"{steps.n_steps:,} of {steps.step_s:g} s"),
        ("memory", report.memory(run.comm.allreduce(model.memory_bytes))),
        ("files", f"{run.recorder.ranks.description}, {behind} the steps"),
        ("restart", report.restart_text(case.restart.interval)),
        ("output", str(case.folder)),
    ]
