"""The start of a run of the atmosphere from the file that its case names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import agreed
from halcyon.run.start.air import air_of
from halcyon.run.start.asked import ground_given, placed, time_of
from halcyon.run.start.restart import set_from_restart
from halcyon.run.start.shallow_water import shallow_water_of
from halcyon.run.start.source import opened
from halcyon.run.start.target import Target
from halcyon.run.state.restart_state import RestartState, is_restart

if TYPE_CHECKING:
    from mpi4py import MPI


def set_start(
    case: AtmosphereCase,
    mesh: LocalMesh,
    core: atmosphere.Core,
    held: RestartState,
    comm: MPI.Comm,
    core_comm: Any,
) -> None:
    """Collective. Sets a core to the state of the file that the case names; each rank reads what it needs.

    held: of the core, what restart files hold.
    Raises InputError and ConfigError, on all ranks, for a file that does not serve the start."""
    given = case.initial
    with agreed(comm), placed(case, "file"):
        of_run = is_restart(given.file)
    if of_run:
        set_from_restart(case, mesh, core, held, comm, core_comm)
        return
    with agreed(comm):
        target = Target.of(mesh, case.levels.interfaces(), given.smoothing)
        with placed(case, "ground"):
            ground = ground_given(case, target.outlines)
        with placed(case, "file"):
            core.set_state(**_state(case, target, ground))


def _state(case: AtmosphereCase, target: Target, ground: np.ndarray | None) -> dict[str, np.ndarray]:
    gravity = case.equations.gravity
    with opened(case.initial.file, *time_of(case)) as source:
        if case.equations.has_levels:
            gas_constant = atmosphere.Air().gas_constant
            return air_of(source, target, gas_constant, gravity, ground, case.tracers)
        return shallow_water_of(source, target, None if ground is None else ground / gravity)
