"""The command `halcyon`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line of this process and ends it: errors are one text on stderr and an exit code."""
    from halcyon.cli.app import app

    try:
        app(prog_name="halcyon")
    except KeyboardInterrupt:
        print("error: interrupted.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        from halcyon.cli.failure import report

        sys.exit(report(error))
    sys.exit(0)
