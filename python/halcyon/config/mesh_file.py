"""The mesh of a case, or of a command-line argument: read from a file, or generated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from halcyon.base import ConfigError, InputError, require_regular_file
from halcyon.config.load import load_case, load_mesh
from halcyon.config.mesh import ExistingMesh
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.mesh import Mesh, is_canonical, read_mesh
from halcyon.mesh.cache import copy_of, mesh_for
from halcyon.mesh.file_reader import is_hdf5, require_readable
from halcyon.mesh.named import is_named_mesh, named_mesh


def prepare_mesh(case: RunCase, progress: Callable[[str], None]) -> Path | None:
    """Returns the mesh file that the ranks read: the file that the case names, or a cached file of a
    generated mesh, or a cached copy in the layout that allows partial reads. Returns None for the spectral
    model.

    Raises ConfigError and InputError for an invalid mesh file."""
    if isinstance(case, SpectralCase):
        return None
    if not isinstance(case.mesh, ExistingMesh):
        return mesh_for(case.mesh.spec(), progress)
    count_cells(case.mesh.file)  # for its errors
    return case.mesh.file if is_canonical(str(case.mesh.file)) else copy_of(case.mesh.file, progress)


def count_cells(path: Path) -> int:
    """The number of cells of an MPAS mesh file. Raises ConfigError for other files."""
    from netCDF4 import Dataset

    try:
        require_regular_file(path, "a mesh")
        if is_hdf5(path):
            require_readable(path)
        with Dataset(path) as file:
            if "nCells" in file.dimensions:
                return len(file.dimensions["nCells"])
    except InputError as error:
        raise ConfigError(f"The mesh {path} cannot be read as netCDF. {error}") from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"The mesh {path} cannot be read as netCDF: {reason}.") from None
    raise ConfigError(f"The mesh {path} has no dimension nCells: it is not an MPAS mesh.")


def mesh_of(source: str) -> Mesh:
    """The mesh of a file (MPAS, GRIST), of a YAML file (generated or from the cache), or of a name such as G7
    or G8X4.

    Raises InputError for a file without a mesh, ConfigError for unknown names and errors in a YAML file."""
    if is_named_mesh(source) and not Path(source).exists():
        return named_mesh(source)
    if not Path(source).exists():
        raise ConfigError(
            f"'{source}' is neither a file nor the name of a mesh. Give a file, or a name such as G7 or G8X4."
        )
    return _mesh_of_yaml(Path(source)) if source.endswith((".yaml", ".yml")) else read_mesh(Path(source))


def _mesh_of_yaml(path: Path) -> Mesh:
    """The mesh of a case file, or of a file with only the group `mesh`."""
    options = load_mesh(path)
    if options is not None:
        return read_mesh(mesh_for(options.spec()))
    return read_mesh(prepare_mesh(load_case(path), lambda text: None))
