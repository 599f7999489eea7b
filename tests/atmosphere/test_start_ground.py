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


def on_grid(path, step, values=hills, name="z", unit="m", **grid):
    lat, lon = reanalyses.axes(step, **grid)
    with Dataset(path, "w") as file:
        for dimension, each in (("lat", lat), ("lon", lon)):
            file.createDimension(dimension, len(each))
            file.createVariable(dimension, "f8", (dimension,))[:] = each
        file["lat"].units, file["lon"].units = "degrees_north", "degrees_east"
        field = file.createVariable(name, "f8", ("lat", "lon"))
        field.units = unit
        field[:] = values(*np.meshgrid(np.radians(lon), np.radians(lat)))
    return path


def on_cells(path, mesh, values=hills):
    write_ugrid(str(path), mesh)
    with Dataset(path, "a") as file:
        field = file.createVariable("topography", "f8", ("face",))
        field.units, field.standard_name = "m", "surface_altitude"
        field[:] = values(np.asarray(mesh.cell_longitude), np.asarray(mesh.cell_latitude))
    return path


def ground(path, outlines, change=None):
    """Orography [m] (cell)."""
    with open_source(path) as source:
        return cell_orography(source, source.required(orography_quantity(G)), outlines, change) / G


def mean(mesh, values):
    area = np.asarray(mesh.area_cell)
    return (area * values).sum() / area.sum()


@pytest.mark.parametrize(
    "grid", [{}, {"poles": False, "west": -180.0}, {"descending": False}], ids=["poles", "shifted", "rising"]
)
def test_means_of_a_fine_grid_keep_the_mean_of_the_globe(tmp_path, grid):
    mesh = meshes.globe(3)
    lat, lon = reanalyses.axes(1.0, **grid)
    path = on_grid(tmp_path / "fine.nc", 1.0, **grid)
    edges = np.clip(np.concatenate([[-90], np.sort(lat)[:-1] + 0.5, [90]]), -90, 90)
    area = np.repeat(np.diff(np.sin(np.radians(edges))), len(lon))
    values = hills(*np.meshgrid(np.radians(lon), np.radians(np.sort(lat)))).ravel()
    found = ground(path, CellPolygons.of(mesh))
    assert mean(mesh, found) == pytest.approx((area * values).sum() / area.sum(), rel=1e-12)


def test_the_rough_goes_and_the_constant_stays(tmp_path):
    mesh = meshes.globe(3)
    smooth = 1000 * np.cos(6 * mesh.cell_longitude) * np.cos(mesh.cell_latitude) ** 6 + 1500
    rough = np.abs(hills(mesh.cell_longitude, mesh.cell_latitude) - smooth).max()
    found = ground(on_grid(tmp_path / "fine.nc", 0.5), CellPolygons.of(mesh))
    assert rough > 400 and np.abs(found - smooth).max() < 250
    flat = on_grid(tmp_path / "flat.nc", 1.0, lambda lon, lat: np.full(lon.shape, 321.0))
    assert ground(flat, CellPolygons.of(mesh)) == pytest.approx(321, abs=1e-12)


def test_coarse_files_are_linear_between_their_points(tmp_path):
    mesh = meshes.globe(4)
    path = on_grid(tmp_path / "coarse.nc", 5.0)
    with open_source(path) as source:
        exact = SourceInterpolator(source, np.asarray(mesh.cell_points)).field(
            source.required(orography_quantity(G))
        )
    assert np.array_equal(ground(path, CellPolygons.of(mesh)), exact / G)


def test_wider_outlines_smooth_more(tmp_path):
    mesh, path = meshes.globe(4), on_grid(tmp_path / "fine.nc", 1.0)
    sizes = [np.std(ground(path, CellPolygons.of(mesh, growth))) for growth in (1, 2, 4)]
    assert sizes[0] > 1.02 * sizes[1] and sizes[1] > 1.1 * sizes[2]


def test_a_mean_depends_on_its_cell_alone(tmp_path):
    """Cell means are therefore bitwise independent of the partition."""
    mesh = meshes.globe(3)
    for path in (on_grid(tmp_path / "fine.nc", 1.0), on_cells(tmp_path / "cells.nc", meshes.globe(4))):
        outlines = CellPolygons.of(mesh)
        whole = ground(path, outlines)
        for cells in (np.arange(5, mesh.n_cells, 9), np.array([0]), np.array([11, 3])):
            assert np.array_equal(ground(path, outlines.select(cells)), whole[cells])


def test_files_of_a_finer_mesh_give_means_and_of_the_same_what_they_have(tmp_path):
    mesh, finer = meshes.globe(3), meshes.globe(5)
    path = on_cells(tmp_path / "finer.nc", finer)
    _, nearest = _tree(mesh).query(np.asarray(finer.cell_points))
    area, values = np.asarray(finer.area_cell), hills(finer.cell_longitude, finer.cell_latitude)
    binned = np.bincount(nearest, area * values) / np.bincount(nearest, area)
    found = ground(path, CellPolygons.of(mesh))
    assert mean(mesh, found) == pytest.approx(mean(finer, values), rel=1e-3)
    assert np.std(found - binned) < 0.1 * np.std(binned)
    same = ground(on_cells(tmp_path / "same.nc", mesh), CellPolygons.of(mesh))
    assert same == pytest.approx(hills(mesh.cell_longitude, mesh.cell_latitude), abs=1e-6)


def _tree(mesh):
    from scipy.spatial import cKDTree

    return cKDTree(np.asarray(mesh.cell_points))


def air(path, on, level=3):
    """The arguments of `Core.set_state` with a given surface geopotential (local cell) [m2 s-2]."""
    target = TargetMesh.of(sea_states.local_mesh(meshes.globe(level)), interfaces(12, 2000.0))
    with open_source(path) as source:
        return air_state(source, target, R, G, on)


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
        found = air(path, height * G)
        exact = 1e5 * (1 - 0.0065 * height / 300) ** (G / (R * 0.0065))
        assert found["ground"] == pytest.approx(height * G)
        assert found["surface"] == pytest.approx(exact, rel=2e-3)


def test_air_whose_height_nobody_knows_is_not_moved(tmp_path):
    path = reanalyses.write(tmp_path / "jw.nc", reanalyses.start(), 10.0, fields=("t", "u", "v", "sp"))
    with pytest.raises(InputError, match="has no variable of the surface geopotential, which a new"):
        air(path, np.zeros(meshes.globe(3).n_cells))


MISTAKES = {
    "unit": ({"unit": "feet"}, "z has the units 'feet', which are not units of the height of the orography"),
    "name": ({"name": "depth"}, "has no variable of the height of the orography"),
    "hole": ({"values": lambda lon, lat: np.where(lat > 1, np.nan, 0 * lon)}, "z has no value near"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_file_of_the_ground(tmp_path, mistake):
    how, text = MISTAKES[mistake]
    path = on_grid(tmp_path / "spoilt.nc", 2.0, **how)
    with pytest.raises(InputError, match=text) as error:
        ground(path, CellPolygons.of(meshes.globe(3)))
    assert "spoilt.nc" in str(error.value)


def test_the_core_stands_on_the_means(tmp_path):
    path = on_grid(tmp_path / "fine.nc", 1.0)
    rest = reanalyses.write(tmp_path / "jw.nc", reanalyses.start(), 10.0)
    heights = ground(path, CellPolygons.of(meshes.globe(3)))
    a, b = interfaces(12, 2000.0)
    core = meshes.core(meshes.globe(3), air=atmosphere.AirOptions(a=a, b=b))
    core.set_state(**air(rest, heights * G))
    assert core.ground == pytest.approx(heights, abs=1e-9)
