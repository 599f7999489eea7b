"""Errors and constants of `base` in Python, and the ranks of a launch."""

import sys

import pytest

from halcyon._core import base
from halcyon.base import ConfigError, printable
from halcyon.cli.failure import report
from halcyon.run.progress import PlainView


@pytest.mark.parametrize("name", ["ConfigError", "InputError", "RunError", "InternalError"])
def test_each_error_is_an_error(name):
    """Every error type of the C++ core is a subclass of Error."""
    assert issubclass(getattr(base, name), base.Error)


def test_constants_are_the_documented_ones():
    assert base.EARTH_RADIUS == 6371220
    assert base.GRAVITY == 9.80616


def test_control_characters_of_a_file_do_not_reach_the_terminal(capsys):
    """A key of a case file can hold any character; errors show it as an escape."""
    assert printable("Größe [m]\t1 °C\nnext") == "Größe [m]\t1 °C\nnext"
    assert printable("a\x1b[31mb\r\x07\u202e\x9b\ud800") == r"a\x1b[31mb\r\x07\u202e\x9b\ud800"
    PlainView(sys.stdout).message("\x1b[2J")
    assert capsys.readouterr().out == "\\x1b[2J\n"
    report(ConfigError("case.yaml:1: unknown option '\x1b]0;title\x07\x1b[2J'."))
    assert capsys.readouterr().err == "error: case.yaml:1: unknown option '\\x1b]0;title\\x07\\x1b[2J'.\n"


@pytest.mark.mpi
def test_every_rank_takes_part(comm):
    assert comm.allgather(comm.rank) == list(range(comm.size))
