"""Starts of the spectral model that fail on one rank of several: one error, a code, no hang, no record."""

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
SPOILT = """\
import sys

from mpi4py import MPI

from halcyon.base import InputError
from halcyon.cli import main
from halcyon.run.models import spectral

RANK, TROUBLE = int(sys.argv[1]), sys.argv[2]
made = spectral.state_of_start


def spoilt(*given):
    state = made(*given)
    if MPI.COMM_WORLD.rank != RANK:
        return state
    if TROUBLE == "refuses":
        raise InputError("The start is refused here. Give another.")
    if TROUBLE == "memory":
        raise MemoryError("no more of it")
    if TROUBLE == "short":
        state["north"] = state["north"][:-1]
    else:
        state["east"].flat[3] = float(TROUBLE)
    return state


spectral.state_of_start = spoilt
sys.argv[1:] = sys.argv[3:]
sys.exit(main())
"""
TROUBLES = [  # of which rank, what, the exit code and what is said
    ("barotropic", 2, "refuses", 2, "The start is refused here"),
    ("barotropic", 1, "memory", 1, "no more of it"),
    ("barotropic", 0, "nan", 2, r"east is nan at \S+ E \S+ N\. Give finite values"),
    ("shallow_water", 1, "inf", 2, r"east is inf at \S+ E \S+ N\. Give finite values"),
    ("shallow_water", 2, "short", 2, r"north has \d+ values\. Give \d+ finite ones"),
    ("primitive", 2, "1e300", 3, "The start is nothing to go on from"),
    ("primitive", 0, "refuses", 2, "The start is refused here"),
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("equations", "rank", "trouble", "code", "text"), TROUBLES)
def test_a_start_that_fails_on_one_rank_of_three(tmp_path, equations, rank, trouble, code, text):
    (tmp_path / "case.yaml").write_text(CASE.format(CASES[equations]))
    (tmp_path / "spoilt.py").write_text(SPOILT)
    script = [str(tmp_path / "spoilt.py"), str(rank), trouble, "run", str(tmp_path / "case.yaml")]
    command = ["mpirun", "-q", "-n", "3", sys.executable, *script]
    ended, _, err = case.ended_all({"run": command})["run"]
    assert ended == code, err
    assert len(re.findall("error: ", err)) == 1 and re.search(text, err), err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("case.out/fields_*.nc"))
