"""Starts of the spectral model from files on two ranks that meet different kinds of trouble: one message, one
code, no hang."""

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
SPOILT = """\
import sys

from mpi4py import MPI

from halcyon.cli import main
from halcyon.run.start import on_grid

TROUBLED, VARIABLE, VALUE, NOTES = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]


def noted(read):
    # says what a rank met as it read, and spoils a value of one rank after that
    def read_and_noted(*given):
        with open(f"{NOTES}.{MPI.COMM_WORLD.rank}", "a") as notes:
            try:
                found = read(*given)
            except Exception as error:
                notes.write(str(error))
                raise
        if isinstance(found, dict) and MPI.COMM_WORLD.rank == TROUBLED:
            values = found[VARIABLE]
            values.flat[values.size // 2] = VALUE
        return found

    return read_and_noted


on_grid._ground_of_air = noted(on_grid._ground_of_air)
on_grid._state = noted(on_grid._state)
sys.argv[1:] = sys.argv[5:]
sys.exit(main())
"""
EQUATOR, POLE = 18, 1  # rows of the file, of which the first rank alone needs one, the second the other


def hole(*places):
    """Takes values out of rows of a file's variables."""

    def change(values):
        for name, row in places:
            values[name][..., row, :] = np.nan

    return change


def wrong(variable):
    return f"jw.nc: {variable} has no value near"


NOTHING = "-1 none 0"
MEETINGS = {  # what the file lacks; what is spoilt after that; what the ranks meet as they read; what is said
    "ground on the second": (hole(("orog", POLE)), NOTHING, ["", wrong("orog")], wrong("orog")),
    "wind on the first, temperature on the second": (
        hole(("u", EQUATOR), ("t", POLE)),
        NOTHING,
        [wrong("u"), wrong("t")],
        wrong("u"),
    ),
    "temperature on the first, ground on the second": (
        hole(("t", EQUATOR), ("orog", POLE)),
        NOTHING,
        ["", wrong("orog")],  # the ground comes first: nobody gets to the temperature
        wrong("orog"),
    ),
    "no number in the second's wind": (
        hole(),
        "1 east nan",
        ["", ""],
        r"east is nan at level \d+, \S+ E \S+ N\. Give finite values",
    ),
    "a pressure of the second that no air has": (
        hole(),
        "1 surface -1",
        ["", ""],
        "The start is nothing to go on from: surface_pressure is nan at",
    ),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("meeting", MEETINGS)
def test_the_first_trouble_is_said_once(tmp_path, meeting):
    change, spoil, met, text = MEETINGS[meeting]
    reanalyses.write(tmp_path / "jw.nc", reanalyses.start(), 5.0, change=change)
    (tmp_path / "case.yaml").write_text(CASE)
    (tmp_path / "spoilt.py").write_text(SPOILT)
    command = [str(tmp_path / "spoilt.py"), *spoil.split(), str(tmp_path / "notes"), "run"]
    command = [sys.executable, *command, str(tmp_path / "case.yaml")]
    code, _, err = case.ended_all({"run": ["mpirun", "-q", "-n", "2", *command]})["run"]
    for rank, due in enumerate(met):
        note = (tmp_path / f"notes.{rank}").read_text()
        assert due in note if due else note == "", rank
    assert code == (3 if text.startswith("The start") else 2)
    assert len(re.findall("error: ", err)) == 1 and re.search(f"error: .*{text}", err), err
    assert "rank " not in err and "Traceback" not in err  # all ranks know it: none had to end the others
