"""MPI parts of the pytest harness: the ranks of this launch, and a watchdog that ends them."""

import faulthandler
import os
import signal
import threading
import time
from pathlib import Path

# Open MPI may run as root and with more ranks than cores; idle ranks yield; one thread per rank.
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_io": "romio321",  # OMPIO sometimes reads zeros
    "EVENT_NOEPOLL": "1",  # with epoll, mpirun sometimes prints a warning at the end of a job
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
N_RANKS_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")


def launched_by_mpi() -> bool:
    """Whether mpirun started this process; does not load MPI."""
    return any(name in os.environ for name in N_RANKS_VARIABLES)


class Ranks:
    """The ranks of this launch. Test outcomes are exchanged on a second communicator, so that they cannot
    match messages that a failed test left open."""

    def __init__(self):
        from mpi4py import MPI

        self.comm = MPI.COMM_WORLD.Dup()
        self._outcomes = MPI.COMM_WORLD.Dup()

    @property
    def rank(self) -> int:
        return self.comm.rank

    def __str__(self) -> str:
        return f"rank {self.comm.rank} of {self.comm.size}"

    def gather(self, outcome):
        """Collective. Returns the outcomes of all ranks, in the order of ranks."""
        return self._outcomes.allgather(outcome)

    def barrier(self) -> None:
        """Collective."""
        self._outcomes.Barrier()


class Watchdog:
    """Ends this process, and thus all ranks, and its children, if the `with` block takes longer than
    `limit_s`.

    A thread prints `name` and ends the process; if a collective holds the GIL, the thread cannot run, and
    faulthandler ends the process 3 s later.
    """

    def __init__(self, name: str, who: str, limit_s: float, stderr_fd: int):
        self.failure = ""
        self._name, self._who, self._limit_s, self._stderr_fd = name, who, limit_s, stderr_fd

    def __enter__(self) -> "Watchdog":
        self._thread = threading.Timer(self._limit_s, self._end)
        self._thread.daemon = True
        self._thread.start()
        faulthandler.dump_traceback_later(self._limit_s + 3, exit=True, file=self._stderr_fd)
        return self

    def __exit__(self, *_) -> None:
        self._thread.cancel()
        faulthandler.cancel_dump_traceback_later()

    def _end(self) -> None:
        text = f"\n{self._name} on {self._who} ran longer than {self._limit_s:g} s (HALCYON_TEST_TIMEOUT)\n"
        os.write(self._stderr_fd, (text + self.failure + "\n").encode())
        faulthandler.dump_traceback(file=self._stderr_fd, all_threads=True)
        for children in Path("/proc/self/task").glob("*/children"):
            for child in children.read_text().split():
                os.kill(int(child), signal.SIGTERM)
        time.sleep(1)  # so that the other ranks print their state before mpirun ends them
        os._exit(1)
