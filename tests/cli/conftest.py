"""Fixture that runs the command line in the process of a test."""

import sys
from dataclasses import dataclass

import pytest

from halcyon import cli


@dataclass
class Done:
    """Exit code and output of a command."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def halcyon(tmp_path, monkeypatch, capfd):
    """A function that runs the command line in this process, in a temporary folder, with an empty cache and
    these environment variables."""

    def run(*arguments, **environment):
        for name, value in {
            "HALCYON_CACHE": str(tmp_path / "cache"),
            "COLUMNS": "200",
            **environment,
        }.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["halcyon", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return Done(ended.value.code or 0, *capfd.readouterr())

    return run
