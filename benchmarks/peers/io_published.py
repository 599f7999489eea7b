"""Program of each rank of `benchmarks/io.py`: measures the layouts of Halcyon, and the published layouts in
C.

HALCYON_PUBLISHED=LIBRARY mpirun ... io_published.py REQUEST

LIBRARY is the compiled io_published.c, REQUEST the case as JSON (`halcyon_bench.io_cases.request_of`).
"""

import ctypes
import json
import os
import re
import sys

import numpy as np

from halcyon.base import RunError
from halcyon_bench.io_layouts import run_rank
from halcyon_bench.io_methods import factory_named

_IDS = np.ctypeslib.ndpointer(np.int64, flags="C")
_VALUES = np.ctypeslib.ndpointer(np.float64, flags="C")


class Published:
    """The published method: groups of consecutive ranks share an I/O rank, which makes one PnetCDF call per
    contiguous interval of items. Groups of 1 are the published method without groups."""

    def __init__(self, library, comm, ids, n_cells, levels, group_size):
        self._library, self._comm, self._levels = library, comm, levels
        self._plan = library.published_plan(comm.py2f(), n_cells, len(ids), ids, group_size)
        self.description = f"one call per interval, groups of {group_size}"

    def write(self, path, values):
        self._call(self._library.published_write, path, values)

    def read(self, path, values):
        self._call(self._library.published_read, path, values)

    def _call(self, function, path, values):
        status = self._comm.allreduce(abs(function(self._plan, path.encode(), self._levels, values)))
        if status != 0:
            raise RunError(f"PnetCDF failed with error code {-status}.")


def load(path):
    """The compiled C library, with the types of its functions."""
    library = ctypes.CDLL(path)
    library.published_plan.restype = ctypes.c_void_p
    library.published_plan.argtypes = [ctypes.c_int, ctypes.c_longlong, ctypes.c_longlong, _IDS, ctypes.c_int]
    for function in (library.published_write, library.published_read):
        function.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, _VALUES]
    return library


def factory(library, name):
    """Factory of `published direct`, `published groups of N`, or a layout of Halcyon."""
    match = re.fullmatch(r"published (?:direct|groups of (\d+))", name)
    if match is None:
        return factory_named(name)
    size = int(match[1] or 1)
    return lambda comm, ids, n_cells, levels: Published(library, comm, ids, n_cells, levels, size)


def main():
    request = json.loads(sys.argv[1])
    library = load(os.environ["HALCYON_PUBLISHED"])
    run_rank(request, lambda name: factory(library, name))


main()
