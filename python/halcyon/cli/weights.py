"""Weights on a command line: whole numbers of a text file, or of a variable of the mesh's own file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from halcyon.base import ConfigError, InputError
from halcyon.cli.common import is_netcdf

MOST_DIGITS = 9


def weights(option: str, text: str, mesh: str, n: int, place: str) -> np.ndarray:
    """The int64 weights of the n cells or edges of a mesh.

    text: a file with a whole number a line, or the name of a variable of the netCDF file `mesh`; place: what
    has a weight, `cell` or `edge`.
    Raises ConfigError where there is neither, InputError for other numbers than n whole ones."""
    if Path(text).is_file():
        return _lines(Path(text), n, place)
    if not is_netcdf(Path(mesh)):
        raise ConfigError(
            f"{option} {text}: there is no such file, and '{mesh}' is no netCDF file with a variable so "
            "called. Give a text file with a whole number a line."
        )
    return _variable(option, text, mesh, n, place)


def _lines(path: Path, n: int, place: str) -> np.ndarray:
    words = [line.strip() for line in path.read_text(errors="replace").rstrip().splitlines()]
    for number, word in enumerate(words, start=1):
        if not word.isdecimal() or len(word) > MOST_DIGITS:
            raise InputError(
                f"{path}:{number}: the weight is '{word[:30]}', but must be a whole number from 0 on, of at "
                f"most {MOST_DIGITS} digits."
            )
    _require_count(str(path), len(words), n, place)
    return np.array([int(word) for word in words], np.int64)


def _variable(option: str, name: str, mesh: str, n: int, place: str) -> np.ndarray:
    from netCDF4 import Dataset

    with Dataset(mesh) as file:
        if name not in file.variables:
            raise ConfigError(
                f"{option} {name}: there is no such file, nor a variable so called in {mesh}. It has "
                f"{', '.join(sorted(file.variables))}."
            )
        found = file[name][...]
    if found.dtype.kind not in "iuf":
        raise InputError(f"{mesh}: {name} has no numbers. Give a variable of whole numbers.")
    values = np.ma.filled(found.astype(float), np.nan).ravel()
    _require_count(f"{mesh}: {name}", values.size, n, place)
    is_whole = (values == np.round(values)) & (np.abs(values) < 10**MOST_DIGITS)
    if not is_whole.all():
        at = int(np.argmin(is_whole))
        raise InputError(
            f"{mesh}: {name} of {place} {at} is {values[at]:g}, but weights are whole numbers of at most "
            f"{MOST_DIGITS} digits. Scale and round them."
        )
    return values.astype(np.int64)


def _require_count(where: str, given: int, n: int, place: str) -> None:
    if given != n:
        raise InputError(
            f"{where}: there are {given:,} weights, but the mesh has {n:,} {place}s. Give one each."
        )
