"""The command `halcyon`."""

from __future__ import annotations

import os
import sys

from halcyon.launch.interrupt import telling


def main() -> None:
    """Runs the command line of this process and ends it: errors are one text on stderr and an exit code."""
    with telling():
        _run()


def _run() -> None:
    try:
        from halcyon.cli.app import app

        app(prog_name="halcyon")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        from halcyon.cli.failure import report

        sys.exit(report(error))
    sys.exit(0)
