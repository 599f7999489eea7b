"""Overlap areas of mesh cells and grid boxes: against closed forms, their sums, and an independent
computation."""

import numpy as np
import pytest
import shapely

import halcyon.mesh
from halcyon.base import InputError
from halcyon.remap import Conservative, Faces, LatLonGrid, regular_grid
from halcyon.remap.faces import points_of

GRIDS = {
    "coarse": regular_grid(shape=(7, 5)),
    "odd": regular_grid((-20, 340, -90, 90), shape=(61, 37)),
    "fine": regular_grid((0, 360, -90, 90), resolution=0.5),
}
REGIONS = {
    "date line": regular_grid((170, 200, -80, 35), shape=(60, 23)),
    "north pole": regular_grid((-20, 300, 30, 90), shape=(64, 48)),
    "south pole": regular_grid((100, 100 + 7, -90, -60), resolution=0.5),
}
ALL = GRIDS | REGIONS


@pytest.fixture(scope="module", params=[3, 4])
def mesh(request):
    return halcyon.mesh.uniform(request.param)


def overlaps_of(mesh, grid, rotation=None, threads=0):
    """Overlaps of the cells of a mesh, rotated by a matrix if given, with the boxes of a grid."""
    faces = Faces.of_mesh(mesh)
    if rotation is not None:
        faces = Faces(np.ascontiguousarray(faces.nodes @ rotation.T), faces.offsets, faces.nodes_on_face)
    return Conservative(faces, grid, threads=threads).overlaps


def box_sums(overlaps):
    """The sum of the overlap areas of each box."""
    boxes = np.repeat(np.arange(len(overlaps.box_areas)), np.diff(overlaps.offsets))
    return np.bincount(boxes, overlaps.areas, len(overlaps.box_areas))


def max_difference(values, expected):
    """The largest relative difference."""
    return np.abs(np.asarray(values) / np.asarray(expected) - 1).max()


def face_overlaps(longitude, latitude, grid):
    """Overlap areas of one face with the boxes, on the unit sphere (latitude, longitude)."""
    faces = Faces.of_table(longitude, latitude, [range(len(longitude))])
    return box_sums(Conservative(faces, grid).overlaps).reshape(grid.shape)


@pytest.mark.parametrize("name", GRIDS)
def test_cells_are_shared_out_to_the_last_digit(mesh, name):
    """Overlaps of each cell sum to its area."""
    overlaps = overlaps_of(mesh, GRIDS[name])
    assert max_difference(overlaps.face_areas, mesh.area_cell) < 1e-12
    cell_sums = np.bincount(overlaps.faces, overlaps.areas, mesh.n_cells)
    assert max_difference(cell_sums, overlaps.face_areas) < 1e-12
    assert np.min(overlaps.areas) > 0


@pytest.mark.parametrize("name", ALL)
def test_a_sphere_of_cells_fills_every_box(mesh, name):
    """Overlaps of each box sum to its area."""
    overlaps = overlaps_of(mesh, ALL[name])
    assert max_difference(box_sums(overlaps), overlaps.box_areas) < 2e-12


@pytest.mark.parametrize("name", ALL)
def test_turned_meshes_fill_every_box(mesh, name):
    """Rotated meshes have poles inside cells, and one has a pole on a vertex."""
    rng = np.random.default_rng(1)
    rotations = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2)]
    vertex = np.asarray(mesh.vertex_points)[5]
    normal = np.cross(vertex, [1.0, 0, 0]) / np.linalg.norm(np.cross(vertex, [1.0, 0, 0]))
    rotations.append(np.stack([normal, np.cross(vertex, normal), vertex]))
    for rotation in rotations:
        overlaps = overlaps_of(mesh, ALL[name], rotation)
        assert max_difference(box_sums(overlaps), overlaps.box_areas) < 2e-12


def test_an_octant_between_meridians_and_the_equator():
    """The octant covers whole boxes, whose areas are known in closed form."""
    grid = regular_grid((0, 360, -90, 90), shape=(8, 6))
    areas = face_overlaps([0, 90, 0], [0, 0, 90], grid)
    expected = np.zeros((6, 8))
    sines = np.sin(np.radians([0, 30, 60, 90]))
    expected[3:, :2] = (np.diff(sines) * np.pi / 4)[:, None]
    assert areas == pytest.approx(expected, rel=1e-14)
    assert areas[expected == 0].max() == 0


@pytest.mark.parametrize("longitude", [-180.0, -60.0, 0.0, 175.0, 540.0])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_triangle_at_the_pole_and_its_mirror(longitude, sense):
    """The area E of a triangle with sides b and c and the angle A between them: with t = tan(b/2) tan(c/2),
    tan(E/2) = t sin A / (1 + t cos A)."""
    corners = [longitude, longitude + 30, longitude]
    t = np.tan(np.radians(20 / 2)) * np.tan(np.radians(50 / 2))
    angle = np.radians(30)
    expected = 2 * np.arctan2(t * np.sin(angle), 1 + t * np.cos(angle))
    for latitude in ([70, 40, 90], [-70, -40, -90]):
        areas = face_overlaps(corners[::sense], latitude[::sense], GRIDS["odd"])
        assert areas.sum() == pytest.approx(expected, rel=1e-14)


def test_a_cap_of_many_corners_around_each_pole():
    """A regular hexagon with corners 15 degrees from the pole, as six triangles."""
    n = 6
    half = np.radians(15)
    t = np.tan(half / 2) ** 2
    angle = 2 * np.pi / n
    expected = n * 2 * np.arctan2(t * np.sin(angle), 1 + t * np.cos(angle))
    longitudes = np.arange(n) * 360 / n + 3
    north = face_overlaps(longitudes, np.full(n, 75.0), GRIDS["fine"])
    south = face_overlaps(longitudes, np.full(n, -75.0), GRIDS["fine"])
    assert [north.sum(), south.sum()] == pytest.approx([expected] * 2, rel=1e-13)
    assert np.abs(south[::-1] - north).max() < 1e-12 * north.max()
    assert north[-1].sum() == pytest.approx(2 * np.pi * (1 - np.sin(np.radians(89.5))), rel=1e-11)


def test_shared_areas_are_those_of_dense_polygons_in_longitude_and_sine_of_latitude():
    """In these coordinates boxes are rectangles and areas are preserved. shapely intersects them with a
    polygon of 400 points per side."""
    corners = np.array([[170.0, 12], [188, 9], [195, 31], [181, 44], [168, 30]])
    grid = LatLonGrid(160, 200, 0, 50, 8, 10)
    dense = dense_outline(corners, 400)
    expected = np.array(
        [
            [
                shapely.box(west, south, east, north).intersection(dense).area
                for west, east in zip(*edges(np.radians(grid.longitude_edges)), strict=True)
            ]
            for south, north in zip(*edges(np.sin(np.radians(grid.latitude_edges))), strict=True)
        ]
    )
    areas = face_overlaps(*corners.T, grid)
    assert areas.sum() > 0.1
    assert areas == pytest.approx(expected, abs=3e-8)  # boxes have about 0.0075; error of 400 chords per side
    assert np.array_equal(areas > 1e-7, expected > 1e-7)


def edges(values):
    """Lower and upper edges of the intervals between values."""
    return values[:-1], values[1:]


def dense_outline(corners, n):
    """A polygon in (longitude, sine of latitude) whose sides follow great circles by n chords each."""
    points = points_of(*corners.T)
    part = np.linspace(0, 1, n, endpoint=False)[:, None]
    sides = np.concatenate([p + part * (q - p) for p, q in zip(points, np.roll(points, -1, 0), strict=True)])
    sides /= np.linalg.norm(sides, axis=1)[:, None]
    longitude = np.unwrap(np.arctan2(sides[:, 1], sides[:, 0]) % (2 * np.pi))
    return shapely.Polygon(np.stack([longitude, sides[:, 2]], axis=1))


def test_bits_do_not_depend_on_threads():
    mesh = halcyon.mesh.uniform(5)  # two blocks of faces
    one_thread, three_threads = (overlaps_of(mesh, GRIDS["odd"], threads=n) for n in (1, 3))
    for name in ("offsets", "faces", "areas", "face_areas"):
        assert np.array_equal(getattr(one_thread, name), getattr(three_threads, name))


@pytest.mark.parametrize(
    ("nodes", "faces", "text"),
    [
        ([0, 1, 2], [[0, 1, -1]], "Face 0 .* has 2 nodes"),
        ([0, 1, 2], [[0, 1, 3]], "has the node 3, but there are 3"),
        ([0, 1, np.nan], [[0, 1, 2]], "Node 2 .* instead of 1"),
        ([0, 1, 2], [[0, -1, 2]], r"face 0 .* have a hole: \[0, -1, 2\]"),
    ],
)
def test_faces_that_are_none_are_refused(nodes, faces, text):
    with pytest.raises(InputError, match=text):
        Conservative(Faces.of_table(nodes, [0, 0, 1], faces), GRIDS["coarse"])
