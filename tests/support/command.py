"""Runs the command `halcyon` in the process of a test, which saves the start and the imports of a new one.

Tests of what a process does with signals, its standard streams or MPI itself start a process."""

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from unittest import mock

import typer.main

from halcyon import cli

COMMAND_OF = cache(typer.main.get_command)  # typer makes all commands again in each call


@dataclass(frozen=True)
class Done:
    """Exit code and output of a command."""

    returncode: int
    stdout: str
    stderr: str


def halcyon(*arguments, folder=".", **environment) -> Done:
    """Runs the command line in a folder, with these environment variables. What programs that it starts print
    belongs to its output."""
    with (
        _redirected(sys.stdout, 1, redirect_stdout) as out,
        _redirected(sys.stderr, 2, redirect_stderr) as err,
        chdir(folder),
        mock.patch.dict(os.environ, environment),
        mock.patch.object(sys, "argv", ["halcyon", *map(str, arguments)]),
        mock.patch.object(typer.main, "get_command", COMMAND_OF),
        warnings.catch_warnings(),
    ):
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code or 0
        texts = []
        for stream, file in ((sys.stdout, out), (sys.stderr, err)):
            stream.flush()
            file.seek(0)
            texts.append(file.read().decode())
    return Done(code, *texts)


@contextmanager
def _redirected(stream, number, redirect) -> Iterator:
    """Redirects a standard stream and its file descriptor to a temporary file, which it yields."""
    stream.flush()
    kept = os.dup(number)
    try:
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), number)
            with open(number, "w", closefd=False) as replacement, redirect(replacement):
                yield file
    finally:
        os.dup2(kept, number)
        os.close(kept)
