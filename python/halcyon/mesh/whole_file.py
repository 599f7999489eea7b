"""Files of Python that appear under their name only when they are whole."""

from halcyon._core.mesh import write_whole
from halcyon.base import RunError


def write_file(path, write):
    """Has write(part) make the file under a name of its own, and renames it to `path` when it is whole.

    Raises RunError, with the system's text, if the disk or the folder refuses."""
    try:
        write_whole(str(path), write)
    except (OSError, RuntimeError) as error:
        if isinstance(error, RunError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise RunError(
            f"Cannot write {path}: {reason}. Check the folder, its permissions and free space."
        ) from None
