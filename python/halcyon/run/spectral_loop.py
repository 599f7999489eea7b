"""A run of the spectral model: its set-up."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING

from halcyon import spectral
from halcyon.config.gaussian import Gaussian
from halcyon.config.initial import FromFile
from halcyon.config.spectral import SpectralCase
from halcyon.launch.errors import agreed
from halcyon.run.atmosphere_steps import atmosphere_steps_of
from halcyon.run.core_run import plan_text
from halcyon.run.course import Draw, complete
from halcyon.run.extremes import least
from halcyon.run.spectral_run import SpectralRun
from halcyon.run.spectral_start import state_of_start
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI

JET = 100.0  # wind [m s-1] for which a step of the air that is ours to choose leaves room


def execute(
    case: SpectralCase,
    comm: MPI.Comm,
    stop: Stop,
    resumed: Callable[[], None] | None = None,
    draw: Draw | None = None,
) -> None:
    """Collective. Runs a case of the spectral model; as `halcyon.run.models.execute`."""
    from halcyon.comm import communicator

    began = clock.perf_counter()
    with agreed(comm):
        model = model_of(case, comm)
    _start(case, model, comm)
    longest_s = least(comm, model.longest_step(_least_speed(case)))
    with agreed(comm):
        steps = atmosphere_steps_of(case, longest_s)
    run = SpectralRun(case, steps, model, comm, communicator(comm), stop)
    complete(run, _plan(run), began, resumed, draw)


def _start(case: SpectralCase, model: spectral.Model, comm: MPI.Comm) -> None:
    """Collective."""
    if isinstance(case.initial, FromFile):
        from halcyon.run.start_file import set_on_grid

        set_on_grid(case, model, comm)
        return
    with agreed(comm):
        state = state_of_start(model, case.initial.type, case.initial.options())
    model.set(**state)


def model_of(case: SpectralCase, comm: MPI.Comm) -> spectral.Model:
    """Collective. The model of a case, without a start."""
    given, diffusion = case.equations, case.equations.hyperdiffusion
    return spectral.Model(
        given.set,
        case.mesh.truncation,
        case.mesh.made,
        planet=spectral.Planet(radius=given.radius, rotation=given.rotation, gravity=given.gravity),
        scheme="semi_implicit" if case.is_semi_implicit else "runge_kutta",
        filter=case.time.filter,
        filter_share=case.time.filter_share,
        diffusion=None if diffusion is None else (diffusion.order, diffusion.time_scale),
        levels=case.levels.interfaces() if given.has_levels else None,
        held_suarez=case.physics == "held_suarez",
        memory=case.mesh.memory,
        comm=comm,
        sets=case.sets(comm.size),
    )


def _least_speed(case: SpectralCase) -> float:
    """Winds of the air are to come: an `auto` step leaves room for a jet."""
    return JET if case.time.step == "auto" and case.equations.has_levels else 0.0


def _grid_text(mesh: Gaussian) -> str:
    """`32 latitudes x 64 longitudes`, or `octahedral, 44 rows of 20 to 104 points`"""
    if mesh.grid == "full":
        return f"{mesh.n_latitudes} latitudes x {mesh.n_longitudes} longitudes"
    return f"{mesh.grid}, {mesh.words}"


def _ranks_text(run: SpectralRun) -> str:
    """`4, 2 x 2 sets, 3 groups, isend_irecv, burst, poll`"""
    v, w = run.core.sets
    return str(v * w) if v * w == 1 else f"{v * w}, {v} x {w} sets, {run.exchange.text()}"


def _plan(run: SpectralRun) -> str:
    """Collective."""
    case, model = run.case, run.core
    levels = f", {model.n_levels} levels" if model.n_levels > 1 else ""
    scheme = "semi-implicit" if case.is_semi_implicit else "Runge-Kutta"
    grid = ("grid", f"T{model.truncation}, {_grid_text(case.mesh)}{levels}")
    equations = f"{case.equations.set}, {scheme}, from {case.initial.word}"
    return plan_text(run, grid, equations, _ranks_text(run))
