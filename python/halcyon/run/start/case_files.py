"""The initial state and orography files of a case: opened at the requested time, checked before the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.spectral import SpectralCase
from halcyon.run.input.forcing import locate_errors
from halcyon.run.start.air import AirVariables
from halcyon.run.start.quantities import orography_quantity
from halcyon.run.start.shallow_water import require_shallow_water, require_wind
from halcyon.run.start.source import Source, open_source
from halcyon.run.start.target import CellPolygons, cell_orography
from halcyon.run.state.restart_state import is_restart


def orography_of_case(case: AtmosphereCase | SpectralCase, polygons: CellPolygons) -> np.ndarray | None:
    """The surface geopotential [m2 s-2] (cell) from the orography file of the case, 0 below sea level; None
    if the case has no such file."""
    if case.initial.ground is None:
        return None
    with locate_errors(case, "initial", "ground"), open_source(case.initial.ground) as source:
        variable = source.require_variable(orography_quantity(case.equations.gravity))
        return cell_orography(source, variable, polygons, lambda values: np.maximum(values, 0))


def require_file(path: Path) -> None:
    """Raises InputError if a file does not exist."""
    if not Path(path).exists():
        raise InputError(f"the file {path} does not exist. Paths are relative to the case file.")


@contextmanager
def open_start(case: AtmosphereCase | SpectralCase) -> Iterator[Source]:
    """Opens the initial state file of a case at the requested time. Raises InputError with file and line of
    the case."""
    has_time = case.initial.time is not None
    time = case.initial.time if has_time else case.time.start
    with locate_errors(case, "initial", "file"), open_source(case.initial.file, time, has_time) as source:
        yield source


def check_start(case: AtmosphereCase | SpectralCase) -> None:
    """Raises InputError if a file of `initial` is missing, or lacks a variable that the initial state
    needs."""
    initial = case.initial
    with locate_errors(case, "initial", "file"):
        require_file(initial.file)
        is_restart_file = is_restart(initial.file)
    if is_restart_file and isinstance(case, SpectralCase):
        raise InputError(
            f"{case.location('initial', 'file')}: {initial.file} is a restart file, which has no orography"
            " for the spectral model. Resume the run of this file with --resume, or start from a fields file."
        )
    if is_restart_file:
        assert isinstance(case, AtmosphereCase)
        _require_no_orography(case)
        return
    with open_start(case) as source:
        if case.equations.has_levels:
            has_new_orography = initial.ground is not None
            tracers = case.tracers if isinstance(case, AtmosphereCase) else ()
            AirVariables.find(
                source,
                case.equations.gravity,
                has_new_orography=has_new_orography,
                tracers=tracers,
                is_moist=case.equations.moist,
            )
        elif case.equations.set == "barotropic":
            require_wind(source)
        else:
            require_shallow_water(source)
    if initial.ground is not None:
        with locate_errors(case, "initial", "ground"):
            require_file(initial.ground)
            with open_source(initial.ground) as source:
                source.require_variable(orography_quantity(case.equations.gravity))


def _require_no_orography(case: AtmosphereCase) -> None:
    """Raises InputError for orography options of `initial` with a restart file."""
    for name, default in (("ground", None), ("smoothing", 1.0)):
        if getattr(case.initial, name) != default:
            raise InputError(
                f"{case.location('initial', name)}: initial.{name} has no effect with {case.initial.file},"
                " a restart file, which includes the orography. Remove the option, or start from a fields"
                " file."
            )
