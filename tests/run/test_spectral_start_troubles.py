"""Initial states of the spectral model from files whose two ranks fail in different ways: one message, one
exit code, no hang."""

import re
import sys

import numpy as np
import pytest

from tests.run import case
from tests.support import reanalyses

CASE = """\
model: spectral
mesh: {truncation: 21}
equations: primitive
levels: {count: 8, top: 2000}
time: {start: 2000-01-01T00:00, end: 2000-01-01T01:00, step: 900}
initial: {file: jw.nc}
output: {interval: 3600, pictures: false}
"""
FAULTY_RUN = """\
import sys

from mpi4py import MPI

from halcyon.cli import main
from halcyon.run.start import on_grid

FAILING_RANK, VARIABLE, VALUE, NOTES = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]


def logged(read):
    # Logs the errors of a rank while it reads, and then sets an invalid value on one rank.
    def read_and_log(*given):
        with open(f"{NOTES}.{MPI.COMM_WORLD.rank}", "a") as notes:
            try:
                found = read(*given)
            except Exception as error:
                notes.write(str(error))
                raise
        if isinstance(found, dict) and MPI.COMM_WORLD.rank == FAILING_RANK:
            values = found[VARIABLE]
            values.flat[values.size // 2] = VALUE
        return found

    return read_and_log


on_grid._air_orography = logged(on_grid._air_orography)
on_grid._state = logged(on_grid._state)
sys.argv[1:] = sys.argv[5:]
sys.exit(main())
"""
EQUATOR, POLE = 18, 1  # rows of the file that only the first or only the second rank reads


def hole(*places):
    """Sets rows of variables to NaN."""

    def change(values):
        for name, row in places:
            values[name][..., row, :] = np.nan

    return change


def gap_error(variable):
    """The error for a missing value of a variable in the file."""
    return f"jw.nc: {variable} has no value near"


NOTHING = "-1 none 0"  # sets no value: rank, variable, value
FAILURES = {  # missing rows; invalid value set after reading; errors of each rank while reading; error text
    "ground on the second": (hole(("orog", POLE)), NOTHING, ["", gap_error("orog")], gap_error("orog")),
    "wind on the first, temperature on the second": (
        hole(("u", EQUATOR), ("t", POLE)),
        NOTHING,
        [gap_error("u"), gap_error("t")],
        gap_error("u"),
    ),
    "temperature on the first, ground on the second": (
        hole(("t", EQUATOR), ("orog", POLE)),
        NOTHING,
        ["", gap_error("orog")],  # the orography is read first, so no rank reads the temperature
        gap_error("orog"),
    ),
    "no number in the second's wind": (
        hole(),
        "1 east nan",
        ["", ""],
        r"east is nan at level \d+, \S+ [EW] \S+ [NS]\. Give finite values",
    ),
    "a pressure of the second that no air has": (
        hole(),
        "1 surface -1",
        ["", ""],
        "The initial state is invalid: surface_pressure is nan at",
    ),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("meeting", FAILURES)
def test_the_first_trouble_is_said_once(tmp_path, meeting):
    """Each rank finds the expected error while it reads, but the job prints one error."""
    change, invalid, errors, text = FAILURES[meeting]
    reanalyses.write(tmp_path / "jw.nc", reanalyses.start(), 5.0, change=change)
    (tmp_path / "case.yaml").write_text(CASE)
    (tmp_path / "spoilt.py").write_text(FAULTY_RUN)
    command = [str(tmp_path / "spoilt.py"), *invalid.split(), str(tmp_path / "notes"), "run"]
    command = [sys.executable, *command, str(tmp_path / "case.yaml")]
    code, _, err = case.run_all({"run": ["mpirun", "-q", "-n", "2", *command]})["run"]
    for rank, expected in enumerate(errors):
        note = (tmp_path / f"notes.{rank}").read_text()
        assert expected in note if expected else note == "", rank
    assert code == (3 if text.startswith("The initial state") else 2)
    assert len(re.findall("error: ", err)) == 1 and re.search(f"error: .*{text}", err), err
    assert (
        "rank " not in err and "Traceback" not in err
    )  # all ranks raise the same error; no rank aborts the others
