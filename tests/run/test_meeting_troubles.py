"""Semi-implicit runs whose two ranks fail in different ways: one message, one exit code, no hang."""

import re
import sys

import pytest

import halcyon.mesh
from tests.run import case
from tests.support import meshes

CASE = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: shallow_water
time: {start: 2000-01-01T00:00, end: 2000-01-01T02:00, step: 1200, scheme: semi_implicit}
initial: {type: mountain}
exchange: {method: isend_irecv}
restart: {interval: none}
output: {interval: 3600, pictures: false}
"""
FAULTY_RUN = """\
import sys

from mpi4py import MPI

from halcyon.cli import main
from halcyon.run.models import atmosphere

FAILING_RANK, VALUE, NOTES = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
core_of = atmosphere.core_of


class FaultyCore:
    def __init__(self, core):
        self._core, self._n_steps = core, 0

    def __getattr__(self, name):
        return getattr(self._core, name)

    def step(self, dt, **options):
        # Before step 3 all ranks get a depth for which the solver does not converge, and one rank a bad
        # value.
        rank, thickness = MPI.COMM_WORLD.rank, self._core.prognostic("layer_thickness")
        if self._n_steps == 2:
            thickness *= 1e9
        if self._n_steps == 2 and rank == FAILING_RANK:
            thickness[len(thickness) // 2] = VALUE
        self._core.step(dt, **options)
        self._n_steps += 1
        if self._n_steps == 3:
            with open(f"{NOTES}.{rank}", "w") as file:
                file.write(self._core.failure.variable)


atmosphere.core_of = lambda *given: FaultyCore(core_of(*given))
sys.argv[1:] = sys.argv[4:]
sys.exit(main())
"""
SOLVER, THICKNESS = "implicit_gravity_waves", "layer_thickness"
UNSOLVED = r"The solver for the implicit gravity waves did not converge in step 3, ending at "
BLOW_UP = r"The run blew up: layer_thickness is {} at cell \d+ .* after step 2, 2000-01-01 00:40:00 UTC"
FAILURES = {  # rank that gets a bad value (-1: none); the value; variable that each rank reports; error text
    "the solver on both": (-1, 0.0, [SOLVER, SOLVER], UNSOLVED),
    "a thickness on the first, the solver on the second": (
        0,
        -1.0,
        [THICKNESS, SOLVER],
        BLOW_UP.format("-1"),
    ),
    "the solver on the first, a thickness on the second": (
        1,
        -1.0,
        [SOLVER, THICKNESS],
        BLOW_UP.format("-1"),
    ),
    "no number on the second": (1, float("nan"), ["", THICKNESS], BLOW_UP.format("nan")),
}


@pytest.mark.parametrize("meeting", FAILURES)
def test_the_first_trouble_is_said_once(tmp_path, meeting):
    """Each rank finds the expected failure, but the job prints one error; a bad value comes before the
    solver."""
    rank, value, variables, text = FAILURES[meeting]
    halcyon.mesh.write_mpas(str(tmp_path / "mesh.nc"), meshes.globe(3))
    (tmp_path / "case.yaml").write_text(CASE)
    (tmp_path / "spoilt.py").write_text(FAULTY_RUN)
    command = [sys.executable, "spoilt.py", str(rank), str(value), "notes", "run", "case.yaml"]
    command[1], command[4], command[6] = (str(tmp_path / command[i]) for i in (1, 4, 6))
    code, _, err = case.run_all({"run": ["mpirun", "-q", "-n", "2", *command]})["run"]
    assert [(tmp_path / f"notes.{i}").read_text() for i in (0, 1)] == variables
    assert code == 3
    assert len(re.findall("error: ", err)) == 1 and re.search(f"error: {text}", err), err
    assert "Traceback" not in err
