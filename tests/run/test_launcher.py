"""Runs by the launcher with several ranks, whose time loop is replaced by a text of the test."""

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.launch.mpirun import _quota_cores, shared_cores_warning
from halcyon.mesh import cut, write_mpas
from halcyon.run import launcher
from halcyon.run.folder import update_run_file
from halcyon.run.job import Job, JobResult
from halcyon.run.progress import PlainView
from tests.run import case
from tests.support import sea_states

CASE = """\
model: wave
mesh: {file: mesh.nc}
time: {start: 2022-09-01, end: 2022-09-02}
forcing: {wind: none}
"""
RANK = """
import pathlib, sys, types
from datetime import timedelta
loop = types.ModuleType("halcyon.run.loop")
sys.modules["halcyon.run.loop"] = loop
from halcyon.base import InputError, RunError
from halcyon.launch.errors import all_ranks_raise
from halcyon.run.progress import ProgressReporter

def execute(case, mesh, comm, stop, on_begin, draw, *, resume):
    progress = ProgressReporter(case.time.start, case.time.end, rank=comm.rank, stream=sys.stdout)
{body}

loop.execute = execute
from halcyon.run.rank import run_rank
sys.exit(run_rank(pathlib.Path(sys.argv[1]), sys.argv[2:], None))
"""
SUCCESS = """
for hour in range(25):
    progress.report(case.time.start + timedelta(hours=hour), hour / 10)
if comm.rank == 0:
    print("written by", comm.size, "ranks", case.time.step)
"""
NAN = """
with all_ranks_raise(comm):
    if comm.rank == comm.size - 1:
        raise InputError("the wind is NaN")
"""
BUG = "if comm.rank == 0: [][1]\ncomm.Barrier()"


@pytest.fixture
def case_file(tmp_path):
    """A case on a mesh of three cells."""
    write_mpas(
        str(tmp_path / "mesh.nc"), cut(sea_states.sphere(2), np.array([1, 1, 1] + [0] * 159, np.uint8))
    )
    path = tmp_path / "case.yaml"
    path.write_text(CASE)
    return path


@pytest.fixture
def run(case_file, monkeypatch, capfd):
    """A function that launches the case with this Python text as time loop. Returns exit code, stdout, stderr
    and the content of run.json."""

    def _run(loop_text, ranks, overrides=()):
        program = RANK.format(body=textwrap.indent(textwrap.dedent(loop_text), "    "))

        def rank_program(path, changes, resume, record, overwrite):
            return [sys.executable, "-c", program, str(path), *changes]

        monkeypatch.setattr(launcher, "rank_program", rank_program)
        monkeypatch.setattr("halcyon.launch.mpirun.usable_cores", lambda: 4)
        code = launcher.launch(case_file, ranks=ranks, overrides=overrides)
        run_file = json.loads((case_file.parent / "case.out/run.json").read_text())
        printed = capfd.readouterr()
        return code, printed.out, printed.err, run_file

    return _run


def test_a_run_that_goes_well(run, case_file):
    """The output of the ranks is printed and logged without control codes; overrides reach the ranks."""
    code, out, err, run_file = run(SUCCESS, 2, ["time.step=600"])
    assert (code, err) == (0, "")
    assert "2022-09-02 00:00  100 %" in out
    assert "written by 2 ranks 600.0\n" in out
    assert "\x1b" not in out
    assert run_file["status"] == "running"
    assert run_file["overrides"] == ["time.step=600"]
    assert (case_file.parent / "case.out/log.txt").read_text() == out


@pytest.mark.parametrize("ranks", [1, 3])
def test_an_error_of_a_rank_is_the_run_s(run, ranks):
    """An error on one rank is printed once, sets the exit code, and is the cause in run.json."""
    code, out, err, run_file = run(NAN, ranks)
    assert (code, out, err) == (2, "", "error: the wind is NaN\n")
    assert (run_file["status"], run_file["cause"]) == ("failed", "the wind is NaN")


def test_a_bug_is_short_on_the_terminal_and_whole_in_the_log(run, case_file):
    """The traceback of a bug is in log.txt only."""
    code, _, err, run_file = run(BUG, 2)
    assert code == 1
    assert "error: this is a bug in Halcyon: rank 0: IndexError" in err
    assert "Traceback" not in err
    assert "Traceback" in (case_file.parent / "case.out/log.txt").read_text()
    assert run_file["status"] == "failed"


@pytest.mark.parametrize(
    ("track", "expected"),
    [("nothing,here\n1,2\n", "track.csv"), ("", "track.csv")],
)
def test_a_track_that_cannot_be_read(case_file, track, expected):
    (case_file.parent / "track.csv").write_text(track)
    with pytest.raises(InputError, match=expected):
        launcher.launch(case_file, ranks=1, overrides=["forcing.wind={track: track.csv}"])


def test_more_ranks_than_cells(case_file, capfd):
    with pytest.raises(ConfigError, match=r"4 ranks are more than the mesh has cells \(3\)"):
        launcher.launch(case_file, ranks=4, overrides=[])
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ("/nonexistent/x", r"--record /nonexistent/x: there is no folder /nonexistent\."),
        ("/", "--record / is a folder"),
        pytest.param("case.yaml", "is also an input file", id="case.yaml-is also to be read"),
    ],
)
def test_a_record_that_could_not_be_written_is_told_before_the_run(
    case_file, capfd, monkeypatch, record, text
):
    monkeypatch.chdir(case_file.parent)
    with pytest.raises(ConfigError, match=text):
        launcher.launch(case_file, ranks=1, overrides=[], record=Path(record))
    assert capfd.readouterr().out == "" and not case_file.with_suffix(".out").exists()


def test_an_mpirun_that_says_nothing(tmp_path, capfd):
    """The launcher prints an error for a job that ended without one."""
    assert launcher.conclude(JobResult(213, False, False, None), tmp_path) == 3
    assert "mpirun ended with exit code 213 and no message" in capfd.readouterr().err
    assert launcher.conclude(JobResult(2, True, False, None), tmp_path) == 2


def test_ranks_that_stopped_in_order_whatever_mpirun_says(tmp_path):
    """After a stop on request, the exit code is 75, whatever the exit code of mpirun."""
    update_run_file(tmp_path, status="interrupted")
    assert launcher.conclude(JobResult(143, False, True, signal.SIGTERM), tmp_path) == 75
    assert json.loads((tmp_path / "run.json").read_text())["status"] == "interrupted"


def test_more_ranks_than_cores_are_told_before_the_start(case_file, run, monkeypatch):
    """The first line of output and log says so; a Slurm job has as many cores as tasks."""
    code, out, err, _ = run(SUCCESS, 3)
    assert (code, err) == (0, "")
    assert "share" not in out
    monkeypatch.setattr("halcyon.launch.mpirun.usable_cores", lambda: 1)
    warning = "warning: 3 ranks share 1 core, so the run will be slow. Give -n 1 or less."
    assert shared_cores_warning(3) == warning
    assert shared_cores_warning(1) is None
    job = Job([sys.executable, "-c", "print(1)"], {}, case_file.with_name("log.txt"), note=warning)
    stream = io.StringIO()
    job.run(PlainView(stream))
    assert stream.getvalue() == case_file.with_name("log.txt").read_text() == f"{warning}\n1\n"
    monkeypatch.setenv("SLURM_NTASKS", "3")
    assert shared_cores_warning(3) is None


def test_cores_of_a_control_group(tmp_path):
    """The smallest CPU quota of the control group and of those above it counts, rounded up."""
    groups = tmp_path / "cgroup"
    groups.write_text("1:cpu:/other\n0::/user/job\n")
    assert _quota_cores(tmp_path, groups) > 1_000_000
    (tmp_path / "user/job").mkdir(parents=True)
    (tmp_path / "user/job/cpu.max").write_text("max 100000\n")
    assert _quota_cores(tmp_path, groups) > 1_000_000
    (tmp_path / "user/cpu.max").write_text("250000 100000\n")
    assert _quota_cores(tmp_path, groups) == 3
    (tmp_path / "user/job/cpu.max").write_text("50000 100000\n")
    assert _quota_cores(tmp_path, groups) == 1


def test_ranks_are_told_what_to_record(tmp_path):
    program = launcher.rank_program(tmp_path / "case.yaml", [], False, tmp_path / "run.txt")
    assert program[-2:] == ["--record", str(tmp_path / "run.txt")]
    assert "--record" not in launcher.rank_program(tmp_path / "case.yaml", [])


def test_ranks_give_cores_away_where_they_are_more_unless_the_user_chose(monkeypatch):
    """Idle ranks yield their core if there are more ranks than cores, or than tasks of a Slurm job, unless
    the user set the variable."""
    yield_variable = "OMPI_MCA_mpi_yield_when_idle"
    for name in (yield_variable, "SLURM_NTASKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("halcyon.launch.mpirun.usable_cores", lambda: 4)
    assert yield_variable not in launcher.rank_environment(4)
    assert launcher.rank_environment(5)[yield_variable] == "1"
    monkeypatch.setenv("SLURM_NTASKS", "8")  # on two hosts
    assert yield_variable not in launcher.rank_environment(8)
    assert launcher.rank_environment(9)[yield_variable] == "1"
    for chosen in "01":
        monkeypatch.setenv(yield_variable, chosen)
        assert [launcher.rank_environment(ranks)[yield_variable] for ranks in (4, 9)] == [chosen, chosen]


def test_long_messages_by_tcp_go_as_sends_unless_the_user_chose(monkeypatch):
    flags = "OMPI_MCA_btl_tcp_flags"
    monkeypatch.delenv(flags, raising=False)
    assert launcher.rank_environment(2)[flags] == "1"
    monkeypatch.setenv(flags, "put,send,inplace")
    assert launcher.rank_environment(2)[flags] == "put,send,inplace"


def test_a_run_from_a_process_with_mpi(tmp_path):
    """A notebook that has initialized MPI starts runs: its variables of MPI, which processes inherit, do not
    reach mpirun, and do not make the process a rank."""
    program = "from mpi4py import MPI; import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    path = case.write_case(tmp_path)
    command = [sys.executable, "-c", program, *case.program(path, "-n", "2", "--output", str(tmp_path / "o"))]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "o/run.json").read_text())["ranks"] == 2
    only_one = {**os.environ, "OMPI_MCA_ess": "singleton", "PMIX_RANK": "0"}
    command = case.program(path, "-n", "2", "--output", str(tmp_path / "p"))
    assert subprocess.run(command, env=only_one, capture_output=True).returncode == 0
