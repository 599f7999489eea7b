"""What a case asks of the files of its start, whether they have it, and how their mistakes are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.spectral import SpectralCase
from halcyon.run.input.forcing import placed
from halcyon.run.start.air import AirVariables
from halcyon.run.start.quantities import relief
from halcyon.run.start.shallow_water import require_shallow_water, require_wind
from halcyon.run.start.source import Source, opened
from halcyon.run.start.target import Outlines, ground_of
from halcyon.run.state.restart_state import is_restart


def ground_given(case: AtmosphereCase | SpectralCase, outlines: Outlines) -> np.ndarray | None:
    """The geopotential [m2 s-2] (cell) by the file of the ground, 0 where that lies below the sea; None
    where the case names none."""
    if case.initial.ground is None:
        return None
    with placed(case, "initial", "ground"), opened(case.initial.ground) as source:
        variable = source.required(relief(case.equations.gravity))
        return ground_of(source, variable, outlines, lambda values: np.maximum(values, 0))


def require_there(path: Path) -> None:
    if not Path(path).is_file():
        raise InputError(f"the file {path} does not exist. Names are relative to the case.")


@contextmanager
def start_of(case: AtmosphereCase | SpectralCase) -> Iterator[Source]:
    """The file that a case starts from, at its time. Raises InputError, which names the place in the case."""
    said = case.initial.time is not None
    time = case.initial.time if said else case.time.start
    with placed(case, "initial", "file"), opened(case.initial.file, time, said) as source:
        yield source


def check_start(case: AtmosphereCase | SpectralCase) -> None:
    """Raises InputError where a file that a case starts from is missing, or lacks what the start needs."""
    given = case.initial
    with placed(case, "initial", "file"):
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
    with start_of(case) as source:
        if case.equations.has_levels:
            moves = given.ground is not None
            tracers = case.tracers if isinstance(case, AtmosphereCase) else ()
            AirVariables.of(source, case.equations.gravity, moves=moves, tracers=tracers)
        elif case.equations.set == "barotropic":
            require_wind(source)
        else:
            require_shallow_water(source)
    if given.ground is not None:
        with placed(case, "initial", "ground"):
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
