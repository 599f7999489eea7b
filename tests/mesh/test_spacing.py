"""Spacing functions against exact values."""

import numpy as np
import pytest
import shapely
from netCDF4 import Dataset

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.mesh import Box, ByDepth, ByField, Circle, Depth, MeshSpec, Region, Spacing, Zoom, sphere
from halcyon.mesh import spacing as functions
from halcyon.mesh.domain import MeshDomain
from halcyon.mesh.spacing_coast import FARTHEST_SHORE, CoarserInland, NearCoast, Shore
from halcyon.mesh.spacing_grid import by_field, limited
from halcyon.mesh.target import expected_cells, target_spacing

KM = EARTH_RADIUS / 1e3  # kilometres per radian
DEGREE = np.radians(1) * KM  # [km]


def km_at(function, *positions):
    """A spacing [km] at positions (longitude, latitude) [degrees]."""
    return function(sphere.to_points(*np.transpose(np.array(positions, float)))) * KM


def test_a_circle_grows_to_the_background():
    """Spacing is linear in the distance [km] from the circle, in both directions and across the date line."""
    circle = Circle(longitude=170, latitude=0, radius=500e3, spacing=20e3, transition=1000e3)
    function = functions.NearCircle(circle, 100e3)
    distances = np.array([0, 400, 500, 1000, 1500, 9000]) / DEGREE
    expected = [20, 20, 20, 60, 100, 100]
    np.testing.assert_allclose(km_at(function, *[(170 + d, 0) for d in distances]), expected, rtol=1e-9)
    np.testing.assert_allclose(km_at(function, *[(170, d) for d in distances]), expected, rtol=1e-9)


def test_a_box_across_the_date_line():
    box = Box(west=170, south=-10, east=190, north=10, spacing=20e3, transition=1000e3)
    function = functions.NearBox(box, 100e3)
    found = km_at(function, (180, 0), (-171, 9), (190 + 500 / DEGREE, 0), (180, 10 + 250 / DEGREE), (0, 0))
    np.testing.assert_allclose(found, [20, 20, 60, 40, 100], rtol=1e-9)


def test_the_least_of_several():
    coarse, fine = functions.Uniform(50e3), functions.Uniform(30e3)
    np.testing.assert_allclose(km_at(functions.Minimum([coarse, fine]), (0, 0), (10, 20)), 30)


def test_a_zoom_is_the_density_of_ringler():
    """Spacing is 1 at the centre and 4 far away; at the radius, the density is the mean of both."""
    zoom = Zoom(ratio=4, longitude=0, latitude=90, radius=3e6, transition=5e5)
    angles = np.array([0.0, 3e6, 1.2e7]) / EARTH_RADIUS
    points = np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1)
    half = ((1 + 4.0**-4) / 2) ** -0.25
    np.testing.assert_allclose(functions.Zoomed(zoom)(points), [1, half, 4], rtol=1e-4)


def test_spacing_grows_from_the_coast_and_inland():
    land = shapely.box(100, -10, 110, 40)
    shapely.prepare(land)
    shore = Shore(land, (90, -20, 170, 50), 27e3)
    request = Spacing(background=70e3, coast=27e3)
    sea = NearCoast(shore, request)
    lon = np.array([110.001, 111.0, 112.0, 120.0, 149.0])
    distance = (lon - 110) * np.cos(np.radians(15)) * DEGREE
    found = km_at(sea, *[(x, 15) for x in lon])
    np.testing.assert_allclose(found, np.minimum(27 + 43 / 300 * distance, 70), atol=0.3)
    assert km_at(sea, (105, 15)) == pytest.approx(27)
    inland = 2 * np.cos(np.radians(15)) * DEGREE
    assert km_at(CoarserInland(sea, shore), (108, 15)) == pytest.approx(27 + 0.35 * (inland - 27), rel=0.02)
    assert km_at(CoarserInland(sea, shore), (109.9, 15)) == pytest.approx(27)


def test_distance_to_the_shore_is_that_of_its_points():
    """The distance against the distance to points 0.05 degrees apart on the shores; negative on land."""
    land = shapely.union_all([shapely.Point(x, y).buffer(2) for x, y in ((0, 0), (60, 30), (-170, -60))])
    shapely.prepare(land)
    shore = Shore(land, (-180, -90, 180, 90), 300e3)
    points = sphere.fibonacci(3000)
    lon, lat = sphere.to_lonlat(points)
    edge = shapely.get_coordinates(shapely.segmentize(land.boundary, 0.05))
    exact = np.min([functions.angle_from(p, points) for p in sphere.to_points(*edge.T)], axis=0)
    exact = np.minimum(exact, FARTHEST_SHORE)
    signed = np.where(shapely.contains_xy(land, lon, lat), -exact, exact)
    error = np.abs(shore.signed_distance(points) - signed) * KM
    assert error.max() < 300 and error.mean() < 30
    near = exact * KM < 100
    assert error[near].max() < 15
    assert shore.signed_distance(points) is shore.signed_distance(points)


def test_without_land_every_place_is_far_from_it():
    shore = Shore(shapely.MultiPolygon(), (-3, -3, 23, 23), 1e4)
    assert km_at(NearCoast(shore, Spacing(background=70e3, coast=27e3)), (10, 10)) == pytest.approx(70)


def test_spacing_is_coarser_outside_the_region():
    spec = MeshSpec(spacing=Spacing(background=50e3), region=Region(west=0, east=20, south=0, north=20))
    function = target_spacing(spec, MeshDomain(spec))
    assert km_at(function, (10, 10), (20, 0)) == pytest.approx([50, 50])
    assert km_at(function, (30, 0)) == pytest.approx(50 + 0.35 * 10 * DEGREE, rel=1e-9)
    assert km_at(function, (200, 0)) == pytest.approx(1200)


def test_growth_is_limited_both_ways_and_across_the_seam():
    lon, lat = np.arange(-181.0, 182.0), np.arange(-30.0, 31.0)
    spacing = np.full((61, 363), 1e6)
    spacing[30, [0, 360]] = 1e4
    found = limited(spacing, lon, lat)
    east_west = np.minimum(1e4 + 0.35 * DEGREE * 1e3 * np.abs((lon + 181 + 180) % 360 - 180), 1e6)
    np.testing.assert_allclose(found[30], east_west, rtol=1e-6)
    np.testing.assert_allclose(found[35, 0], 1e4 + 0.35 * 5 * DEGREE * 1e3, rtol=1e-6)


def write_field(path, *, step=2.0, units="km", value=None, **more):
    """Writes a spacing of 100 + |latitude| on a global grid; value: of one point; more: further variables."""
    lon, lat = np.arange(0.0, 360, step), np.arange(-90.0, 90.1, step)
    with Dataset(path, "w") as file:
        for name, values in (("lon", lon), ("lat", lat)):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        for name in ("spacing", *more):
            made = file.createVariable(name, "f8", ("lat", "lon"), fill_value=-9e33)
            made[:] = 100 + np.abs(lat)[:, None] + 0 * lon
            if units:
                made.units = units
            if value is not None:
                made[10, 20] = value
    return path


def test_a_field_is_read_between_its_points(tmp_path):
    file = write_field(tmp_path / "field.nc")
    spec = MeshSpec(spacing=Spacing(field=ByField(path=str(file))))
    function = target_spacing(spec, MeshDomain(spec))
    found = km_at(function, (0, 0), (179.5, 45), (359.5, -45), (-181, 89), (77, 90))
    np.testing.assert_allclose(found, [100, 145, 145, 189, 190], rtol=1e-9)
    named = write_field(tmp_path / "named.nc", units=" Km ")
    assert km_at(by_field(ByField(path=str(named)), (-180, -90, 180, 90)), (5, 0)) == pytest.approx(100)
    metres = write_field(tmp_path / "metres.nc", units="m")
    assert km_at(by_field(ByField(path=str(metres)), (-180, -90, 180, 90)), (5, 0)) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"units": ""}, "has no units"),
        ({"units": "degrees"}, "has the units 'degrees'"),
        ({"value": 0.0}, "but a spacing is above 0 everywhere"),
        ({"value": -5.0}, "is -5 at 40.00 E 70.00 S"),
        ({"value": np.nan}, "is nan at"),
        ({"value": np.ma.masked}, "above 0 everywhere"),
        ({"other": True}, "has 2 variables .* FILE:VARIABLE"),
    ],
)
def test_bad_fields(tmp_path, options, expected):
    file = write_field(tmp_path / "field.nc", **options)
    with pytest.raises(InputError, match=expected):
        by_field(ByField(path=str(file)), (-180, -90, 180, 90))


def test_a_field_must_cover_the_region(tmp_path):
    file = write_field(tmp_path / "field.nc")
    with Dataset(file, "a") as data:
        data["lat"][:] = np.linspace(0, 45, 91)
    assert by_field(ByField(path=str(file)), (0, 5, 40, 40))
    with pytest.raises(InputError, match="does not cover"):
        by_field(ByField(path=str(file)), (-180, -90, 180, 90))
    with pytest.raises(InputError, match=r"nowhere\.nc"):
        by_field(ByField(path=str(tmp_path / "nowhere.nc")), (-180, -90, 180, 90))


def test_spacing_by_depth_follows_the_root(tmp_path):
    """Spacing is proportional to the square root of the depth: a quarter of the depth halves it."""
    lon, lat = np.arange(-180.0, 180, 5), np.arange(-90.0, 91, 5)
    file = tmp_path / "depth.nc"
    with Dataset(file, "w") as data:
        for name, values in (("lon", lon), ("lat", lat)):
            data.createDimension(name, len(values))
            data.createVariable(name, "f8", (name,))[:] = values
        depth = np.where(np.abs(lon) < 90, 1000.0, 8000.0)
        data.createVariable("depth", "f8", ("lat", "lon"))[:] = depth + 0 * lat[:, None]
    request = Spacing(background=200e3, depth=ByDepth(spacing=20e3, depth=4000))
    spec = MeshSpec(spacing=request, depth=Depth(source=str(file)))
    found = km_at(target_spacing(spec, MeshDomain(spec)), (0, 0), (180, 0))
    np.testing.assert_allclose(found, [100, 200], rtol=1e-6)


def test_expected_cells_of_a_uniform_globe():
    spec = MeshSpec(spacing=Spacing(background=100e3))
    hexagon = np.sqrt(3) / 2 * (100e3 / EARTH_RADIUS) ** 2
    assert expected_cells(spec, MeshDomain(spec)) == pytest.approx(4 * np.pi / hexagon, rel=1e-4)
    half = MeshSpec(points=5000, region=Region(west=0, east=180, south=-90, north=90))
    assert expected_cells(half, MeshDomain(half)) == pytest.approx(2500, abs=1)
