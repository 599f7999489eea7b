"""What the user sees when a command fails."""

from __future__ import annotations

from pathlib import Path


def report(error: Exception) -> int:
    """Prints the error once and returns the exit code. A bug's traceback goes to a file in the cache folder."""
    from halcyon.run.errors import print_failure, record_of

    text, code, trace = record_of(error)
    print_failure(text, code, trace, _log_file())
    return code


def _log_file() -> Path | None:
    import os

    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "halcyon"
    try:
        base.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return base / "bugs.txt"
