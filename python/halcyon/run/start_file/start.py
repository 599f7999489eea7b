"""The start of a run of the atmosphere from the file that its case names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere
from halcyon.base import InputError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.decomposition import LocalMesh
from halcyon.run.errors import agreed
from halcyon.run.held import is_restart
from halcyon.run.start_file.air import AirVariables, air_of
from halcyon.run.start_file.ground import ground_of
from halcyon.run.start_file.quantities import relief
from halcyon.run.start_file.restart import set_from_restart
from halcyon.run.start_file.shallow_water import require_shallow_water, shallow_water_of
from halcyon.run.start_file.source import opened
from halcyon.run.start_file.target import Target

if TYPE_CHECKING:
    from mpi4py import MPI


def check_start(case: AtmosphereCase) -> None:
    """Raises InputError where a file that a case starts from is missing, or lacks what the start needs."""
    given = case.initial
    with _placed(case, "file"):
        _require_there(given.file)
        of_run = is_restart(given.file)
    if of_run:
        _require_no_ground(case)
        return
    with _placed(case, "file"), opened(given.file, *_time(case)) as source:
        if case.equations.has_levels:
            moves = given.ground is not None
            AirVariables.of(source, case.equations.gravity, moves=moves, tracers=case.tracers)
        else:
            require_shallow_water(source)
    if given.ground is not None:
        with _placed(case, "ground"):
            _require_there(given.ground)
            with opened(given.ground) as source:
                source.required(relief(case.equations.gravity))


def set_start(
    case: AtmosphereCase, mesh: LocalMesh, core: atmosphere.Core, comm: MPI.Comm, core_comm: Any
) -> None:
    """Collective. Sets a core to the state of the file that the case names; each rank reads what it needs.

    Raises InputError and ConfigError, on all ranks, for a file that does not serve the start."""
    given = case.initial
    with agreed(comm), _placed(case, "file"):
        of_run = is_restart(given.file)
    if of_run:
        set_from_restart(case, mesh, core, comm, core_comm)
        return
    with agreed(comm):
        target = Target.of(mesh, case.levels.interfaces(), given.smoothing)
        with _placed(case, "ground"):
            ground = _ground(case, target)
        with _placed(case, "file"):
            core.set_state(**_state(case, target, ground))


def _state(case: AtmosphereCase, target: Target, ground: np.ndarray | None) -> dict[str, np.ndarray]:
    gravity = case.equations.gravity
    with opened(case.initial.file, *_time(case)) as source:
        if case.equations.has_levels:
            gas_constant = atmosphere.Air().gas_constant
            return air_of(source, target, gas_constant, gravity, ground, case.tracers)
        return shallow_water_of(source, target, None if ground is None else ground / gravity)


def _ground(case: AtmosphereCase, target: Target) -> np.ndarray | None:
    """The geopotential [m2 s-2] (local cell) by the file of the ground, 0 where that lies below the sea; None
    where the case names none."""
    if case.initial.ground is None:
        return None
    with opened(case.initial.ground) as source:
        variable = source.required(relief(case.equations.gravity))
        return ground_of(source, variable, target.outlines, lambda values: np.maximum(values, 0))


def _require_there(path: Path) -> None:
    if not Path(path).is_file():
        raise InputError(f"the file {path} does not exist. Names are relative to the case.")


def _require_no_ground(case: AtmosphereCase) -> None:
    """Of a start from a restart file."""
    for name, idle in (("ground", None), ("smoothing", 1.0)):
        if getattr(case.initial, name) != idle:
            raise InputError(
                f"{case.place('initial', name)}: initial.{name} does nothing with {case.initial.file}, a"
                " restart file, which has its ground. Leave it out, or start from a fields file."
            )


@contextmanager
def _placed(case: AtmosphereCase, option: str) -> Iterator[None]:
    """Puts the place of an option of `initial` before an InputError."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{case.place('initial', option)}: {error}") from None


def _time(case: AtmosphereCase) -> tuple[datetime, bool]:
    """The time that the file is to have, and whether the case names it for the file."""
    said = case.initial.time is not None
    return (case.initial.time if said else case.time.start), said
