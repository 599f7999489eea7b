"""Runs the command `halcyon` in a separate process, as a user does."""

import os
import subprocess
import sys


def halcyon(*arguments, **environment):
    """Returns exit code and output.

    The environment is that of `os.environ`: an MPI initialized in this process has added variables to the C
    environment with which a launcher ends silently."""
    return subprocess.run(
        [sys.executable, "-m", "halcyon", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=50,
    )
