"""Runs of a case in the processes of the test, which stops and resumes them."""

import json
from contextlib import nullcontext

from halcyon.base import StoppedError
from halcyon.config import load_case
from halcyon.config.mesh_file import prepare_mesh
from halcyon.launch.errors import from_root
from halcyon.plot import draw_run
from halcyon.run.folder import start_run_file
from halcyon.run.loop import execute
from tests.run import case

FILES = [*case.SEGMENTS, "stations.nc"]


class StopAfter:
    """Requests a stop after `steps` steps of the time loop; None: never."""

    def __init__(self, steps=None):
        self._steps = steps

    def ask_once_more(self):
        """Ignores one more question: a new run also asks before its first step."""
        if self._steps is not None:
            self._steps += 1

    def received(self, comm):
        if self._steps is None:
            return False
        self._steps -= 1
        return self._steps == 0

    def add_step(self, comm, wall_s):
        """There is no deadline."""

    def suspend(self, comm):
        """There is no deadline."""

    def suspended(self, comm):
        return nullcontext()


class KilledError(Exception):
    """Simulates that all processes are killed: no file is closed, nothing is printed."""


class KilledAfter(StopAfter):
    """Raises KilledError after `steps` steps."""

    def received(self, comm):
        if super().received(comm):
            raise KilledError
        return False


def run(comm, path, folder, *changes, stop=None, resume=False):
    """Collective. Runs or resumes the case with an output folder and overrides (`changes`). Returns whether
    the run was completed."""
    overrides = [f"output.folder={json.dumps(str(folder))}", *changes]
    loaded = load_case(path, overrides)

    def start(has_records=True):
        if comm.rank == 0:
            folder.mkdir(exist_ok=True)
            options = {"has_records": has_records, "resumed": resume}
            start_run_file(folder, case=path, overrides=overrides, ranks=comm.size, **options)

    if not resume:
        start(has_records=False)
    stop = stop or StopAfter()
    if not resume:
        stop.ask_once_more()
    mesh = from_root(comm, lambda: prepare_mesh(loaded, lambda text: None))
    try:
        execute(loaded, mesh, comm, stop, start, draw_run, resume=resume)
    except (StoppedError, KilledError):
        return False
    finally:
        comm.barrier()
    return True


def on_root(comm, work):
    """Collective. Calls `work` on rank 0 while the other ranks wait."""
    if comm.rank == 0:
        work()
    comm.barrier()


def differing(ours, theirs, files=FILES, csv="stations.csv"):
    """The files and variables that differ between two output folders."""
    found = [(name, variable) for name in files for variable in case.differing(ours / name, theirs / name)]
    if (ours / csv).read_bytes() != (theirs / csv).read_bytes():
        found.append(csv)
    return found


SEGMENTS = ["fields_20000101T0000.nc", "fields_20000101T0600.nc"]  # of the cases of the atmosphere


def differing_air(ours, theirs):
    """As `differing`, for runs of the atmosphere and the spectral model."""
    return differing(ours, theirs, [*SEGMENTS, "integrals.nc"], "integrals.csv")


def restarts(folder):
    """Names of the restart files of a run."""
    return sorted(file.name for file in folder.glob("restart_*"))


def status(folder):
    """The content of run.json."""
    return json.loads((folder / "run.json").read_text())
