"""Atomic writing of files in Python."""

from halcyon._core.mesh import write_atomically
from halcyon.base import RunError


def write_file(path, write):
    """Calls write(temporary path), and renames the file to `path` when it is complete.

    Raises RunError, with the system's text, if the file cannot be written."""
    try:
        write_atomically(str(path), write)
    except (OSError, RuntimeError) as error:
        if isinstance(error, RunError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise RunError(
            f"Cannot write {path}: {reason}. Check the folder, its permissions and free space."
        ) from None
