"""The long form of tests/run/test_faults.py: `make test-faults` runs it in minutes.

Runs are killed at any time, or run out of disk space; after a restart, the output must equal that of an
uninterrupted run.
"""

import os
import random
import signal

import pytest

from tests.run import case, jobs

N_KILLS, N_SIZES, SEED = 50, 20, 20220901


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return case.write_case(tmp_path_factory.mktemp("battery"))


@pytest.fixture(scope="module")
def whole(path):
    """The output folder of an uninterrupted run, and its wall time [s]."""
    return jobs.whole_run(path, *jobs.RESTARTS)


@pytest.mark.timeout(1200)
def test_killed_at_random_moments(path, whole):
    """Runs that are killed at random times and restarted end with the output of an uninterrupted run; more
    than half continue from a restart file."""
    folder, span_s = whole
    generator = random.Random(SEED)
    n_resumed = 0
    for _ in range(N_KILLS):
        seconds = generator.uniform(0, span_s)
        n_resumed += jobs.kill_and_finish(path, path.with_name("killed"), folder, seconds, *jobs.RESTARTS)
    assert n_resumed > N_KILLS // 2


@pytest.mark.parametrize("part", range(1, N_SIZES + 1))
def test_the_disk_is_full_at(path, whole, part):
    """The disk has `part` of N_SIZES + 1 equal parts of the space that the output needs."""
    folder, _ = whole
    total = sum(file.stat().st_size for file in folder.iterdir())
    size = total * part // (N_SIZES + 1)
    jobs.run_on_full_disk(path, path.with_name(f"small.{part}"), folder, size, *jobs.RESTARTS)


@pytest.mark.parametrize("rank", range(3))
def test_any_rank_may_be_killed(path, whole, rank):
    folder = path.with_name(f"rank.{rank}")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.RESTARTS, ranks=3), folder)
    os.kill(jobs.processes(folder, ranks_only=True)[rank], signal.SIGKILL)
    code, _, err = jobs.wait_for_end(process)
    assert code == 3
    assert "error: a rank was killed by SIGKILL" in err
    jobs.finish(path, folder, whole[0], *jobs.RESTARTS)
