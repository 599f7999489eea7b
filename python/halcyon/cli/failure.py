"""What the user sees when a command fails."""

from __future__ import annotations

from pathlib import Path


def report(error: Exception) -> int:
    """Prints the error once and returns the exit code. A bug's traceback goes to a file in the cache."""
    from halcyon.run.errors import print_failure, record_of

    text, code, trace = record_of(error)
    print_failure(text, code, trace, _log_file())
    return code


def _log_file() -> Path | None:
    from halcyon.base import cache_folder

    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / "bugs.txt"
