"""The program of the process that reads foreign netCDF, GRIB and Zarr files; see `file_reader`. It imports
nothing of Halcyon, so that it starts fast and without MPI.

A request on stdin is a pickled tuple: the name of an operation, one of OPERATIONS, and its arguments, of
which the first is the path. The answer is a pair: the result and None, or None and an error: its text, or
TOO_LARGE. On stdout is a pickled pair, the pickled answer and the sizes of its buffers [bytes], and then the
buffers."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import netCDF4
    import xarray as xr


IDLE_S = 60.0  # time after which the process ends without a request
PIECE = 1 << 24  # values that are read at once where all are read
FILES = 4  # that stay open
CACHE_BYTES = 1 << 29  # largest cache of the chunks of a variable
CACHE_SLOTS = 1 << 20
TOO_LARGE = 1  # the error that memory does not suffice


def version_of(path: str | os.PathLike[str]) -> tuple[Any, ...]:
    """Returns what changes when a file is changed or replaced."""
    stat = os.stat(path)
    return path, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_dev, stat.st_ino


class _Files:
    """The files read last, which stay open such that their decompressed chunks need not be read again."""

    def __init__(self) -> None:
        self._open: dict[
            Any, Any
        ] = {}  # (device, inode): (version, file), as HDF5 shares what it knows of an open inode

    def get(self, path: str) -> Any:
        version = version_of(path)
        place = version[-2:]
        kept = self._open.pop(place, None)
        if kept is not None and kept[0] != version:
            _close(kept[1])
            kept = None
        while len(self._open) >= FILES:
            _close(self._open.pop(next(iter(self._open)))[1])
        self._open[place] = kept or (version, _opened(path))
        return self._open[place][1]

    def close(self) -> None:
        while self._open:
            _close(self._open.popitem()[1][1])


def _opened(path: str) -> netCDF4.Dataset | xr.Dataset:
    if os.path.isdir(path):
        import xarray

        return xarray.open_zarr(path, decode_cf=False, chunks=None, create_default_indexes=False)
    from netCDF4 import Dataset

    file = Dataset(path)
    file.set_auto_maskandscale(False)
    file.set_auto_chartostring(False)
    return file


def _close(file: netCDF4.Dataset | xr.Dataset) -> None:
    with contextlib.suppress(Exception):
        file.close()


_FILES = _Files()


def _check(path: str, with_values: bool) -> None:
    """Reads all metadata of a netCDF file, and with values all values, piece by piece."""
    file = _FILES.get(path)
    _read_metadata(file)
    if with_values:
        for variable in file.variables.values():
            _read_all(variable)
        _FILES.close()  # for the memory of the chunks


def _values(path: str, name: str, key: Any) -> np.ndarray:
    """Returns the values of a variable of a netCDF file or Zarr store at an index."""
    variable = _FILES.get(path).variables[name]
    if os.path.isdir(path):
        return variable[key].values
    _fit_cache(variable)
    return variable[key]


def _zarr_variables(path: str) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Returns dimensions, type, shape, attributes and chunks of each variable of a Zarr store, and the
    attributes of the store."""
    file = _FILES.get(path)
    variables = {
        name: (v.dims, v.dtype, v.shape, v.attrs, v.encoding.get("preferred_chunks"))
        for name, v in file.variables.items()
    }
    return variables, file.attrs


def _grib_index(
    path: str, keys: Sequence[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], np.ndarray]:
    return _grib().index(path, keys)


def _grib_field(path: str, place: Sequence[int], key: Any) -> np.ndarray:
    """Returns a part of a field. The field read last is kept, as a window may need several parts of it."""
    wanted = version_of(path), tuple(place)
    if _LAST_FIELD.get("of") != wanted:
        _LAST_FIELD.clear()
        _LAST_FIELD.update(of=wanted, values=_grib().field(path, place, (), _memory_bytes()))
    return _LAST_FIELD["values"][key]


def _grib_points(path: str, place: Sequence[int]) -> np.ndarray:
    return _grib().points(path, place, _memory_bytes())


@cache
def _grib() -> ModuleType:
    """Returns the module that decodes GRIB."""
    path = Path(__file__).with_name("data_file") / "grib_decoder.py"
    specification = importlib.util.spec_from_file_location("grib_decoder", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


_LAST_FIELD: dict[str, Any] = {}
OPERATIONS: dict[str, Callable[..., Any]] = {
    "check": _check,
    "values": _values,
    "zarr variables": _zarr_variables,
    "grib index": _grib_index,
    "grib field": _grib_field,
    "grib points": _grib_points,
}


def _fit_cache(variable: netCDF4.Variable[Any]) -> None:
    """Lets the cache hold all chunks of one record, so that the next record finds them."""
    chunks = variable.chunking()
    if not isinstance(chunks, list) or chunks[0] == 1 or not hasattr(variable.dtype, "itemsize"):
        return
    counts = [-(-n // chunk) for n, chunk in zip(variable.shape[1:], chunks[1:], strict=True)]
    needed = math.prod(counts) * math.prod(chunks) * variable.dtype.itemsize
    slots = 1 << sum((n - 1).bit_length() for n in counts if n)  # HDF5 joins the bits of the indices
    size, n_slots, preemption = variable.get_var_chunk_cache()
    if needed <= CACHE_BYTES and slots <= CACHE_SLOTS and (size < needed or n_slots < slots):
        variable.set_var_chunk_cache(max(size, needed), max(n_slots, slots), preemption)


def _read_metadata(file: netCDF4.Dataset) -> None:
    """Reads everything that xarray reads when it opens a file."""
    holders: list[Any] = [file, *file.variables.values()]
    for holder in holders:
        for name in holder.ncattrs():
            holder.getncattr(name)
    for variable in file.variables.values():
        _ = variable.shape, variable.datatype, variable.filters(), variable.chunking(), variable.endian()


def _read_all(variable: netCDF4.Variable[Any]) -> None:
    if not variable.ndim or not variable.size:
        variable[...]
        return
    rows = max(1, PIECE * variable.shape[0] // variable.size)
    for row in range(0, variable.shape[0], rows):
        variable[row : row + rows]


def _answer(operation: str, *arguments: Any) -> tuple[bytes, list[pickle.PickleBuffer]]:
    """Returns the pickled answer and its buffers."""
    buffers: list[pickle.PickleBuffer] = []
    try:
        answer = OPERATIONS[operation](*arguments), None
        return pickle.dumps(answer, protocol=5, buffer_callback=buffers.append), buffers
    except MemoryError:
        error: str | int = TOO_LARGE
    except Exception as caught:
        error = str(getattr(caught, "strerror", None) or caught)
    _FILES.close()
    return pickle.dumps((None, error)), []


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def main(limit_s: float) -> None:
    """Answers requests until stdin ends. The kernel ends the process by SIGPROF if a request uses `limit_s`
    seconds of processor time, also inside a library that does not return."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, 2 * (_memory_bytes(),))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries may print
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    while True:
        signal.alarm(int(IDLE_S))
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        answer, buffers = _answer(*request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        values = [buffer.raw() for buffer in buffers]
        pickle.dump((answer, [v.nbytes for v in values]), answers)
        for value in values:
            answers.write(value)
        answers.flush()
        del answer, buffers, values  # the memory is needed for the next request


if __name__ == "__main__":
    main(float(sys.argv[1]))
