"""What a case asks of the files of its start, and how their mistakes are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.spectral import SpectralCase
from halcyon.run.start_file.ground import ground_of
from halcyon.run.start_file.outlines import Outlines
from halcyon.run.start_file.quantities import relief
from halcyon.run.start_file.source import opened


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
