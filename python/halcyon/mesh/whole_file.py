"""Files of Python that appear under their name only when they are whole, and are read only then."""

from halcyon._core.mesh import require_whole, write_whole
from halcyon.base import InputError, RunError


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


def open_netcdf(path):
    """The netCDF4 dataset of a file. Raises InputError where it cannot be read or was cut short."""
    from netCDF4 import Dataset

    require_whole(str(path))
    try:
        return Dataset(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read as netCDF: {error.strerror or error}.") from None
