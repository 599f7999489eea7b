"""The command `halcyon`."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

from halcyon.deprecated import DeprecatedNameWarning, current_arguments
from halcyon.launch.interrupt import report_interrupt


def main() -> None:
    """Runs the command line and exits. An error is printed on stderr and sets the exit code."""
    with report_interrupt():
        _run()


def _run() -> None:
    _show_warnings_in_one_line()
    try:
        from halcyon.cli.app import app

        app(current_arguments(sys.argv[1:]), prog_name="halcyon")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        from halcyon.cli.failure import report

        sys.exit(report(error))
    sys.exit(0)


def _show_warnings_in_one_line() -> None:
    """Prints deprecation warnings as `warning: TEXT` once: in the launcher or, without it, on rank 0."""
    show_default = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *location: Any) -> None:
        from halcyon.cli.failure import rank_of_process
        from halcyon.launch.mpirun import UNDER_LAUNCHER

        if not issubclass(category, DeprecatedNameWarning):
            show_default(message, category, *location)
        elif os.environ.get(UNDER_LAUNCHER) != "1" and rank_of_process() == 0:
            print(f"warning: {message}", file=sys.stderr)

    vars(warnings)["showwarning"] = show
    warnings.simplefilter("always", DeprecatedNameWarning)
