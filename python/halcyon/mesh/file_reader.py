"""Reads foreign files in a process of its own: a damaged file can make a library such as HDF5 or ecCodes run
forever or crash, and nothing in the process that called the library can end that. It also reads in the
background: only the other process uses the libraries."""

from __future__ import annotations

import atexit
import functools
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from halcyon.base import ConfigError, InputError, require_regular_file
from halcyon.mesh.reader_process import TOO_LARGE, version_of

if TYPE_CHECKING:
    from io import BufferedReader

    import xarray as xr
    from numpy.typing import DTypeLike


_T = TypeVar("_T")
LIMIT = "HALCYON_READ_LIMIT"  # environment variable: longest processor time of one read [s]
_DEFAULT_LIMIT_S = 60.0
_LAUNCHER_PREFIXES = ("OMPI_", "PMIX_", "PMI_")
_LIBRARIES = {"netCDF": "the HDF5 library", "GRIB": "ecCodes", "Zarr": "the Zarr library"}
_PROGRAM = Path(__file__).with_name("reader_process.py")


def is_hdf5(path: str | os.PathLike[str]) -> bool:
    """Returns whether a file has the signature of HDF5, at its begin or at 512, 1024, 2048... bytes."""
    with open(path, "rb") as file:
        offset = 0
        while found := file.read(8):
            if found == b"\x89HDF\r\n\x1a\n":
                return True
            offset = max(512, 2 * offset)
            file.seek(offset)
    return False


def guarded(read: Callable[..., _T]) -> Callable[..., _T]:
    """Returns a function that refuses folders, pipes and devices, and that reads all of a netCDF-4 file by
    `require_readable`, before `read` reads the file."""

    @functools.wraps(read)
    def read_after_check(path: str | os.PathLike[str], *arguments: Any, **options: Any) -> _T:
        if os.path.exists(path):
            require_regular_file(path, "a mesh or partition")
            if is_hdf5(path):
                require_readable(path, values=True)
        return read(path, *arguments, **options)

    return read_after_check


def require_readable(path: str | os.PathLike[str], *, values: bool = False) -> None:
    """Reads all metadata of a netCDF-4 file, and with `values` all values, in the other process, once for
    each version of the file. Raises InputError if that fails, ConfigError for an invalid limit."""
    _READER.check(str(path), values)


def read_guarded(path: str | os.PathLike[str], file: xr.Dataset) -> xr.Dataset:
    """Replaces the variables of an open xarray dataset of a netCDF file such that the other
    process reads their values, also after the dataset is closed."""
    from xarray import Variable

    for name, variable in file.variables.items():
        values = lazy_array(variable.shape, variable.dtype, partial(ask, "values", str(path), str(name)))
        file[name] = Variable(variable.dims, values, variable.attrs, variable.encoding)
    return file


def lazy_array(shape: tuple[int, ...], dtype: DTypeLike, read: Callable[[Any], np.ndarray]) -> Any:
    """Returns an array that xarray indexes without reading it. read(key): returns the values at a key, a
    tuple of an integer, slice or array per dimension. The array can be pickled if `read` can."""
    from xarray.core import indexing

    return indexing.LazilyIndexedArray(_backend_array()(shape, dtype, read))


@functools.cache
def _backend_array() -> Any:
    from xarray.backends import BackendArray
    from xarray.core import indexing

    class LazyValues(BackendArray):
        """Values that `read` reads by index."""

        def __init__(self, shape: tuple[int, ...], dtype: Any, read: Callable[[Any], np.ndarray]) -> None:
            self.shape, self.dtype, self.read = shape, dtype, read

        def __getitem__(self, key: Any) -> np.ndarray:
            outer = indexing.IndexingSupport.OUTER
            return indexing.explicit_indexing_adapter(key, self.shape, outer, self.read)

        def __reduce__(self) -> tuple[Any, ...]:
            return _lazy_values, (self.shape, self.dtype, self.read)

    return LazyValues


def _lazy_values(shape: tuple[int, ...], dtype: Any, read: Callable[[Any], np.ndarray]) -> Any:
    return _backend_array()(shape, dtype, read)


def ask(operation: str, path: str, *arguments: Any) -> Any:
    """Returns the result of an operation of `reader_process` on a file. Raises InputError if it fails."""
    return _READER.ask(operation, path, *arguments)


class _Reader:
    """The other process, started at the first request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Any = None  # a Popen
        self._owner: int | None = None
        self._checked: dict[tuple[str, bool], Any] = {}  # (path, values): version of the file
        atexit.register(self.stop)

    def check(self, path: str, values: bool) -> None:
        """Reads all metadata or all values, unless this version of the file was read so."""
        absolute = os.path.abspath(path)
        try:
            version = version_of(absolute)
        except OSError:
            version = None  # the process tells the reason
        known = self._checked.get((absolute, True)), self._checked.get((absolute, values))
        if version is None or version not in known:
            self.ask("check", path, values)
            self._checked[absolute, values] = version

    def ask(self, operation: str, path: str, *arguments: Any) -> Any:
        """Returns the answer to a request of `reader_process`. Raises InputError if the answer is an error,
        or the process ends without an answer."""
        subject = f"{path}: {arguments[0]}" if operation == "values" else path
        request = operation, os.path.abspath(path), *arguments  # this process may have changed its folder
        with self._lock:
            try:
                answer = self._exchange(request) or self._exchange(request)
            except BaseException:
                self.stop()  # its next answer would belong to this request
                raise
        kind = "GRIB" if "grib" in operation else "Zarr" if os.path.isdir(path) else "netCDF"
        if isinstance(answer, int):
            raise InputError(f"{subject} cannot be read: {_end_text(answer, kind)}")
        value, error = answer
        if error == TOO_LARGE:
            raise InputError(
                f"{subject} cannot be read: its values need more memory than this machine has. Give a "
                "smaller file, or use a machine with more memory."
            )
        if error is not None:
            raise InputError(f"{subject} cannot be read as {kind}: {error.rstrip('.')}. Replace the file.")
        return value

    def stop(self) -> None:
        """Ends the process. Another thread that waits for an answer gets an error."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
        self._process = None

    def _exchange(self, request: tuple[Any, ...]) -> Any:
        """Returns the answer of the process, which is started if need be, or its exit code: 0 if it had ended
        before the request, because it had been idle."""
        if self._process is None or self._owner != os.getpid():  # after a fork, it belongs to the parent
            self._process, self._owner = _started(), os.getpid()
        process = self._process
        try:
            pickle.dump(request, process.stdin)
            process.stdin.flush()
            return _received(process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            self._process = None
            process.communicate()
            return process.returncode


def _received(stream: BufferedReader) -> Any:
    """Returns the answer of `reader_process` on a stream."""
    answer, sizes = pickle.load(stream)
    buffers = [bytearray(size) for size in sizes]
    for buffer in buffers:
        if stream.readinto(buffer) < len(buffer):
            raise EOFError
    return pickle.loads(answer, buffers=buffers)


def _started() -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(_LAUNCHER_PREFIXES)}
    return subprocess.Popen(
        [sys.executable, "-P", _PROGRAM, str(limit_s())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # It keeps files open, which others may then write: `version_of` tells that.
        env=environment | {"OPENBLAS_NUM_THREADS": "1", "HDF5_USE_FILE_LOCKING": "FALSE"},
        start_new_session=True,  # it ends with its parent's pipe, not by Ctrl-C
    )


def limit_s() -> float:
    """Returns the longest processor time of one read [s]. Raises ConfigError if the variable is invalid."""
    text = os.environ.get(LIMIT, "") or str(_DEFAULT_LIMIT_S)
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 86400:
        raise ConfigError(f"the environment variable {LIMIT} is '{text}'. Give seconds, above 0 up to 86400.")
    return value


def _end_text(code: int, kind: str) -> str:
    library = _LIBRARIES[kind]
    if code == -signal.SIGPROF:
        return (
            f"{library} did not finish within {limit_s():g} s of processor time: the file is damaged, "
            "or slow to read by its compression or chunking. Replace it, or allow more time by the "
            f"environment variable {LIMIT} [s]."
        )
    reason = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"{library} ended with {reason}, so the file is probably damaged. Replace it."


_READER = _Reader()
