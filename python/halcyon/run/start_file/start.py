"""The start of a run of the atmosphere from the file that its case names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon import atmosphere
from halcyon.base import InputError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.decomposition import LocalMesh
from halcyon.run.errors import agreed
from halcyon.run.held import is_restart
from halcyon.run.start_file.air import AirVariables, air_of
from halcyon.run.start_file.restart import set_from_restart
from halcyon.run.start_file.shallow_water import require_shallow_water, shallow_water_of
from halcyon.run.start_file.source import opened
from halcyon.run.start_file.target import Target

if TYPE_CHECKING:
    from mpi4py import MPI


def check_start(case: AtmosphereCase) -> None:
    """Raises InputError where the file that a case starts from is missing, or lacks what the start needs."""
    path = case.initial.file
    with _placed(case):
        if not Path(path).is_file():
            raise InputError(f"the file {path} does not exist. Names are relative to the case.")
        if is_restart(path):
            return
        with opened(path, *_time(case)) as source:
            if case.equations.has_levels:
                AirVariables.of(source, case.equations.gravity)
            else:
                require_shallow_water(source)


def set_start(
    case: AtmosphereCase, mesh: LocalMesh, core: atmosphere.Core, comm: MPI.Comm, core_comm: Any
) -> None:
    """Collective. Sets a core to the state of the file that the case names; each rank reads what it needs.

    Raises InputError and ConfigError, on all ranks, for a file that does not serve the start."""
    path = case.initial.file
    with agreed(comm), _placed(case):
        of_run = is_restart(path)
    if of_run:
        set_from_restart(case, mesh, core, comm, core_comm)
        return
    with agreed(comm), _placed(case):
        target = Target.of(mesh, case.levels.interfaces())
        with opened(path, *_time(case)) as source:
            if case.equations.has_levels:
                gas_constant = atmosphere.Air().gas_constant
                found = air_of(source, target, gas_constant, case.equations.gravity)
            else:
                found = shallow_water_of(source, target)
        core.set_state(**found)


@contextmanager
def _placed(case: AtmosphereCase) -> Iterator[None]:
    """Puts the place of the option before an InputError."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{case.place('initial', 'file')}: {error}") from None


def _time(case: AtmosphereCase) -> tuple[datetime, bool]:
    """The time that the file is to have, and whether the case names it for the file."""
    said = case.initial.time is not None
    return (case.initial.time if said else case.time.start), said
