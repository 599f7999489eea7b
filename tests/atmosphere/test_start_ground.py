"""Orography from files: cell means of fine files, linear interpolation of coarse files."""

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import InputError
from halcyon.mesh.ugrid import write_ugrid
from halcyon.run.start.air import air_state
from halcyon.run.start.quantities import orography_quantity
from halcyon.run.start.source import SourceInterpolator, open_source
from halcyon.run.start.target import CellPolygons, TargetMesh, cell_orography
from tests.support import meshes, reanalyses, sea_states

R, G = reanalyses.GAS_CONSTANT, reanalyses.GRAVITY


def hills(lon, lat):
    """Hills with a wavelength of 60 degrees plus small-scale ones of 6 degrees [m]; lon, lat [rad]."""
    return 1000 * np.cos(6 * lon) * np.cos(lat) ** 6 + 500 * np.sin(60 * lon) * np.sin(60 * lat) + 1500


def write_grid(path, step, values=hills, name="z", unit="m", **grid):
    """Writes a field on a longitude-latitude grid; step [degrees]; values: function of lon and lat [rad]."""
    lat, lon = reanalyses.axes(step, **grid)
    with Dataset(path, "w") as file:
        for dimension, axis in (("lat", lat), ("lon", lon)):
            file.createDimension(dimension, len(axis))
            file.createVariable(dimension, "f8", (dimension,))[:] = axis
        file["lat"].units, file["lon"].units = "degrees_north", "degrees_east"
        field = file.createVariable(name, "f8", ("lat", "lon"))
        field.units = unit
        field[:] = values(*np.meshgrid(np.radians(lon), np.radians(lat)))
    return path


def write_cells(path, mesh, values=hills):
    """Writes orography on the cells of a mesh in a UGRID file."""
    write_ugrid(str(path), mesh)
    with Dataset(path, "a") as file:
        field = file.createVariable("topography", "f8", ("face",))
        field.units, field.standard_name = "m", "surface_altitude"
        field[:] = values(np.asarray(mesh.cell_longitude), np.asarray(mesh.cell_latitude))
    return path


def orography(path, polygons, change=None):
    """Orography [m] (cell) of a file: means over polygons."""
    with open_source(path) as source:
        return cell_orography(source, source.require_variable(orography_quantity(G)), polygons, change) / G


def mean(mesh, values):
    """The mean of values (cell) over the globe, weighted by cell areas."""
    area = np.asarray(mesh.area_cell)
    return (area * values).sum() / area.sum()


@pytest.mark.parametrize(
    "grid", [{}, {"poles": False, "west": -180.0}, {"descending": False}], ids=["poles", "shifted", "rising"]
)
def test_means_of_a_fine_grid_keep_the_mean_of_the_globe(tmp_path, grid):
    """The mean over the cells of the mesh is that over the file's cells, to rounding."""
    mesh = meshes.globe(3)
    lat, lon = reanalyses.axes(1.0, **grid)
    path = write_grid(tmp_path / "fine.nc", 1.0, **grid)
    edges = np.clip(np.concatenate([[-90], np.sort(lat)[:-1] + 0.5, [90]]), -90, 90)
    area = np.repeat(np.diff(np.sin(np.radians(edges))), len(lon))
    values = hills(*np.meshgrid(np.radians(lon), np.radians(np.sort(lat)))).ravel()
    cell_means = orography(path, CellPolygons.of(mesh))
    assert mean(mesh, cell_means) == pytest.approx((area * values).sum() / area.sum(), rel=1e-12)


def test_the_rough_goes_and_the_constant_stays(tmp_path):
    """Averaging removes half of the small hills at least; a constant stays constant to rounding."""
    mesh = meshes.globe(3)
    smooth = 1000 * np.cos(6 * mesh.cell_longitude) * np.cos(mesh.cell_latitude) ** 6 + 1500
    rough = np.abs(hills(mesh.cell_longitude, mesh.cell_latitude) - smooth).max()
    cell_means = orography(write_grid(tmp_path / "fine.nc", 0.5), CellPolygons.of(mesh))
    assert rough > 400 and np.abs(cell_means - smooth).max() < 250
    flat = write_grid(tmp_path / "flat.nc", 1.0, lambda lon, lat: np.full(lon.shape, 321.0))
    assert orography(flat, CellPolygons.of(mesh)) == pytest.approx(321, abs=1e-12)


def test_coarse_files_are_linear_between_their_points(tmp_path):
    """A grid coarser than the mesh is interpolated, without averaging."""
    mesh = meshes.globe(4)
    path = write_grid(tmp_path / "coarse.nc", 5.0)
    with open_source(path) as source:
        exact = SourceInterpolator(source, np.asarray(mesh.cell_points)).field(
            source.require_variable(orography_quantity(G))
        )
    assert np.array_equal(orography(path, CellPolygons.of(mesh)), exact / G)


def test_wider_outlines_smooth_more(tmp_path):
    """Means over polygons of twice and four times the size vary less."""
    mesh, path = meshes.globe(4), write_grid(tmp_path / "fine.nc", 1.0)
    deviations = [np.std(orography(path, CellPolygons.of(mesh, growth))) for growth in (1, 2, 4)]
    assert deviations[0] > 1.02 * deviations[1] and deviations[1] > 1.1 * deviations[2]


def test_a_mean_depends_on_its_cell_alone(tmp_path):
    """Cell means are therefore bitwise independent of the partition."""
    mesh = meshes.globe(3)
    for path in (write_grid(tmp_path / "fine.nc", 1.0), write_cells(tmp_path / "cells.nc", meshes.globe(4))):
        polygons = CellPolygons.of(mesh)
        whole = orography(path, polygons)
        for cells in (np.arange(5, mesh.n_cells, 9), np.array([0]), np.array([11, 3])):
            assert np.array_equal(orography(path, polygons.select(cells)), whole[cells])


def test_files_of_a_finer_mesh_give_means_and_of_the_same_what_they_have(tmp_path):
    """Orography on a finer mesh is averaged like values of the nearest cells; on the same mesh it is kept."""
    mesh, finer = meshes.globe(3), meshes.globe(5)
    path = write_cells(tmp_path / "finer.nc", finer)
    _, nearest = _tree(mesh).query(np.asarray(finer.cell_points))
    area, values = np.asarray(finer.area_cell), hills(finer.cell_longitude, finer.cell_latitude)
    binned = np.bincount(nearest, area * values) / np.bincount(nearest, area)
    cell_means = orography(path, CellPolygons.of(mesh))
    assert mean(mesh, cell_means) == pytest.approx(mean(finer, values), rel=1e-3)
    assert np.std(cell_means - binned) < 0.1 * np.std(binned)
    same = orography(write_cells(tmp_path / "same.nc", mesh), CellPolygons.of(mesh))
    assert same == pytest.approx(hills(mesh.cell_longitude, mesh.cell_latitude), abs=1e-6)


def _tree(mesh):
    from scipy.spatial import cKDTree

    return cKDTree(np.asarray(mesh.cell_points))


def air(path, surface_geopotential, level=3):
    """The arguments of `Core.set_state` with a given surface geopotential (local cell) [m2 s-2]."""
    target = TargetMesh.of(sea_states.local_mesh(meshes.globe(level)), interfaces(12, 2000.0))
    with open_source(path) as source:
        return air_state(source, target, R, G, surface_geopotential)


@pytest.mark.parametrize("fields", [("t", "u", "v", "sp", "orog"), ("t", "u", "v", "z")])
def test_air_on_another_ground_has_the_pressure_of_its_height(tmp_path, fields):
    """Air at rest with a constant lapse rate over mountains, moved to flat and to different orography."""
    start = reanalyses.start("resting_mountain")
    path = reanalyses.write(
        tmp_path / "rest.nc", start, 5.0, fields=fields, pressures=np.geomspace(100, 1100, 40)
    )
    mesh = meshes.globe(3)
    lon, lat = np.asarray(mesh.cell_longitude), np.asarray(mesh.cell_latitude)
    for height in (np.zeros(mesh.n_cells), 900 * (1 + np.sin(lat) * np.cos(lon))):
        state = air(path, height * G)
        exact = 1e5 * (1 - 0.0065 * height / 300) ** (G / (R * 0.0065))
        assert state["ground"] == pytest.approx(height * G)
        assert state["surface"] == pytest.approx(exact, rel=2e-3)


def test_air_whose_height_nobody_knows_is_not_moved(tmp_path):
    """A file without surface geopotential cannot be moved to other orography."""
    path = reanalyses.write(tmp_path / "jw.nc", reanalyses.start(), 10.0, fields=("t", "u", "v", "sp"))
    with pytest.raises(InputError, match="has no variable of the surface geopotential, which a new"):
        air(path, np.zeros(meshes.globe(3).n_cells))


# By name: options of `write_grid`, text of the error.
MISTAKES = {
    "unit": ({"unit": "feet"}, "z has the units 'feet', which are not units of the height of the orography"),
    "name": ({"name": "depth"}, "has no variable of the height of the orography"),
    "hole": ({"values": lambda lon, lat: np.where(lat > 1, np.nan, 0 * lon)}, "z has no value near"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_file_of_the_ground(tmp_path, mistake):
    options, text = MISTAKES[mistake]
    path = write_grid(tmp_path / "spoilt.nc", 2.0, **options)
    with pytest.raises(InputError, match=text) as error:
        orography(path, CellPolygons.of(meshes.globe(3)))
    assert "spoilt.nc" in str(error.value)


def test_the_core_stands_on_the_means(tmp_path):
    """The core's orography is that of the cell means."""
    path = write_grid(tmp_path / "fine.nc", 1.0)
    rest = reanalyses.write(tmp_path / "jw.nc", reanalyses.start(), 10.0)
    heights = orography(path, CellPolygons.of(meshes.globe(3)))
    a, b = interfaces(12, 2000.0)
    core = meshes.core(meshes.globe(3), air=atmosphere.AirOptions(a=a, b=b))
    core.set_state(**air(rest, heights * G))
    assert core.ground == pytest.approx(heights, abs=1e-9)
