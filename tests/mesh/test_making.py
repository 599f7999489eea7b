"""Meshes generated from specifications."""

import json

import numpy as np
import pytest
import shapely

import halcyon.mesh
from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh import (
    Box,
    ByDepth,
    Circle,
    Coast,
    Depth,
    MeshSpec,
    Region,
    Spacing,
    Zoom,
    coast,
    generate,
    scvt,
    sphere,
)
from halcyon.mesh.spec import ETOPO5

needs_data = pytest.mark.skipif(
    not (coast.GSHHG.is_dir() and ETOPO5.is_file()),
    reason="gmt-gshhg-low or ferret-datasets is not installed",
)
COARSE = MeshSpec(
    region=Region(west=118, east=145, south=20, north=45),
    spacing=Spacing(background=150e3, coast=60e3, transition=400e3),
    coast=Coast(resolution="l", minimum_area=1e9),
    sea=True,
    depth=Depth(),
)
SMALL = MeshSpec(
    region=Region(west=128, east=142, south=25, north=40),
    spacing=Spacing(background=250e3, coast=120e3, transition=500e3),
    coast=Coast(resolution="c", minimum_area=1e9),
    sea=True,
    depth=Depth(),
)
KM = EARTH_RADIUS / 1e3  # kilometres per radian


@pytest.fixture(scope="module")
def mesh():
    """The mesh of COARSE, a regional sea."""
    return halcyon.mesh.make(COARSE)


def test_points_of_the_uniform_mesh(g3):
    assert g3.n_cells == 10 * 4**3 + 2
    assert halcyon.mesh.uniform(0).n_cells == 12
    with pytest.raises(ConfigError, match="G11"):
        halcyon.mesh.uniform(11)


@pytest.mark.parametrize("n", [12, 13, 500])
def test_any_number_of_points(n):
    assert halcyon.mesh.make(MeshSpec(points=n)).n_cells == n


def test_a_zoom_has_the_count_and_the_ratio_asked_for():
    """The ratio of the spacings is the square root of the ratio of mean cell areas far from and near the
    centre."""
    mesh = halcyon.mesh.make(MeshSpec(level=4, zoom=Zoom(ratio=4, longitude=100, latitude=-20)))
    assert mesh.n_cells == 10 * 4**4 + 2
    distance = np.arccos(np.clip(mesh.cell_points @ sphere.to_points(100, -20), -1, 1))  # [rad]
    area = np.asarray(mesh.area_cell)
    assert np.sqrt(area[distance > 2.5].mean() / area[distance < 0.3].mean()) == pytest.approx(4, rel=0.08)


def test_spacings_are_relative_where_the_count_is_given():
    """With 1500 points, a background three times as coarse as the circle gives this ratio of spacings."""

    def made(scale):
        circle = Circle(longitude=0, latitude=0, radius=1e6, spacing=1e5 * scale, transition=2e6 * scale)
        spacing = Spacing(background=3e5 * scale, circles=(circle,))
        return halcyon.mesh.make(MeshSpec(points=1500, spacing=spacing))

    mesh = made(1)
    assert mesh.n_cells == 1500
    distance = np.arccos(np.clip(mesh.cell_points[:, 0], -1, 1))  # from 0 E 0 N [rad]
    area = np.asarray(mesh.area_cell)
    assert np.sqrt(area[distance > 1].mean() / area[distance < 0.12].mean()) == pytest.approx(3, rel=0.1)


def test_fine_spacing_is_that_asked_for():
    """Mean distances of cells in the circle and far away are within 5 % of the spacings given."""
    circle = Circle(longitude=30, latitude=50, radius=1500e3, spacing=150e3, transition=2500e3)
    mesh = halcyon.mesh.make(MeshSpec(spacing=Spacing(background=600e3, circles=(circle,))))
    distance = np.arccos(np.clip(mesh.edge_points @ sphere.to_points(30, 50), -1, 1)) * KM
    assert mesh.dc_edge[distance < 1200].mean() * KM == pytest.approx(150, rel=0.05)
    assert mesh.dc_edge[distance > 5000].mean() * KM == pytest.approx(600, rel=0.05)


@pytest.mark.parametrize("order", ["natural", "morton", "bfs", "rcm", "grist_hilbert"])
def test_orders_hold_the_same_cells(g3, order):
    """A mesh in another order has the cells of the natural order."""
    mesh = halcyon.mesh.make(MeshSpec(level=3, order=order))
    points, natural = (np.asarray(m.cell_points) for m in (mesh, g3))
    assert np.array_equal(points[np.lexsort(points.T)], natural[np.lexsort(natural.T)])
    assert order == "natural" or not np.array_equal(points, natural)


def test_the_limit_of_iterations_is_told():
    """Reaching the limit of iterations is reported with the mean move of the points."""
    moves = []
    scvt.even(300, tolerance=1e-9, limit=3, at_limit=moves.append)
    assert len(moves) == 1 and 1e-4 < moves[0] < 0.5
    reports = []
    halcyon.mesh.make(MeshSpec(level=2, tolerance=1e-12, iterations=2), reports.append)
    assert any("still moved" in text for text in reports)


def test_points_follow_the_spacing(varied):
    assert 330 < halcyon.mesh.quality(varied).dc_min * KM < 420
    assert 1000 < halcyon.mesh.quality(varied).dc_max * KM < 1500


def test_a_mesh_with_cells_too_near_is_refused(g3, part):
    generate.require_usable(part, np.full(part.n_cells, part.dc_edge.mean()))
    generate.require_usable(g3, np.full(g3.n_cells, g3.dc_edge.mean()))
    with pytest.raises(
        InputError, match=r"cannot be used: at .* [EW] .* [NS] cells are 0.0.* of the requested"
    ):
        generate.require_usable(g3, np.full(g3.n_cells, 20 * g3.dc_edge.mean()))


@needs_data
def test_a_regional_mesh(mesh):
    found = halcyon.mesh.quality(mesh)
    assert 500 < mesh.n_cells < 1500
    assert mesh.n_cells == pytest.approx(halcyon.mesh.expected_cells(COARSE), rel=0.1)
    assert found.dc_min > 0.7 * 60e3 / EARTH_RADIUS
    assert found.dc_max < 1.6 * 150e3 / EARTH_RADIUS
    assert found.triangle_min > 0.5
    lon, lat = sphere.to_lonlat(mesh.cell_points)
    assert lon.min() >= 118 and lon.max() <= 145 and lat.min() >= 20 and lat.max() <= 45
    assert mesh.bottom_depth.min() >= 5 and mesh.bottom_depth.max() > 5000
    assert mesh.mesh_density.min() > 0 and mesh.mesh_density.max() <= 1


@needs_data
def test_straits_are_open_and_the_boundary_is_clean(mesh):
    """The Sea of Japan, the Yellow Sea and the Pacific are connected; no cell has a single neighbour."""
    assert halcyon.mesh.clean_selection(mesh, np.ones(mesh.n_cells, np.uint8)).all()
    for position in ((134, 40), (123.5, 36), (140, 25), (129, 34.3), (119.6, 24.6)):
        nearest = np.linalg.norm(mesh.cell_points - sphere.to_points(*position), axis=1).min()
        assert nearest * EARTH_RADIUS < 100e3, position
    n_neighbours = np.add.reduceat((mesh.cells_on_cell >= 0).astype(int), mesh.cell_offsets[:-1])
    assert n_neighbours.min() >= 2


@needs_data
def test_the_same_bytes_twice(tmp_path):
    """Two meshes of the same spec have the same bytes."""
    files = [tmp_path / "one.nc", tmp_path / "two.nc"]
    for path in files:
        halcyon.mesh.write_mpas(str(path), halcyon.mesh.make(SMALL))
    assert files[0].read_bytes() == files[1].read_bytes()


@needs_data
def test_open_ocean_across_the_date_line():
    region = Region(west=175, east=185, south=-6, north=4)
    spacing, coarse = Spacing(background=150e3, coast=150e3), Coast(resolution="c")
    mesh = halcyon.mesh.make(MeshSpec(region=region, spacing=spacing, coast=coarse, sea=True, depth=Depth()))
    assert 40 < mesh.n_cells < 90
    assert mesh.bottom_depth.min() > 1000
    lon, _ = sphere.to_lonlat(mesh.cell_points)
    assert (lon % 360 > 180).any() and (lon % 360 < 180).any()


@needs_data
def test_the_sea_of_the_globe():
    spec = MeshSpec(spacing=Spacing(background=400e3), sea=True, coast=Coast(resolution="c"))
    mesh = halcyon.mesh.make(spec)
    assert mesh.n_cells == pytest.approx(halcyon.mesh.expected_cells(spec), rel=0.03)
    assert mesh.area_cell.sum() / (4 * np.pi) == pytest.approx(0.70, abs=0.02)
    assert len(mesh.bottom_depth) == 0


@needs_data
def test_a_range_of_depths():
    """Only cells whose depth is in the range are kept."""
    region = Region(west=118, east=145, south=20, north=45)
    for low, high in ((0, 200), (1000, 4000)):
        mesh = halcyon.mesh.make(MeshSpec(level=6, region=region, depths=(low, high)))
        assert mesh.n_cells > 10
        assert max(low, 1) <= mesh.bottom_depth.min() and mesh.bottom_depth.max() <= high


@needs_data
def test_no_sea():
    """A region without sea is refused."""
    inland = Region(west=90, east=95, south=40, north=44)
    spec = MeshSpec(region=inland, spacing=Spacing(background=60e3), coast=Coast(resolution="c"), sea=True)
    with pytest.raises(InputError, match=r"no sea in the region 90\.\.95 E, 40\.\.44 N"):
        halcyon.mesh.make(spec)


@needs_data
def test_a_sea_that_is_narrow_or_not_so_deep():
    around_arabia = Region(west=0, east=40, south=0, north=40)
    with pytest.raises(InputError, match=r"no sea .* or it is too narrow for the spacing"):
        halcyon.mesh.make(MeshSpec(level=3, region=around_arabia, coast=Coast(resolution="c"), sea=True))
    with pytest.raises(InputError, match=r"No cell has a depth of 20000 to 30000 m\. The cells have 0 to"):
        halcyon.mesh.make(MeshSpec(level=3, depths=(20000, 30000)))


def test_more_cells_than_can_be_made_are_refused_before_work(monkeypatch):
    monkeypatch.setattr(generate, "tabulated", None)
    corner = Region(west=0, east=40, south=0, north=40)
    hexagon = np.sqrt(3) / 2 * 5e3**2
    expected = f"{4 * np.pi * EARTH_RADIUS**2 / hexagon // 1e6:.0f},"
    with pytest.raises(ConfigError, match=f"about {expected}.* minimum is 5 km"):
        halcyon.mesh.make(MeshSpec(spacing=Spacing(background=5e3)))
    with pytest.raises(ConfigError, match=r"minimum is 0\.8 km"):
        halcyon.mesh.make(MeshSpec(spacing=Spacing(background=800), region=corner))
    with pytest.raises(ConfigError, match="at most 10485762"):
        MeshSpec(points=10_485_763)


@pytest.mark.parametrize("length", [0.0, -1.0, np.nan, np.inf])
def test_lengths_are_positive_and_finite(length):
    centre = {"longitude": 0, "latitude": 0}
    box = {"west": 0, "east": 1, "south": 0, "north": 1}
    valid = {"spacing": 1e4, "transition": 1e6}
    for name in valid:
        for record, area in ((Circle, centre | {"radius": 1e5}), (Box, box)):
            with pytest.raises(ConfigError, match=f"the {name} is .* above 0 and finite"):
                record(**area, **valid | {name: length})
    for options in ({"background": length}, {"background": 1e5, "coast": length}):
        with pytest.raises(ConfigError, match="above 0 and finite"):
            Spacing(**options)
    with pytest.raises(ConfigError, match="above 0"):
        ByDepth(spacing=1e4, depth=length)


def polygons(path, *rings):
    """Writes a GeoJSON file with one polygon per ring, and returns its path."""
    shapes = [{"type": "Polygon", "coordinates": [ring]} for ring in rings]
    features = [{"type": "Feature", "geometry": shape} for shape in shapes]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return str(path)


def ring(west, south, east, north):
    """The closed ring of a box [degrees]."""
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def test_a_polygon_across_the_date_line(tmp_path, g4):
    """Cells are those in the polygon, whether it is split at the date line or extends beyond 180 E."""
    file = polygons(tmp_path / "area.geojson", ring(160, -20, 180, 20), ring(-180, -20, -160, 20))
    mesh = halcyon.mesh.make(MeshSpec(level=4, polygon=file))
    lon, lat = sphere.to_lonlat(g4.cell_points)
    assert mesh.n_cells == ((np.abs(lon) > 160) & (np.abs(lat) < 20)).sum()
    same = halcyon.mesh.make(
        MeshSpec(level=4, polygon=polygons(tmp_path / "b.geojson", ring(160, -20, 200, 20)))
    )
    assert np.array_equal(same.cell_points, mesh.cell_points)
    triangle = polygons(tmp_path / "c.geojson", [[0, 0], [90, 0], [0, 60], [0, 0]])
    lon, lat = sphere.to_lonlat(halcyon.mesh.make(MeshSpec(level=4, polygon=triangle)).cell_points)
    assert lon.min() > 0 and lat.min() > 0 and (lon / 90 + lat / 60 < 1).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is not GeoJSON of polygons"),
        ('{"type": "FeatureCollection", "features": []}', "has no polygon with an area"),
        ('{"type": "Point", "coordinates": [0, 0]}', "is not GeoJSON"),
        (json.dumps({"type": "Polygon", "coordinates": [ring(0, 80, 10, 95)]}), "beyond -90..90"),
        (
            json.dumps({"type": "Polygon", "coordinates": [ring(0, 0, 0.01, 0.01)]}),
            "no cell centre in the region",
        ),
    ],
)
def test_bad_polygons(tmp_path, text, expected):
    path = tmp_path / "area.geojson"
    path.write_text(text)
    with pytest.raises(InputError, match=expected):
        halcyon.mesh.make(MeshSpec(level=2, polygon=str(path)))
    with pytest.raises(InputError, match="cannot be read as the region file"):
        halcyon.mesh.make(MeshSpec(level=2, polygon=str(tmp_path / "none")))


SIZE = {"level": 3}  # options of a valid MeshSpec


@pytest.mark.parametrize(
    ("record", "options", "text"),
    [
        (Region, {"west": 10, "east": 5, "south": 0, "north": 1}, "add 360"),
        (Region, {"west": 0, "east": 5, "south": 1, "north": 1}, "south < north"),
        (Region, {"west": 0, "east": 5, "south": 1, "north": 91}, "south < north"),
        (Spacing, {"background": 70e3, "coast": 80e3}, "0 < the finer <= the coarser"),
        (Spacing, {"background": 70e3, "coast": 27e3, "transition": 1e3}, "at least 86 km"),
        (Spacing, {"background": 0.0}, "must be above 0"),
        (Spacing, {}, "has no background"),
        (Spacing, {"coast": 1e4}, "background"),
        (Zoom, {"ratio": 0.5}, "at least 1"),
        pytest.param(
            Zoom, {"ratio": 4, "latitude": 95}, "not a valid position", id="Zoom-options9-is no place"
        ),
        (MeshSpec, {}, "has no size"),
        (MeshSpec, {"level": 11}, "0..10"),
        (MeshSpec, {"level": 3, "points": 40}, "Keep one"),
        (MeshSpec, {"points": 11}, "at least 12"),
        (MeshSpec, {"spacing": Spacing(background=1e5), "zoom": Zoom(ratio=2)}, "zoom goes with"),
        (MeshSpec, SIZE | {"order": "random"}, "must be one of"),
        (MeshSpec, SIZE | {"depths": (200, 100)}, "least < most"),
        (MeshSpec, SIZE | {"tolerance": 0.0}, "above 0"),
        (MeshSpec, SIZE | {"iterations": 0}, "above 0"),
    ],
)
def test_mistakes_in_the_spec(record, options, text):
    with pytest.raises(ConfigError, match=text):
        record(**options)


def test_a_zoom_that_is_too_steep_for_its_cells():
    with pytest.raises(ConfigError, match=r"zoom: transition is .* Give at least"):
        halcyon.mesh.make(MeshSpec(level=3, zoom=Zoom(ratio=8, transition=2e5)))


def test_what_is_left_out_is_told(tmp_path):
    """The smaller of two separate areas is dropped, with a report of the number of cells."""
    squares = [shapely.box(0, 0, 30, 30), shapely.box(60, 0, 80, 20)]
    path = tmp_path / "two.json"
    path.write_text(shapely.to_geojson(shapely.MultiPolygon(squares)))
    reports = []
    made = halcyon.mesh.make(MeshSpec(level=4, polygon=str(path)), reports.append)
    left_out = [text for text in reports if "left out" in text]
    assert len(left_out) == 1
    dropped, n_cells = (int(word) for word in left_out[0].split() if word.isdigit())
    assert n_cells - dropped == made.n_cells
    assert dropped > 0.3 * n_cells


def test_a_fine_part_that_is_too_small_is_told():
    """A refined circle smaller than its spacing is reported; a large one is not."""

    def reports(radius):
        lines = []
        circle = Circle(longitude=10, latitude=50, radius=radius, spacing=60e3, transition=1200e3)
        halcyon.mesh.make(MeshSpec(spacing=Spacing(background=600e3, circles=(circle,))), lines.append)
        return [line for line in lines if "finest cells" in line]

    assert len(reports(30e3)) == 1
    assert reports(2000e3) == []
