"""Fixture that runs the command line in a temporary folder."""

import pytest

from tests.support import command


@pytest.fixture
def halcyon(tmp_path):
    """A function that runs the command line in a temporary folder, with an empty cache and these environment
    variables."""

    def run(*arguments, **environment):
        variables = {"HALCYON_CACHE": str(tmp_path / "cache"), "COLUMNS": "200", **environment}
        return command.halcyon(*arguments, folder=tmp_path, **variables)

    return run
