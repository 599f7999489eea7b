"""A run of the atmosphere on all ranks: its set-up."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon import atmosphere
from halcyon.atmosphere.levels import lowest_surface_pressure
from halcyon.base import ConfigError
from halcyon.config.atmosphere import PRESSURE, AtmosphereCase
from halcyon.config.initial import FromFile
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import agreed
from halcyon.run.assemble import local_mesh_of
from halcyon.run.atmosphere_run import AtmosphereRun
from halcyon.run.atmosphere_steps import atmosphere_steps_of
from halcyon.run.core_run import plan_text
from halcyon.run.course import Draw, complete
from halcyon.run.extremes import least
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI


def execute(
    case: AtmosphereCase,
    mesh_file: Path,
    comm: MPI.Comm,
    stop: Stop,
    resumed: Callable[[], None] | None = None,
    draw: Draw | None = None,
) -> None:
    """Collective. Runs a case of the atmosphere; as `halcyon.run.models.execute`."""
    from halcyon.comm import communicator

    began = clock.perf_counter()
    mesh, core_comm = local_mesh_of(case, mesh_file, comm), communicator(comm)
    core = core_of(case, mesh, comm, core_comm)
    lowest, longest_s = _lowest_surface_pressure(case, core, comm), _longest_step(case, core, comm)
    with agreed(comm):
        _check_levels(case, lowest)
        steps = atmosphere_steps_of(case, longest_s)
    run = AtmosphereRun(case, mesh, steps, core, comm, core_comm, stop)
    complete(run, _plan(run, mesh), began, resumed, draw)


def core_of(case: AtmosphereCase, mesh: LocalMesh, comm: MPI.Comm, core_comm: Any) -> atmosphere.Core:
    """Collective. This rank's part of the core, at the start of the case."""
    given = case.equations
    planet = atmosphere.Planet(radius=given.radius, rotation=given.rotation, gravity=given.gravity)
    scheme = atmosphere.Scheme(
        vertex_energy=0.0 if given.keep_energy else given.vertex_energy,
        anticipation=given.anticipation,
        diffusion=given.diffusion,
        hyperdiffusion=given.hyperdiffusion,
        divergence_damping=given.divergence_damping,
        transport_order=given.transport_order,
        upwinding=given.upwinding,
        monotone=given.monotone,
    )
    core = atmosphere.make_core(
        core_comm,
        mesh,
        planet,
        scheme,
        equations=given.set,
        single=given.precision == 32,
        method=case.exchange.method,
        overlap=case.exchange.overlap,
        semi_implicit=case.is_semi_implicit,
        tolerance=case.time.tolerance,
        air=_air_of(case) if given.has_levels else None,
    )
    if isinstance(case.initial, FromFile):
        from halcyon.run.start_file import set_start

        set_start(case, mesh, core, comm, core_comm)
    else:
        core.set(case.initial.type, case.initial.options())
    return core


def _air_of(case: AtmosphereCase) -> atmosphere.AirOptions:
    given = case.equations
    a, b = case.levels.interfaces()
    sponge = (
        {}
        if given.sponge is None
        else {
            "sponge_pressure": given.sponge.pressure,
            "sponge_rate": given.sponge.rate,
        }
    )
    return atmosphere.AirOptions(
        a=a,
        b=b,
        off_centring=0.5 if given.keep_energy else given.off_centring,
        held_suarez=case.physics == "held_suarez",
        keep_energy=given.keep_energy,
        tracers=case.tracers,
        **sponge,
    )


def _longest_step(case: AtmosphereCase, core: atmosphere.Core, comm: MPI.Comm) -> float:
    """Collective. That is stable at the start [s]; an `auto` step leaves room for winds to grow."""
    auto = case.time.step == "auto"
    return least(comm, core.longest_step_with_room() if auto else core.longest_step())


def _lowest_surface_pressure(case: AtmosphereCase, core: atmosphere.Core, comm: MPI.Comm) -> float:
    """Collective. Of the start [Pa]; without levels there is none: infinity."""
    if not case.equations.has_levels:
        return float("inf")
    return least(comm, float(core.prognostic(PRESSURE).min(initial=float("inf"))))


def _check_levels(case: AtmosphereCase, lowest: float) -> None:
    """Raises ConfigError where the start has the ground higher up than the levels reach."""
    if not case.equations.has_levels:
        return
    top = float(case.levels.interfaces()[0][0])
    least = lowest_surface_pressure(top)
    if lowest < least:
        raise ConfigError(
            f"{case.place('initial')}: the pressure at the ground goes down to {lowest:.0f} Pa, but levels"
            f" with their top at {top:g} Pa reach grounds of {least:g} Pa and more. Lower the mountains, or"
            " the pressure of the top."
        )


def _equations_of(case: AtmosphereCase) -> str:
    """What is solved, in some words."""
    scheme = ", semi-implicit" if case.is_semi_implicit else ""
    return f"{case.equations.set}{scheme}, {case.equations.precision} bits, from {case.initial.word}"


def _plan(run: AtmosphereRun, mesh: LocalMesh) -> str:
    """Collective."""
    levels = f" of {run.core.n_levels} levels" if run.core.n_levels > 1 else ""
    cells = ("cells", f"{mesh.n_items[0]:,}{levels}")
    return plan_text(run, cells, _equations_of(run.case), f"{run.comm.size} ({run.core.exchange})")
