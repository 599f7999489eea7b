"""Land from GSHHG and from GeoJSON."""

import json

import numpy as np
import pytest
import shapely

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh import Coast, coast

BOX = (110, 0, 160, 50)  # west, south, east, north [degrees]

needs_gshhg = pytest.mark.skipif(not coast.GSHHG.is_dir(), reason="gmt-gshhg-low is not installed")


def natural_earth(path):
    """Returns the land of a TopoJSON file as one geometry in degrees."""
    topology = json.loads(path.read_text())
    scale, move = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [np.cumsum(arc, axis=0) * scale + move for arc in topology["arcs"]]

    def ring(numbers):
        return np.concatenate([arcs[i] if i >= 0 else arcs[~i][::-1] for i in numbers])

    land = topology["objects"]["land"]
    polygons = [
        polygon
        for shape in land.get("geometries", [land])
        for polygon in (shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]])
    ]
    rings = [[ring(numbers) for numbers in polygon] for polygon in polygons]
    return shapely.union_all([shapely.make_valid(shapely.Polygon(r[0], r[1:])) for r in rings])


@needs_gshhg
def test_area_of_land_is_natural_earths(shared):
    """The land of GSHHG in BOX has the area of Natural Earth's within 0.5 %."""
    expected = shapely.intersection(
        natural_earth(shared / "data/naturalearth/land-50m.json"), shapely.box(*BOX)
    )
    assert coast.area(coast.land("i", BOX)) == pytest.approx(coast.area(expected), rel=0.005)


@needs_gshhg
@pytest.mark.parametrize("resolution", ["c", "l", "i"])
def test_known_places(resolution):
    land = coast.land(resolution, (120, 30, 145, 45))
    on_land = {"Seoul": (127.0, 37.4), "Tokyo": (139.3, 35.8)} | (
        {} if resolution == "c" else {"Jeju": (126.55, 33.38)}
    )
    at_sea = {"Korea Strait": (129.0, 34.2), "Yellow Sea": (123.5, 36.0), "Sea of Japan": (134.0, 40.0)}
    assert all(shapely.contains_xy(land, *point) for point in on_land.values())
    assert not any(shapely.contains_xy(land, *point) for point in at_sea.values())


@needs_gshhg
def test_boxes_across_greenwich_and_the_date_line_are_the_same_land():
    """Boxes that are 360 degrees apart have the same land; a box across Greenwich has Spain on both sides."""
    east, west = coast.land("c", (170, -50, 200, -30)), coast.land("c", (-190, -50, -160, -30))
    moved = shapely.transform(west, lambda p: p + np.array([360.0, 0.0]))
    assert shapely.symmetric_difference(east, moved).area < 1e-9
    spain = coast.land("c", (-10, 35, 5, 45))
    assert shapely.contains_xy(spain, [-3.7, 2.0], [40.4, 42.0]).all()


@needs_gshhg
def test_antarctica_is_land():
    assert shapely.contains_xy(coast.land("c", (0, -90, 40, -60)), 20.0, -85.0)


@needs_gshhg
def test_small_islands_count_as_sea():
    few = coast.land_of(Coast(resolution="l", minimum_area=1e10), (125, 30, 145, 45))
    assert not shapely.contains_xy(few, 126.55, 33.38)
    assert shapely.contains_xy(few, 139.3, 35.8)


@needs_gshhg
def test_the_open_ocean_has_no_land():
    for minimum_area in (0, 3e8):
        assert coast.land_of(
            Coast(resolution="c", minimum_area=minimum_area), (-140, -40, -130, -30)
        ).is_empty


def test_area_of_the_sphere():
    assert coast.area(shapely.box(-180, -90, 180, 90)) == pytest.approx(4 * np.pi * EARTH_RADIUS**2)


def test_mistakes(monkeypatch, tmp_path):
    with pytest.raises(ConfigError, match=r"'f'.*has c"):
        coast.land("f", BOX)
    monkeypatch.setattr(coast, "GSHHG", tmp_path)
    with pytest.raises(InputError, match="apt-get install gmt-gshhg-low"):
        coast.land("i", BOX)


def test_geojson(tmp_path):
    """A square across the date line is found from either side, and there is no land elsewhere."""
    path = tmp_path / "land.geojson"
    square = {"type": "Polygon", "coordinates": [[[175, 0], [185, 0], [185, 5], [175, 5], [175, 0]]]}
    path.write_text(
        json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": square}]})
    )
    assert coast.read_geojson(path, (170, -10, 180, 10)).area == pytest.approx(25)
    assert coast.read_geojson(path, (-180, -10, -170, 10)).area == pytest.approx(25)
    for open_sea in ((0, -10, 10, 10), (175, 6, 185, 9)):
        assert coast.land_of(Coast(source=str(path)), open_sea).is_empty


def test_a_file_without_polygons_is_no_coast(tmp_path):
    path = tmp_path / "land.geojson"
    path.write_text('{"type": "FeatureCollection", "features": []}')
    with pytest.raises(InputError, match="has no polygon"):
        coast.read_geojson(path, BOX)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"type": "Point", "coordinates": [0, 0]}', '{"type": "Feature"}']
)
def test_bad_geojson(tmp_path, text):
    path = tmp_path / "land.geojson"
    path.write_text(text)
    with pytest.raises(InputError, match="is not GeoJSON of polygons"):
        coast.read_geojson(path, BOX)
    with pytest.raises(InputError, match="none cannot be read as the coast file"):
        coast.read_geojson(tmp_path / "none", BOX)
