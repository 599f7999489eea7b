"""Weights of cells or edges: whole numbers in a text file, or in a variable of the mesh file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from halcyon.base import ConfigError, InputError, read_bytes
from halcyon.cli.common import is_netcdf

MOST_DIGITS = 9


def weights(option: str, text: str, mesh: str, n: int, element: str) -> np.ndarray:
    """The int64 weights of the n cells or edges of a mesh.

    text: a file with one whole number per line, or the name of a variable in the netCDF file `mesh`;
    element: `cell` or `edge`.
    Raises ConfigError if there is no such file or variable, InputError unless it has n whole numbers."""
    if Path(text).is_file():
        return _from_lines(Path(text), n, element)
    if not is_netcdf(Path(mesh)):
        raise ConfigError(
            f"{option} {text}: there is no such file, and '{mesh}' is not a netCDF file with such a "
            "variable. Give a text file with one whole number per line."
        )
    return _from_variable(option, text, mesh, n, element)


def _from_lines(path: Path, n: int, element: str) -> np.ndarray:
    words = [line.strip() for line in read_bytes(path, "weights").decode(errors="replace").rstrip().splitlines()]
    for number, word in enumerate(words, start=1):
        if not word.isdecimal() or len(word) > MOST_DIGITS:
            raise InputError(
                f"{path}:{number}: the weight is '{word[:30]}', but must be a whole number of at most "
                f"{MOST_DIGITS} digits."
            )
    _require_count(str(path), len(words), n, element)
    return np.array([int(word) for word in words], np.int64)


def _from_variable(option: str, name: str, mesh: str, n: int, element: str) -> np.ndarray:
    from netCDF4 import Dataset

    with Dataset(mesh) as file:
        if name not in file.variables:
            raise ConfigError(
                f"{option} {name}: there is no such file, and no such variable in {mesh}. It has "
                f"{', '.join(sorted(file.variables))}."
            )
        variable = file[name][...]
    if variable.dtype.kind not in "iuf":
        raise InputError(f"{mesh}: {name} is not numeric. Give a variable of whole numbers.")
    values = np.ma.filled(variable.astype(float), np.nan).ravel()
    _require_count(f"{mesh}: {name}", values.size, n, element)
    is_whole = (values == np.round(values)) & (np.abs(values) < 10**MOST_DIGITS)
    if not is_whole.all():
        index = int(np.argmin(is_whole))
        raise InputError(
            f"{mesh}: {name} of {element} {index} is {values[index]:g}, but weights are whole numbers of at "
            f"most {MOST_DIGITS} digits. Scale and round them."
        )
    return values.astype(np.int64)


def _require_count(file: str, given: int, n: int, element: str) -> None:
    if given != n:
        raise InputError(
            f"{file}: there are {given:,} weights, but the mesh has {n:,} {element}s. Give one per {element}."
        )
