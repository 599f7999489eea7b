"""The figure of a mesh."""

import numpy as np
import pytest
import shapely

import halcyon.mesh
from halcyon.base import EARTH_RADIUS
from halcyon.plot import mesh_map, mesh_picture


@pytest.fixture(scope="module")
def g3():
    return halcyon.mesh.uniform(3)


def test_spacing_and_quality_of_cells(g3):
    found = halcyon.mesh.quality(g3)
    assert mesh_map.cell_quality(g3).min() == pytest.approx(found.cell_min)
    assert mesh_map.cell_quality(g3).mean() == pytest.approx(found.cell_mean)
    first = g3.edges_on_cell[g3.cell_offsets[0] : g3.cell_offsets[1]]
    assert mesh_map.cell_spacing(g3)[0] == pytest.approx(g3.dc_edge[first].mean() * EARTH_RADIUS / 1e3)


def test_polygons_are_whole_and_around_their_cells(g3):
    """Polygons of a global mesh have a corner per vertex and contain the centre of their cell. They are not
    torn at the date line, except near the poles."""
    box = mesh_map._box(g3)
    assert box == (-180, 180, -90, 90)
    centres = np.degrees([g3.cell_longitude, g3.cell_latitude]).T
    corners = np.diff(g3.cell_offsets)
    for polygon, (lon, lat), n in zip(mesh_map._polygons(g3), centres, corners, strict=True):
        if abs(lat) > 75:
            continue
        assert len(polygon) == n
        assert np.ptp(polygon[:, 0]) < 90
        turns = [shapely.Point(lon + turn, lat) for turn in (-360, 0, 360)]
        assert sum(shapely.Polygon(polygon).contains(turns)) == 1


def test_a_raster_has_the_nearest_cell_and_gaps(g3):
    north = halcyon.mesh.cut(g3, (g3.cell_latitude > 0.2).astype(np.uint8))
    raster = mesh_map._raster(north, mesh_map.cell_spacing(north), (-180, 180, -90, 90))
    assert np.isnan(raster[: len(raster) // 3]).all()
    assert np.isfinite(raster[-len(raster) // 3 :]).all()


@pytest.mark.parametrize("max_polygons", [10, 10_000])
def test_a_picture_either_way(g3, tmp_path, monkeypatch, max_polygons):
    """A mesh is drawn as polygons, or, with many cells, as a raster."""
    monkeypatch.setattr(mesh_map, "MOST_POLYGONS", max_polygons)
    cap = halcyon.mesh.cut(g3, (g3.cell_latitude > 1.2).astype(np.uint8))
    for name, mesh in (("globe", g3), ("cap", cap)):
        mesh_picture(tmp_path / f"{name}.png", mesh, title=name)
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"


@pytest.fixture(scope="module")
def mesh_at_the_date_line():
    """A global mesh refined around 180 degrees east."""
    return halcyon.mesh.make(
        halcyon.mesh.MeshSpec(level=3, zoom=halcyon.mesh.Zoom(ratio=4, transition=1800e3))
    )


def test_a_refined_globe_fills_its_box(mesh_at_the_date_line):
    """Polygons that cross the date line are drawn on both sides, and cover the map without gaps."""
    mesh = mesh_at_the_date_line
    west, east, _, _ = box = mesh_map._box(mesh)
    assert (west, east) == (-180, 180)
    polygons = mesh_map._polygons(mesh)
    assert all(p[:, 0].max() > west and p[:, 0].min() < east for p in polygons)
    drawn, values = mesh_map._on_both_sides(polygons, np.arange(mesh.n_cells), box)
    whole = shapely.union_all([shapely.Polygon(p) for p in drawn if np.abs(p[:, 1]).max() < 60])
    assert shapely.box(-180, -30, 180, 30).difference(whole).area < 1e-9
    assert len(values) == len(drawn) > mesh.n_cells


def test_a_mesh_across_the_date_line_is_drawn_around_it(mesh_at_the_date_line):
    mesh = mesh_at_the_date_line
    is_near = (np.abs(mesh.cell_latitude) < 0.8) & (np.cos(mesh.cell_longitude) < -0.5)
    part = halcyon.mesh.cut(mesh, is_near.astype(np.uint8))
    west, east, _, _ = box = mesh_map._box(part)
    assert east - west < 160 and west % 360 < 180 < east % 360
    assert (
        mesh_map._on_both_sides(mesh_map._polygons(part), np.zeros(part.n_cells), box)[1].size == part.n_cells
    )
