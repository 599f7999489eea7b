"""Runs the command `halcyon` in a separate process, as a user does."""

import os
import subprocess
import sys


def halcyon(*arguments, **environment):
    """Runs the command. Returns exit code and output.

    The environment is `os.environ`, not that of this process: an MPI library that this process has
    initialized adds variables to the latter, and with them a launcher would end silently."""
    return subprocess.run(
        [sys.executable, "-m", "halcyon", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
