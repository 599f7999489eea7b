"""`halcyon record`: unmodified programs in C, Fortran and Python, from the recording to the simulation."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from halcyon import schedule
from halcyon.schedule.trace import read_trace, replay, summary
from halcyon.schedule.trace.events import COLLECTIVES, Kind
from tests.support import command
from tests.support.ranks import MPI_ENVIRONMENT

HERE = Path(__file__).parent
MPIRUN = ("mpirun", "--oversubscribe", "--bind-to", "none", "-n")


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The compiled test programs: in C and, with gfortran, ring_f08 and ring_mpi."""
    folder = tmp_path_factory.mktemp("programs")
    for name in ("calls", "many_requests"):
        subprocess.run(["mpicc", HERE / f"{name}.c", "-o", folder / name], check=True)
    if shutil.which("gfortran"):
        text = (HERE / "ring_f08.f90").read_text()
        subprocess.run(["mpifort", HERE / "ring_f08.f90", "-o", folder / "ring_f08"], check=True)
        (folder / "ring_mpi.f90").write_text(with_module_mpi(text))
        subprocess.run(["mpifort", folder / "ring_mpi.f90", "-o", folder / "ring_mpi"], check=True)
    return folder


def with_module_mpi(text):
    """A program with `use mpi_f08` as one with `use mpi`."""
    text = text.replace("use mpi_f08", "use mpi")
    text = re.sub(r"type\(MPI_Request\) :: (\S+)", r"integer :: \1, ierror", text)
    text = re.sub(r"type\(MPI_Comm\)", "integer", text)
    text = re.sub(r"type\(MPI_Status\) :: status", "integer :: status(MPI_STATUS_SIZE)", text)
    text = re.sub(r"(call MPI_(?:Init|Finalize)\()\)", r"\1ierror)", text)
    return re.sub(r"^(.*call MPI_(?!Init|Finalize).*)\)$", r"\1, ierror)", text, flags=re.MULTILINE)


def record(folder, *words, options=()):
    return command.halcyon("record", *options, "--", *words, folder=folder, **MPI_ENVIRONMENT)


@pytest.fixture(scope="module")
def recorded(programs, tmp_path_factory):
    """The recording of `calls` on 4 ranks."""
    folder = tmp_path_factory.mktemp("recorded")
    done = record(folder, *MPIRUN, 4, programs / "calls")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert done.stderr.startswith("recorded 4 ranks in recording")
    return folder / "recording"


def test_all_calls_of_c_are_recorded(recorded):
    trace = read_trace(recorded)
    calls = summary(trace).calls
    one_each = {
        name for name in COLLECTIVES if name not in ("allreduce", "broadcast", "allgather", "alltoallv")
    }
    assert {name: calls[name] for name in one_each} == dict.fromkeys(one_each, 4)
    assert calls["allreduce"] == 4 * 3  # one of a half, one nonblocking
    assert calls["broadcast"] == 4 * 3
    assert calls["alltoallv"] == 4 * 2  # one MPI_Alltoallw
    assert calls["allgather"] == 4 * (1 + 5)  # five communicators are created
    assert calls["neighbourhood collectives"] == 8
    assert calls["probes"] == 8 and calls["sendrecv"] == 4 * 3
    per_rank = [1, 2, 3, 3, 4, 5, 6, 1]  # doubles in messages to the next rank, and to itself
    grid = 3  # neighbours of a rank in the grid of 2 x 2 that is periodic along the first dimension
    sent = 4 * (sum(per_rank) + grid + 4 + 9) + 3 * 7 + 10
    assert summary(trace).bytes == 8 * sent


def test_wildcards_and_ranks_of_communicators_are_world_ranks(recorded):
    trace = read_trace(recorded)
    for rank, events in enumerate(trace.events):
        waits = events[(events["kind"] == Kind.WAIT) & (events["peer"] >= 0)]
        assert [(int(e["peer"]), int(e["tag"])) for e in waits] == [((rank - 1) % 4, 1)]
        inter = events[(events["kind"] == Kind.SENDRECV) & (events["tag"] == 12)]
        assert inter["peer"].tolist() == [rank ^ 1]
    assert set(trace.communicators) >= {(0, 1, 2, 3), (0, 2), (1, 3), (3, 2, 1, 0)}


def test_a_recording_replays_in_process_and_by_every_library(recorded):
    trace = read_trace(recorded)
    for library in ("open_mpi", "mpich", "mpich_node_aware"):
        work = replay(trace, library=library, ranks_per_node=2)
        for rank in range(4):
            schedule.check(work, rank)
        schedule.run(work, [{}] * 4, combine=lambda target, block: None)
        sent = schedule.counts(work).sent_bytes
        assert sent.sum() == schedule.counts(work).received_bytes.sum() > summary(trace).bytes - 64


def test_from_the_program_to_the_simulated_time(recorded, tmp_path):
    """A simulated time is at least the computation of each rank, and doubles with it."""
    (tmp_path / "case.yaml").write_text(
        f"workload: {{type: replay, file: {recorded}}}\n"
        "topology: {type: hyperx, sizes: [1], nodes_per_switch: 4}\n"
        "sweep: {workload.computation_factor: [0, 1, 1000]}\n"
    )
    variables = {"HALCYON_CACHE": str(tmp_path / "cache")}
    done = command.halcyon("simulate", "case.yaml", "--json", "--no-picture", folder=tmp_path, **variables)
    assert done.returncode == 0, done.stderr
    none, once, often = (each["time"] for each in json.loads(done.stdout)["simulations"])
    computing = summary(read_trace(recorded)).compute_s.max()
    assert 0 < none < once and once >= computing and often >= 1000 * computing


def test_many_open_requests_are_found_at_once_and_outside_the_computation(programs, tmp_path):
    """The recorder's search is no computation, and its time per request does not grow with their number."""
    done = record(tmp_path, *MPIRUN, 1, programs / "many_requests", options=["--clock", "cpu"])
    assert done.returncode == 0, done.stderr
    few, many = map(float, done.stdout.split())
    assert many < 24 * few  # 8 times as many requests; a search of them all takes 64 times as long
    (events,) = read_trace(tmp_path / "recording").events
    starts = events[np.isin(events["kind"], (Kind.START_SEND, Kind.START_RECEIVE))]
    waits = events[events["kind"] == Kind.WAIT]
    assert starts["request"].tolist() == list(range(len(starts)))
    assert len(waits) == len(starts) == 2000 + 5 * 2 * (3000 + 24000)
    assert waits["request"][:2000].tolist() == [7 * i % 2000 for i in range(2000)]
    assert (waits["request"][2000:] == starts["request"][2000:]).all()
    assert waits["compute_ns"].sum() < 0.5 * waits["call_ns"].sum()


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="gfortran is not installed")
@pytest.mark.parametrize("name", ["ring_f08", "ring_mpi"])
def test_fortran_is_recorded_as_c(programs, tmp_path, name):
    done = record(tmp_path, *MPIRUN, 3, programs / name)
    assert done.returncode == 0, done.stderr
    trace = read_trace(tmp_path / "recording")
    assert summary(trace).calls == {
        "completions": 6,
        "nonblocking sends": 3,
        "nonblocking receives": 3,
        "sendrecv": 3,
        "allreduce": 3,
        "allgather": 3,  # MPI_Comm_dup
        "blocking sends": 1,
        "blocking receives": 1,
    }
    assert summary(trace).bytes == 8 * (4 + 5 + 6) + 3 * 16 + 4
    wait = trace.events[1][trace.events[1]["kind"] == Kind.WAIT][0]
    assert (int(wait["peer"]), int(wait["tag"])) == (0, 3)


def test_python_is_recorded(tmp_path):
    (tmp_path / "program.py").write_text(
        "from mpi4py.MPI import COMM_WORLD as comm\n"
        "comm.Sendrecv(bytearray(100), comm.rank ^ 1, 1, bytearray(100), comm.rank ^ 1, 1)\n"
        "comm.Barrier()\n"
    )
    done = record(
        tmp_path, *MPIRUN, 2, sys.executable, "program.py", options=["-o", "here", "--clock", "cpu"]
    )
    assert done.returncode == 0, done.stderr
    counted = summary(read_trace(tmp_path / "here"))
    assert (counted.calls, counted.bytes) == ({"sendrecv": 2, "barrier": 2}, 200)


def test_mistakes_of_recordings(programs, tmp_path):
    """One clear error each, without a traceback; the exit code of the command is kept."""
    done = record(tmp_path, "no_such_program")
    assert (done.returncode, "no_such_program was not found" in done.stderr) == (2, True)
    done = record(tmp_path, "true")
    assert (done.returncode, "No rank was recorded" in done.stderr) == (3, True)
    assert record(tmp_path, "sh", "-c", "exit 7").returncode == 7
    assert record(tmp_path, *MPIRUN, 2, programs / "calls", "one-sided").returncode == 0
    done = command.halcyon("describe", "trace", "recording", folder=tmp_path)
    assert (done.returncode, "one-sided communication" in done.stderr) == (2, True)
    done = record(tmp_path, *MPIRUN, 2, programs / "calls", "one-sided")
    assert (done.returncode, "has a recording" in done.stderr) == (2, True)
    file = tmp_path / "recording/rank.000000.gz"
    file.write_bytes(file.read_bytes()[:-30])
    done = command.halcyon("describe", "trace", "recording", folder=tmp_path)
    assert (done.returncode, "cut off or damaged" in done.stderr, "Traceback" in done.stderr) == (
        2,
        True,
        False,
    )
