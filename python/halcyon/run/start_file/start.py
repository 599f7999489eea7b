"""The start of a run of the atmosphere from the file that its case names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere
from halcyon.base import InputError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.spectral import SpectralCase
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import agreed
from halcyon.run.held import is_restart
from halcyon.run.start_file.air import AirVariables, air_of
from halcyon.run.start_file.asked import ground_given, placed, require_there, time_of
from halcyon.run.start_file.quantities import relief
from halcyon.run.start_file.restart import set_from_restart
from halcyon.run.start_file.shallow_water import require_shallow_water, require_wind, shallow_water_of
from halcyon.run.start_file.source import opened
from halcyon.run.start_file.target import Target

if TYPE_CHECKING:
    from mpi4py import MPI


def check_start(case: AtmosphereCase | SpectralCase) -> None:
    """Raises InputError where a file that a case starts from is missing, or lacks what the start needs."""
    given = case.initial
    with placed(case, "file"):
        require_there(given.file)
        of_run = is_restart(given.file)
    if of_run and isinstance(case, SpectralCase):
        raise InputError(
            f"{case.place('initial', 'file')}: {given.file} is a restart file, which has no ground for the"
            " spectral model. Go on with its run by --resume, or start from a fields file."
        )
    if of_run:
        _require_no_ground(case)
        return
    with placed(case, "file"), opened(given.file, *time_of(case)) as source:
        if case.equations.has_levels:
            moves = given.ground is not None
            tracers = case.tracers if isinstance(case, AtmosphereCase) else ()
            AirVariables.of(source, case.equations.gravity, moves=moves, tracers=tracers)
        elif case.equations.set == "barotropic":
            require_wind(source)
        else:
            require_shallow_water(source)
    if given.ground is not None:
        with placed(case, "ground"):
            require_there(given.ground)
            with opened(given.ground) as source:
                source.required(relief(case.equations.gravity))


def set_start(
    case: AtmosphereCase, mesh: LocalMesh, core: atmosphere.Core, comm: MPI.Comm, core_comm: Any
) -> None:
    """Collective. Sets a core to the state of the file that the case names; each rank reads what it needs.

    Raises InputError and ConfigError, on all ranks, for a file that does not serve the start."""
    given = case.initial
    with agreed(comm), placed(case, "file"):
        of_run = is_restart(given.file)
    if of_run:
        set_from_restart(case, mesh, core, comm, core_comm)
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


def _require_no_ground(case: AtmosphereCase) -> None:
    """Of a start from a restart file."""
    for name, idle in (("ground", None), ("smoothing", 1.0)):
        if getattr(case.initial, name) != idle:
            raise InputError(
                f"{case.place('initial', name)}: initial.{name} does nothing with {case.initial.file}, a"
                " restart file, which has its ground. Leave it out, or start from a fields file."
            )
