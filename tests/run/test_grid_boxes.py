"""Boxes around points of Gaussian grids tile the sphere, on any number of ranks."""

import numpy as np
import pytest

from halcyon.remap import Conservative, Faces, regular_grid
from halcyon.run.output.gaussian_boxes import GaussianBoxes
from halcyon.transform import Grid

GRIDS = {
    "octahedral": Grid.octahedral(22),
    "reduced": Grid.reduced(32, 21, points_per_wave=3),
    "rows at the equator": Grid.reduced(33, 21),
    "odd rows": Grid([7, 9, 12, 9, 7]),
    "two rows beside a pole": Grid([8, 24, 24, 8]),
}
all_grids = pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)


def parts_of(grid, n):
    """The parts of n ranks, among which the points of the grid are distributed in turn."""
    owned = [np.arange(rank, grid.n_points, n) for rank in range(n)]
    return [GaussianBoxes(grid).owned_part(points, np.zeros(len(points))) for points in owned]


def faces_of(parts):
    """The boxes of all parts, in the order of the points of the grid."""
    lon, lat = np.full((2, parts[0].n_vertices), np.nan)
    nodes = np.empty((parts[0].n_cells, parts[0].face_nodes.shape[1]), int)
    for part in parts:
        lon[part.vertices], lat[part.vertices] = part.vertex_longitude, part.vertex_latitude
        nodes[part.cells] = part.face_nodes
    return Faces.of_table(lon, lat, nodes)


@all_grids
def test_boxes_tile_the_sphere(grid):
    """Each side of a box is a side of one other box in the opposite direction, and the areas add up to the
    sphere."""
    faces = faces_of(parts_of(grid, 1))
    sides = set()
    for first, end in zip(faces.offsets[:-1], faces.offsets[1:], strict=True):
        corners = faces.nodes_on_face[first:end].tolist()
        box_sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
        assert sides.isdisjoint(box_sides)
        sides.update(box_sides)
    assert all((b, a) in sides for a, b in sides)
    areas = Conservative(faces, regular_grid(shape=(1, 1))).overlaps.face_areas / (4 * np.pi)
    assert areas.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("name", ["octahedral", "reduced"])
def test_boxes_are_as_large_as_the_weights_of_their_points(name):
    """Areas of boxes are within 1 % of the Gaussian weights of their points."""
    grid = GRIDS[name]
    faces = faces_of(parts_of(grid, 1))
    areas = Conservative(faces, regular_grid(shape=(1, 1))).overlaps.face_areas / (4 * np.pi)
    np.testing.assert_allclose(areas, grid.areas.ravel(), rtol=0.01)


@all_grids
def test_points_lie_in_the_middle_of_their_rows_and_between_sides(grid):
    """A point lies between the north and south sides of its box, and half a row spacing from the east and
    west sides."""
    (part,) = parts_of(grid, 1)
    lon, lat = np.empty((2, part.n_vertices))
    lon[part.vertices], lat[part.vertices] = part.vertex_longitude, part.vertex_latitude
    widths = np.repeat(360 / grid.row_lengths, grid.row_lengths)
    places = zip(part.face_nodes, part.cell_longitude, part.cell_latitude, widths, strict=True)
    for nodes, longitude, latitude, width in places:
        corners = nodes[nodes >= 0]
        assert lat[corners].min() < latitude < lat[corners].max()
        east = (lon[corners][abs(lat[corners]) < 90] - longitude + 180) % 360 - 180
        assert (east.min(), east.max()) == pytest.approx((-width / 2, width / 2))


@all_grids
@pytest.mark.parametrize("n", [2, 3, 7])
def test_ranks_write_the_same_boxes_and_every_corner_once(grid, n):
    """The parts of n ranks have the boxes of one rank, and each corner belongs to one part."""
    ours, whole = parts_of(grid, n), parts_of(grid, 1)
    corners = np.concatenate([part.vertices for part in ours])
    assert np.array_equal(np.sort(corners), np.arange(whole[0].n_vertices))
    found, expected = faces_of(ours), faces_of(whole)
    assert np.array_equal(found.nodes, expected.nodes)
    assert np.array_equal(found.nodes_on_face, expected.nodes_on_face)


def test_a_rank_without_points_writes_nothing():
    part = GaussianBoxes(GRIDS["octahedral"]).owned_part(np.empty(0, np.int64), np.empty(0))
    assert part.face_nodes.shape == (0, parts_of(GRIDS["octahedral"], 1)[0].face_nodes.shape[1])
    assert len(part.vertices) == 0
