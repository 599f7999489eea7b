"""Initial states of the spectral model that fail on one of several ranks: one error, one exit code, no hang,
no record."""

import re
import sys

import pytest

from tests.run import case

CASES = {
    "barotropic": "barotropic\ninitial: {type: rossby_haurwitz}",
    "shallow_water": "shallow_water\ninitial: {type: mountain}",
    "primitive": "primitive\nlevels: {count: 4, top: 5000}\ninitial: {type: baroclinic_wave}",
}
CASE = """\
model: spectral
mesh: {{truncation: 21}}
time: {{start: 2000-01-01T00:00, end: 2000-01-01T01:00, step: 900}}
output: {{interval: 3600, pictures: false}}
equations: {}
"""
FAULTY_RUN = """\
import sys

from mpi4py import MPI

from halcyon.base import InputError
from halcyon.cli import main
from halcyon.run.models import spectral

RANK, FAULT = int(sys.argv[1]), sys.argv[2]
state_of_start = spectral.state_of_start


def faulty_state(*given):
    state = state_of_start(*given)
    if MPI.COMM_WORLD.rank != RANK:
        return state
    if FAULT == "refuses":
        raise InputError("The start is refused here. Give another.")
    if FAULT == "memory":
        raise MemoryError("no more of it")
    if FAULT == "short":
        state["north"] = state["north"][:-1]
    else:
        state["east"].flat[3] = float(FAULT)
    return state


spectral.state_of_start = faulty_state
sys.argv[1:] = sys.argv[3:]
sys.exit(main())
"""
FAULTS = [  # equations, failing rank, fault, exit code, error text
    ("barotropic", 2, "refuses", 2, "The start is refused here"),
    ("barotropic", 1, "memory", 3, "no more of it"),
    ("barotropic", 0, "nan", 2, r"east is nan at \S+ [EW] \S+ [NS]\. Give finite values"),
    ("shallow_water", 1, "inf", 2, r"east is inf at \S+ [EW] \S+ [NS]\. Give finite values"),
    pytest.param(
        "shallow_water",
        2,
        "short",
        2,
        r"north has \d+ values\. Give \d+ finite values",
        id=("shallow_water-2-short-2-north has \\d+ values\\. Give \\d+ finite ones"),
    ),
    pytest.param(
        *("primitive", 2, "1e300", 3, "The initial state is invalid"),
        id="primitive-2-1e300-3-The start is nothing to go on from",
    ),
    ("primitive", 0, "refuses", 2, "The start is refused here"),
]


@pytest.mark.parametrize(("equations", "rank", "trouble", "code", "text"), FAULTS)
def test_a_start_that_fails_on_one_rank_of_three(tmp_path, equations, rank, trouble, code, text):
    """The job ends with the exit code and one error, and writes no fields."""
    (tmp_path / "case.yaml").write_text(CASE.format(CASES[equations]))
    (tmp_path / "spoilt.py").write_text(FAULTY_RUN)
    script = [str(tmp_path / "spoilt.py"), str(rank), trouble, "run", str(tmp_path / "case.yaml")]
    command = ["mpirun", "-q", "-n", "3", sys.executable, *script]
    returned, _, err = case.run_all({"run": command})["run"]
    assert returned == code, err
    assert len(re.findall("error: ", err)) == 1 and re.search(text, err), err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("case.out/fields_*.nc"))
