"""Progress from Python: required thread level of MPI, and clean ends of the progress thread."""

import os
import subprocess
import sys
import textwrap

import pytest

from halcyon import schedule
from halcyon.base import ConfigError
from tests.support.ranks import MPI_ENVIRONMENT


@pytest.mark.mpi
def test_a_pipeline_gives_the_same_by_every_progress(comm):
    """Every progress mode and exchange method delivers the same blocks of each group of a pipeline."""
    from halcyon.comm import Execution, Progress

    n, rank = comm.size, comm.rank
    work = schedule.pipeline(n, [400, 800, 1200], compute_s=0.002)
    for mode in ("none", "poll", "thread"):
        progress = Progress(comm, mode)
        for method in ("isend_irecv", "persistent", "alltoallv", "ialltoallv"):
            run = Execution(comm, work, method, progress=progress)
            for group in range(3):
                run.buffer(f"in send {group}")[:] = 10 * rank + group
            run.run()
            for group in range(3):
                received = run.buffer(f"in receive {group}").reshape(n, -1)
                assert [set(row) for row in received.tolist()] == [{10 * r + group} for r in range(n)]
    assert (progress.n_polls > 0) == (n > 1)


@pytest.mark.mpi
def test_progress_that_cannot_be(comm):
    """Invalid progress modes, cores and polling intervals are refused with a text that names them."""
    from halcyon.comm import Progress, thread_level

    assert thread_level() == "MPI_THREAD_MULTIPLE"
    with pytest.raises(ConfigError, match=r"There is no progress 'async'\. Use none, poll or thread"):
        Progress(comm, "async")
    with pytest.raises(ConfigError, match="There is no core 4096 for progress threads"):
        Progress(comm, "thread", core=4096)
    with pytest.raises(ConfigError, match="The polling interval of the progress thread is -1 s"):
        Progress(comm, "thread", poll_interval_s=-1)


def run_program(program: str, **environment: str) -> subprocess.CompletedProcess:
    """Runs a Python program in a process of one rank until it ends."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=MPI_ENVIRONMENT | os.environ | environment,
        capture_output=True,
        text=True,
    )


def test_a_thread_needs_an_mpi_that_takes_several():
    """With MPI_THREAD_FUNNELED, polling works, and a progress thread is refused with the remedy."""
    done = run_program("""
        import mpi4py
        mpi4py.rc.thread_level = "funneled"
        from halcyon.base import ConfigError
        from halcyon.comm import Progress, thread_level, world
        print(thread_level())
        Progress(world(), "poll")
        try:
            Progress(world(), "thread")
        except ConfigError as error:
            print(error)
    """)
    assert done.returncode == 0, done.stderr
    level, message = done.stdout.splitlines()
    assert level == "MPI_THREAD_FUNNELED"
    assert message.startswith(
        "Progress by a thread needs MPI_THREAD_MULTIPLE, but MPI was initialized with MPI_THREAD_F"
    )
    assert "mpi4py.rc.thread_level = 'multiple'" in message


@pytest.mark.parametrize(
    "end",
    [
        "",  # MPI ends after Python, with the thread alive
        "MPI.Finalize()",
        "MPI.Finalize(); del progress",
        "del progress; MPI.Finalize()",
        "raise SystemExit(0)",
    ],
)
def test_a_thread_ends_with_mpi(end):
    """A program with a progress thread exits without error, whether the thread, MPI or Python ends first."""
    done = run_program(f"""
        from halcyon.comm import MPI, Progress, world
        progress = Progress(world(), "thread", core="shared")
        {end}
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_exception_takes_its_thread_with_it():
    """An uncaught exception ends a program although its progress thread runs."""
    done = run_program("""
        from halcyon.comm import MPI, Progress, world
        progress = Progress(world(), "thread")
        raise ValueError("of the user")
    """)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "ValueError: of the user"
