"""What a case asks of the files of its start, whether they have it, and how their mistakes are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.spectral import SpectralCase
from halcyon.run.start.air import AirVariables
from halcyon.run.start.ground import ground_of
from halcyon.run.start.quantities import relief
from halcyon.run.start.shallow_water import require_shallow_water, require_wind
from halcyon.run.start.source import opened
from halcyon.run.start.target import Outlines
from halcyon.run.state.restart_state import is_restart


def ground_given(case: AtmosphereCase | SpectralCase, outlines: Outlines) -> np.ndarray | None:
    """The geopotential [m2 s-2] (cell) by the file of the ground, 0 where that lies below the sea; None
    where the case names none."""
    if case.initial.ground is None:
        return None
    with opened(case.initial.ground) as source:
        variable = source.required(relief(case.equations.gravity))
        return ground_of(source, variable, outlines, lambda values: np.maximum(values, 0))


def require_there(path: Path) -> None:
    if not Path(path).is_file():
        raise InputError(f"the file {path} does not exist. Names are relative to the case.")


@contextmanager
def placed(case: AtmosphereCase | SpectralCase, option: str) -> Iterator[None]:
    """Puts the place of an option of `initial` before an InputError."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{case.place('initial', option)}: {error}") from None


def time_of(case: AtmosphereCase | SpectralCase) -> tuple[datetime, bool]:
    """The time that the file is to have, and whether the case names it for the file."""
    said = case.initial.time is not None
    return (case.initial.time if said else case.time.start), said


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


def _require_no_ground(case: AtmosphereCase) -> None:
    """Of a start from a restart file."""
    for name, idle in (("ground", None), ("smoothing", 1.0)):
        if getattr(case.initial, name) != idle:
            raise InputError(
                f"{case.place('initial', name)}: initial.{name} does nothing with {case.initial.file}, a"
                " restart file, which has its ground. Leave it out, or start from a fields file."
            )
