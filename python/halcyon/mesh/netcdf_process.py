"""The program of the process that reads foreign netCDF-4 files; see `netcdf_reader`. It imports nothing of
Halcyon, so that it starts fast and without MPI.

A request on stdin is a pickled tuple (path, name, key), the answer on stdout a pickled pair: whether an error
occurred, and the values of variable `name` at the index `key`, or the error's text. With name None all
metadata are read; with key None all values, piece by piece, of which none is returned.
"""

import os
import pickle
import resource
import signal
import sys

IDLE_S = 60.0  # time after which the process ends without a request
PIECE = 1 << 24  # values that are read at once where all are read


def _read(path, name, key):
    from netCDF4 import Dataset

    with Dataset(path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        if name is not None:
            return file.variables[name][key]
        _read_metadata(file)
        if key is not None:
            for variable in file.variables.values():
                _read_all(variable)
    return None


def _read_metadata(file):
    """Reads everything that xarray reads when it opens a file."""
    for holder in (file, *file.variables.values()):
        for name in holder.ncattrs():
            holder.getncattr(name)
    for variable in file.variables.values():
        _ = variable.shape, variable.datatype, variable.filters(), variable.chunking(), variable.endian()


def _read_all(variable):
    if not variable.ndim or not variable.size:
        variable[...]
        return
    rows = max(1, PIECE * variable.shape[0] // variable.size)
    for row in range(0, variable.shape[0], rows):
        variable[row : row + rows]


def main(limit_s):
    """Answers requests until stdin ends. The kernel ends the process by SIGPROF if a request uses `limit_s`
    seconds of processor time, also inside a library that does not return."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
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
        try:
            answer = False, _read(*request)
        except MemoryError:
            answer = True, "it needs more memory than this machine has"
        except Exception as error:
            answer = True, str(getattr(error, "strerror", None) or error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        pickle.dump(answer, answers, protocol=5)
        answers.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]))
