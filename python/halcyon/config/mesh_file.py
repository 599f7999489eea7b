"""The mesh of a case, or of a word on a command line: found, or made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from halcyon.base import ConfigError
from halcyon.config.load import load_case, load_mesh
from halcyon.config.mesh import ExistingMesh
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.mesh import Mesh, is_canonical, read_mesh
from halcyon.mesh.cache import copy_of, mesh_for
from halcyon.mesh.named import is_named_mesh, named_mesh


def prepare_mesh(case: RunCase, progress: Callable[[str], None]) -> Path | None:
    """The mesh file that the ranks read: the one that the case names, or one in the cache, made or brought
    into the form of which parts can be read; None for the spectral model. Raises ConfigError and InputError
    for a file that is no good mesh."""
    if isinstance(case, SpectralCase):
        return None
    if not isinstance(case.mesh, ExistingMesh):
        return mesh_for(case.mesh.spec(), progress)
    count_cells(case.mesh.file)
    return case.mesh.file if is_canonical(str(case.mesh.file)) else copy_of(case.mesh.file, progress)


def count_cells(mesh: Path) -> int:
    """The number of cells of an MPAS mesh file. Raises ConfigError when it is none."""
    from netCDF4 import Dataset

    try:
        with Dataset(mesh) as file:
            if "nCells" in file.dimensions:
                return len(file.dimensions["nCells"])
    except OSError as error:
        raise ConfigError(f"The mesh {mesh} cannot be read as netCDF: {error.strerror or error}.") from None
    raise ConfigError(f"The mesh {mesh} has no dimension nCells: it is not an MPAS mesh.")


def mesh_of(what: str) -> Mesh:
    """The mesh of a file (MPAS, GRIST), of a YAML file (made, or found in the cache), or else of a name such
    as G7 or G8X4.

    Raises InputError for a file that has none, ConfigError for other names and a YAML file's mistakes."""
    if is_named_mesh(what) and not Path(what).exists():
        return named_mesh(what)
    if not Path(what).exists():
        raise ConfigError(f"'{what}' is neither a file nor the name of a mesh. Give one such as G7 or G8X4.")
    return _described_mesh(Path(what)) if what.endswith((".yaml", ".yml")) else read_mesh(Path(what))


def _described_mesh(path: Path) -> Mesh:
    """That of a case, or of a file that has only `mesh:`."""
    alone = load_mesh(path)
    if alone is not None:
        return read_mesh(mesh_for(alone.spec()))
    return read_mesh(prepare_mesh(load_case(path), lambda text: None))
