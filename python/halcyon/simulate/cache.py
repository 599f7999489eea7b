"""Cache of simulation results: one file per result in the user's cache folder."""

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
from halcyon.base import InputError, RunError, cache_folder
from halcyon.config.simulation import Simulation
from halcyon.io import verify, write_checksums
from halcyon.launch.interrupt import defer_interrupt
from halcyon.mesh.atomic_file import write_file
from halcyon.schedule.trace import is_trace, trace_files

# Options without effect on results.
WITHOUT_EFFECT = {"title", "series", "sweep", "picture"}
ABANDONED_S = 3600.0  # age from which a partial file (.part) is considered abandoned


def key(case: Simulation) -> str:
    """Key of a case in the cache: a hash of its options, of the files that these name, and of the library."""
    options = case.model_dump(mode="json", exclude=WITHOUT_EFFECT)
    options["machine"].pop("measured")  # measurements of a calibration, which the machine reproduces
    names = {*_file_names(case.model_dump(exclude=WITHOUT_EFFECT)), getattr(case.workload, "mesh", "")}
    files = {name: _digest(Path(name)) for name in sorted(names - {""})}
    text = json.dumps([options, files, _library_digests()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def find(case: Simulation) -> xr.Dataset | None:
    """The cached result of a case; None if there is none, or it is damaged."""
    try:
        verify(str(_path(case)))
        with xr.open_dataset(_path(case), engine="netcdf4") as data:
            return data.load()
    except (
        InputError,
        OSError,
        ValueError,
        RuntimeError,
        KeyError,
    ):  # errors of netCDF4 and xarray for damaged files
        return None


def require_writable() -> None:
    """Raises RunError if the cache cannot be written. Removes the partial files of killed processes."""
    with _reporting_write_errors(_folder()):
        _remove_abandoned()
        handle, test_file = tempfile.mkstemp(dir=_folder(), suffix=".part")
        os.close(handle)
        os.unlink(test_file)


def store(case: Simulation, data: xr.Dataset) -> None:
    """Stores a result atomically. Raises RunError if it cannot be written."""
    with _reporting_write_errors(_folder()):
        write(_path(case), data)


def write(path: Path, data: xr.Dataset) -> None:
    """Writes a dataset atomically, with large variables compressed and a checksum. Raises RunError if it
    cannot be written."""
    encoding = {name: {"zlib": True, "complevel": 1} for name in data.data_vars if data[name].size > 1000}

    def write_part(part: str) -> None:
        data.to_netcdf(part, engine="netcdf4", encoding=encoding)
        write_checksums(part)

    with defer_interrupt():
        write_file(path, write_part)


def _remove_abandoned() -> None:
    """Removes old partial files. A process, possibly on another host, may still write to recent ones."""
    for file in _folder().glob("*.part"):
        with suppress(OSError):  # owned by another user, or already removed
            if time.time() - file.stat().st_mtime > ABANDONED_S:
                file.unlink()


@contextmanager
def _reporting_write_errors(folder: Path) -> Iterator[None]:
    """Creates the folder, and turns errors of writing into RunError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except (RunError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(
            f"results cannot be cached in {folder} ({reason}), so they will have to be simulated again. "
            "Free some space, or set HALCYON_CACHE to another folder."
        ) from None


def _folder() -> Path:
    return cache_folder() / "simulations"


def _path(case: Simulation) -> Path:
    return _folder() / f"{key(case)}.nc"


def _file_names(value: Any) -> Iterator[str]:
    """The names of the files in nested groups of options."""
    if isinstance(value, dict):
        for option in value.values():
            yield from _file_names(option)
    elif isinstance(value, Path):
        yield str(value)


def _digest(path: Path) -> str:
    """A hash of the content of a file, or of the files of a trace; empty if there is no file, as for the name
    of a generated mesh."""
    if is_trace(path):
        return hashlib.sha256("".join(_file_digest(file) for file in trace_files(path)).encode()).hexdigest()
    return _file_digest(path) if path.is_file() else ""


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@functools.cache
def _library_digests() -> list[str]:
    """Digests of the code that affects results: the extension and the Python modules."""
    package = Path(halcyon.__file__).parent
    sources = [
        path
        for folder in ("simulate", "schedule", "schedule/trace")
        for path in sorted((package / folder).glob("*.py"))
    ]
    return [_digest(path) for path in (Path(_core.__file__), *sources, package / "network.py")]
