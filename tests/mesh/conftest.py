"""Meshes for several tests."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon.mesh import scvt
from halcyon.mesh.spacing_table import tabulated


@pytest.fixture(scope="session")
def g3():
    """The converged uniform mesh of 642 cells."""
    return halcyon.mesh.uniform(3)


@pytest.fixture(scope="session")
def g4():
    """The converged uniform mesh of 2562 cells."""
    return halcyon.mesh.uniform(4)


@pytest.fixture(scope="session")
def varied():
    """A mesh of the sphere whose spacing varies threefold, from 400 to 1200 km."""

    def spacing(points):
        from_centre = np.arccos(np.clip(points @ np.array([0.6, 0.0, 0.8]), -1, 1))
        return 0.0628 * (1 + 2 / (1 + np.exp(-(from_centre - 0.9) / 0.15)))

    return halcyon.mesh.voronoi_mesh(scvt.variable(tabulated(spacing)))


@pytest.fixture(scope="session")
def part(g4):
    """The cells of G4 north of 20N."""
    return halcyon.mesh.cut(g4, (g4.cell_latitude > np.radians(20)).astype(np.uint8))


@pytest.fixture
def mpas_file(tmp_path, part):
    """A file of the limited area, with depths."""
    part.bottom_depth = np.linspace(5, 5000, part.n_cells)
    path = tmp_path / "mesh.nc"
    halcyon.mesh.write_mpas(str(path), part)
    return path


@pytest.fixture(scope="session")
def mpas_folder(tmp_path_factory, g3, part):
    """MPAS files of a closed mesh, g3.nc, and of a limited area, part.nc."""
    folder = tmp_path_factory.mktemp("mpas")
    for name, mesh in (("g3", g3), ("part", part)):
        halcyon.mesh.write_mpas(folder / f"{name}.nc", mesh)
    return folder
