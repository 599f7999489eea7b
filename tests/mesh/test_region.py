"""Spacing, points and whole regional meshes."""

import numpy as np
import pytest
import shapely

import halcyon.mesh
from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh import MeshSpec, Region, Spacing, coast, region, scvt, sphere
from halcyon.mesh.spacing import SpacingTable
from halcyon.mesh.spec import ETOPO5, Coast

needs_data = pytest.mark.skipif(
    not (coast.GSHHG.is_dir() and ETOPO5.is_file()),
    reason="gmt-gshhg-low or ferret-datasets is not installed",
)
COARSE = MeshSpec(
    region=Region(west=118, east=145, south=20, north=45),
    spacing=Spacing(coast=60e3, ocean=150e3, transition=400e3),
    coast=Coast(resolution="l", minimum_area=1e9),
)
SMALL = MeshSpec(
    region=Region(west=128, east=142, south=25, north=40),
    spacing=Spacing(coast=120e3, ocean=250e3, transition=500e3),
    coast=Coast(resolution="c", minimum_area=1e9),
)


@pytest.fixture(scope="module")
def mesh():
    return halcyon.mesh.regional_mesh(COARSE)


def test_spacing_grows_from_the_coast():
    land = shapely.box(100, -10, 110, 40)
    table = SpacingTable(Region(west=105, east=150, south=0, north=30), Spacing(), land, (90, -20, 170, 50))
    lon = np.array([110.0, 111.0, 112.0, 120.0, 149.0])
    km = table(sphere.to_points(lon, lon * 0 + 15)) * EARTH_RADIUS / 1e3
    away = (lon - 110) * np.cos(np.radians(15)) * np.radians(EARTH_RADIUS) / 1e3
    np.testing.assert_allclose(km, np.minimum(27 + 43 / 300 * away, 70), atol=1.5)
    outside = table(sphere.to_points(np.array([160.0, 300.0]), np.array([15.0, -15.0]))) * EARTH_RADIUS
    assert 70e3 < outside[0] < outside[1] <= 1.2e6


def test_spacing_without_land_is_that_of_the_ocean():
    table = SpacingTable(
        Region(west=0, east=20, south=0, north=20), Spacing(), shapely.MultiPolygon(), (-3, -3, 23, 23)
    )
    assert table(sphere.to_points([10.0], [10.0])) * EARTH_RADIUS == pytest.approx(70e3)


def test_points_of_the_uniform_mesh(g3):
    assert g3.n_cells == 10 * 4**3 + 2
    assert halcyon.mesh.uniform(0).n_cells == 12
    with pytest.raises(ConfigError, match="G11"):
        halcyon.mesh.uniform(11)


def test_points_follow_the_spacing(varied):
    km = EARTH_RADIUS / 1e3
    assert 330 < halcyon.mesh.quality(varied).dc_min * km < 420
    assert 1100 < np.percentile(varied.dc_edge, 99) * km < 1400


def test_the_limit_of_iterations_is_told():
    told = []
    scvt.even(300, tolerance=1e-9, limit=3, at_limit=told.append)
    scvt.even(300, tolerance=0.5, limit=3, at_limit=told.append)
    assert len(told) == 1 and 1e-4 < told[0] < 0.5
    scvt.uniform(2, tolerance=1e-12, limit=2, at_limit=told.append)
    assert len(told) == 2


def test_a_mesh_with_cells_too_near_is_refused(g3, part):
    region.require_usable(part, np.full(part.n_cells, part.dc_edge.mean()))
    region.require_usable(g3, np.full(g3.n_cells, g3.dc_edge.mean()))
    with pytest.raises(
        InputError, match=r"cannot be used: at .* E .* N cells are 0.0.* of the asked spacing"
    ):
        region.require_usable(g3, np.full(g3.n_cells, 20 * g3.dc_edge.mean()))


@needs_data
def test_regional_mesh(mesh):
    found = halcyon.mesh.quality(mesh)
    assert 500 < mesh.n_cells < 1500
    assert found.dc_min > 0.7 * 60e3 / EARTH_RADIUS
    assert found.dc_max < 1.6 * 150e3 / EARTH_RADIUS
    assert found.triangle_min > 0.5
    lon, lat = sphere.to_lonlat(mesh.cell_points)
    assert lon.min() >= 118 and lon.max() <= 145 and lat.min() >= 20 and lat.max() <= 45
    assert mesh.bottom_depth.min() >= 5 and mesh.bottom_depth.max() > 5000
    assert mesh.mesh_density.min() > 0 and mesh.mesh_density.max() <= 1


@needs_data
def test_straits_are_open(mesh):
    """The Sea of Japan, the Yellow Sea and the Pacific are one sea, and nothing else is kept."""
    assert halcyon.mesh.clean(mesh, np.ones(mesh.n_cells, np.uint8)).all()
    for place in ((134, 40), (123.5, 36), (140, 25), (129, 34.3), (119.6, 24.6)):
        nearest = np.linalg.norm(mesh.cell_points - sphere.to_points(*place), axis=1).min()
        assert nearest * EARTH_RADIUS < 100e3, place


@needs_data
def test_the_same_bytes_twice(tmp_path):
    files = [tmp_path / "one.nc", tmp_path / "two.nc"]
    for path in files:
        halcyon.mesh.write_mpas(str(path), halcyon.mesh.regional_mesh(SMALL))
    assert files[0].read_bytes() == files[1].read_bytes()


@needs_data
def test_open_ocean_across_the_date_line():
    spec = MeshSpec(
        region=Region(west=175, east=185, south=-6, north=4),
        spacing=Spacing(coast=150e3, ocean=150e3),
        coast=Coast(resolution="c"),
    )
    mesh = halcyon.mesh.regional_mesh(spec)
    assert 40 < mesh.n_cells < 90
    assert mesh.bottom_depth.min() > 1000
    lon, _ = sphere.to_lonlat(mesh.cell_points)
    assert (lon % 360 > 180).any() and (lon % 360 < 180).any()


@needs_data
def test_no_sea():
    inland = Region(west=90, east=95, south=40, north=44)
    spec = MeshSpec(region=inland, spacing=Spacing(coast=60e3), coast=Coast(resolution="c"))
    with pytest.raises(InputError, match="no sea in the region"):
        halcyon.mesh.regional_mesh(spec)


@pytest.mark.parametrize(
    ("record", "options", "text"),
    [
        (Region, {"west": 10, "east": 5, "south": 0, "north": 1}, "add 360"),
        (Region, {"west": 0, "east": 5, "south": 1, "north": 1}, "south < north"),
        (Region, {"west": 0, "east": 5, "south": 1, "north": 91}, "south < north"),
        (Spacing, {"coast": 80e3, "ocean": 70e3}, "coast <= ocean"),
        (Spacing, {"transition": 1e3}, "at least 86000 m"),
    ],
)
def test_mistakes_in_the_spec(record, options, text):
    with pytest.raises(ConfigError, match=text):
        record(**options)
