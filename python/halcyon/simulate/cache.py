"""Results of simulations that have been done, each in a file of the user's cache folder."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import xarray as xr

import halcyon
from halcyon import _core
from halcyon.base import RunError, cache_folder
from halcyon.config.simulation import Simulation
from halcyon.launch.interrupt import held_back

WITHOUT_EFFECT = {"title", "series", "sweep", "picture"}
ABANDONED_S = 3600.0  # the age of a part of a file that nobody writes any more


def key(case: Simulation) -> str:
    """What tells the result of a case from that of any other: its options, what is in the files that they
    name, and the library that computes it."""
    options = case.model_dump(mode="json", exclude=WITHOUT_EFFECT)
    options["machine"].pop("measured")
    names = {*_files(case.model_dump(exclude=WITHOUT_EFFECT)), getattr(case.workload, "mesh", "")}
    files = {name: _digest(Path(name)) for name in sorted(names - {""})}
    text = json.dumps([options, files, _library()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def find(case: Simulation) -> xr.Dataset | None:
    """The result of a case that has been simulated before; None where there is none that can be read."""
    try:
        with xr.open_dataset(_path(case), engine="netcdf4") as data:
            return data.load()
    except (OSError, ValueError, RuntimeError, KeyError):  # as damage shows itself in netCDF4 and xarray
        return None


def require_writable() -> None:
    """Raises RunError where results cannot be kept. Removes what writers left that were killed."""
    with _kept(_folder()):
        _remove_abandoned()
        handle, probe = tempfile.mkstemp(dir=_folder(), suffix=".part")
        os.close(handle)
        os.unlink(probe)


def keep(case: Simulation, data: xr.Dataset) -> None:
    """Puts a result into the cache, whole or not at all. Raises RunError where it cannot be written."""
    with _kept(_folder()):
        write(_path(case), data)


def write(path: Path, data: xr.Dataset) -> None:
    """Writes a dataset, large variables packed; whole or not at all. Raises OSError or RuntimeError where it
    cannot be written."""
    packed = {name: {"zlib": True, "complevel": 1} for name in data.data_vars if data[name].size > 1000}
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    with held_back():
        try:
            data.to_netcdf(temporary, engine="netcdf4", encoding=packed)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def _remove_abandoned() -> None:
    """Nobody writes a result for an hour; on which host a writer of now runs cannot be told."""
    for part in _folder().glob("*.part"):
        with suppress(OSError):  # another's, or gone by now
            if time.time() - part.stat().st_mtime > ABANDONED_S:
                part.unlink()


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(
            f"results cannot be kept in {folder} ({reason}), so they will be simulated again when they are "
            f"asked for again. Make room there, or set HALCYON_CACHE to another folder."
        ) from None


def _folder() -> Path:
    return cache_folder() / "simulations"


def _path(case: Simulation) -> Path:
    return _folder() / f"{key(case)}.nc"


def _files(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _files(each)
    elif isinstance(value, Path):
        yield str(value)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@functools.cache
def _library() -> list[str]:
    """What computes: the extension, and the Python between a case and it."""
    package = Path(halcyon.__file__).parent
    sources = [
        path for folder in ("simulate", "schedule") for path in sorted((package / folder).glob("*.py"))
    ]
    return [_digest(path) for path in (Path(_core.__file__), *sources, package / "network.py")]
