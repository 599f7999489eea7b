"""The command `halcyon` in a process of its own, as a user starts it."""

import os
import subprocess
import sys


def halcyon(*arguments, **environment):
    """Its end, with what it said.

    It inherits what Python knows of the environment: an MPI that has started in this process has put more
    there, with which a launcher ends without a word."""
    return subprocess.run(
        [sys.executable, "-m", "halcyon", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=50,
    )
