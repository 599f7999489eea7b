"""Points in a region and on land, including their boundaries."""

import json

import numpy as np
import pytest

from halcyon.base import InputError
from halcyon.mesh import (
    ByDepth,
    ByField,
    Circle,
    Coast,
    MeshSpec,
    Spacing,
    Stretch,
    Zoom,
    cache,
    coast,
    sphere,
)
from halcyon.mesh.domain import MeshDomain
from halcyon.mesh.geojson import read_region

needs_gshhg = pytest.mark.skipif(not coast.GSHHG.is_dir(), reason="gmt-gshhg-low is not installed")


def polygon(path, *corners):
    """Writes a GeoJSON polygon, and returns its path."""
    path.write_text(json.dumps({"type": "Polygon", "coordinates": [[*corners, corners[0]]]}))
    return str(path)


def box(path, west, south, east, north):
    return polygon(path, (west, south), (east, south), (east, north), (west, north))


@pytest.mark.parametrize("west", [-180, 0])
def test_a_polygon_of_the_whole_globe_keeps_all_cells(tmp_path, west):
    domain = MeshDomain(MeshSpec(level=3, polygon=box(tmp_path / "globe.geojson", west, -90, west + 360, 90)))
    lon, lat = (a.ravel() for a in np.meshgrid(np.arange(-180.0, 181, 30), np.arange(-90.0, 91, 30)))
    assert domain.in_region(lon, lat).all()
    assert domain.contains(sphere.to_points(lon, lat)).all()


def test_a_polar_cap_keeps_the_date_line(tmp_path):
    domain = MeshDomain(MeshSpec(level=3, polygon=box(tmp_path / "cap.geojson", -180, 60, 180, 90)))
    lon, lat = np.array([180.0, -180.0, 0.0, 180.0]), np.array([75.0, 60.0, 90.0, 59.9])
    assert domain.in_region(lon, lat).tolist() == [True, True, True, False]


@needs_gshhg
def test_land_on_the_date_line_and_at_the_south_pole_is_land():
    domain = MeshDomain(MeshSpec(level=3, sea=True, coast=Coast(resolution="c")))
    chukotka, pole, pacific = (180.0, 67.5), (0.0, -90.0), (180.0, 0.0)
    positions = np.array([chukotka, pole, pacific])
    points = sphere.to_points(*positions.T)
    points[1] = 0, 0, -1
    assert domain.contains(points).tolist() == [False, False, True]
    distance = domain.shore(100e3).signed_distance(points)
    assert (np.sign(distance) == [-1, -1, 1]).all()


def test_a_side_that_goes_the_long_way_is_refused(tmp_path):
    wrong = box(tmp_path / "wrong.geojson", 170, -20, -170, 20)
    with pytest.raises(InputError, match=r"runs 340 degrees .* write 170\.\.190, or cut"):
        read_region(wrong)
    with pytest.raises(InputError, match=r"from -100 to 100 E, which runs 200 degrees"):
        read_region(box(tmp_path / "wide.geojson", -100, -20, 100, 20))
    right = read_region(box(tmp_path / "right.geojson", 170, -20, 190, 20))
    assert right.bounds == (170, -20, 190, 20)
    between = [(-100, -20), (0, -20), (100, -20), (100, 20), (0, 20), (-100, 20)]
    assert read_region(polygon(tmp_path / "long.geojson", *between)).area == 200 * 40


@pytest.mark.parametrize(
    ("size", "resolution"),
    [
        ({"level": 4}, "c"),
        ({"level": 7}, "l"),
        ({"level": 9}, "i"),
        ({"level": 5, "zoom": Zoom(ratio=3)}, "l"),
        ({"level": 5, "stretch": Stretch(ratio=3)}, "c"),
        ({"level": 5, "stretch": Stretch(ratio=9)}, "l"),
        ({"level": 4, "spacing": Spacing(background=5e4, coast=1e4)}, "l"),
        ({"spacing": Spacing(background=125e3)}, "c"),
        ({"spacing": Spacing(background=124e3)}, "l"),
        ({"spacing": Spacing(background=200e3, coast=24e3, transition=1e6)}, "i"),
        ({"spacing": Spacing(background=200e3, depth=ByDepth(spacing=30e3))}, "l"),
        ({"spacing": Spacing(field=ByField(path="field.nc"))}, "i"),
    ],
)
def test_the_coast_is_as_fine_as_the_spacing(monkeypatch, tmp_path, size, resolution):
    """The coastline resolution follows the finest spacing, and the cache key needs this coastline only."""
    spec = MeshSpec(**size, sea=True)
    assert spec.land == Coast(resolution=resolution)
    monkeypatch.setattr(coast, "GSHHG", tmp_path)
    (tmp_path / f"binned_GSHHS_{resolution}.nc").touch()
    assert cache.cache_key(spec)


def test_a_small_circle_makes_the_coast_fine():
    circle = Circle(longitude=0, latitude=0, radius=1e4, spacing=1e4, transition=1e6)
    spec = MeshSpec(spacing=Spacing(background=200e3, circles=(circle,)), sea=True)
    assert spec.land.resolution == "i"
    chosen = MeshSpec(level=9, sea=True, coast=Coast(resolution="c", minimum_area=1e9))
    assert chosen.land == chosen.coast
