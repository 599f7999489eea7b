"""Figures of decompositions and of their communication volumes."""

import numpy as np
import pytest

from halcyon import graph, mesh
from halcyon.decomposition import Decomposition, Volumes, areas_of, halo_volumes
from halcyon.plot import volumes as volumes_plots
from halcyon.plot.decomposition import decomposition_plot, part_colours
from halcyon.plot.globe import View, cell_polygons, nearest_cells
from halcyon.plot.volumes import distribution_plot, matrix_image, volumes_plot


@pytest.fixture(scope="module")
def g3():
    return mesh.uniform(3, tolerance=1e-3)


def owners_of(whole, ranks):
    """The rank of each cell in a METIS partition."""
    return np.asarray(graph.partition(whole.cell_offsets, whole.cells_on_cell, ranks))


@pytest.mark.parametrize("point", [[1.0, 0, 0], [0, 0, 1.0], [0, 0, -1.0], [0.48, -0.6, 0.64]])
def test_a_view_from_above(point):
    """The axes of a view are orthonormal, with the point in the middle and north upwards."""
    view = View.above(np.array([point]))
    assert np.allclose(view.axes @ view.axes.T, np.eye(3))
    assert np.allclose(view.plane(np.array([point])), 0)
    assert np.linalg.det(view.axes) == pytest.approx(1)
    if abs(point[2]) < 1:
        assert view.plane(np.array([[0, 0, 1.0]]))[0, 1] > 0


def test_pixels_lie_where_they_are_seen():
    """Pixels of an image are points of the sphere that project back to the pixels."""
    view = View.above(np.array([[0.6, 0.0, 0.8]]))
    points, seen = view.image(np.array([0.3, 0.0]), 1.0, 40)
    assert 0 < seen.sum() < len(seen)
    assert np.allclose(np.linalg.norm(points[seen], axis=1), 1)
    x, y = np.meshgrid(*[(np.arange(40) + 0.5) / 20 - 1] * 2)
    assert np.allclose(view.plane(points[seen]), np.column_stack([x.ravel() + 0.3, y.ravel()])[seen])


def test_a_point_belongs_to_the_cell_that_is_nearest_or_to_none(g3):
    """Points far from a limited area have no cell."""
    assert np.array_equal(nearest_cells(g3, g3.cell_points), np.arange(g3.n_cells))
    north = mesh.cut(g3, (g3.cell_latitude > 0.2).astype(np.uint8))
    assert nearest_cells(north, np.array([[0, 0, -1.0]])) == [-1]


def test_polygons_lie_around_their_cells(g3):
    view = View.above(g3.cell_points[5:6])
    (polygon,) = cell_polygons(g3, [5], view)
    assert len(polygon) in (5, 6)
    assert np.abs(polygon.mean(axis=0)).max() < 0.02


@pytest.mark.parametrize("ranks", [1, 2, 12, 200])
def test_parts_that_touch_have_other_colours(g3, ranks):
    """Neighbouring parts have different colours, of at most twelve."""
    owners = owners_of(g3, ranks)
    colours = part_colours(g3, owners)
    parts, neighbour_parts = np.repeat(owners, np.diff(g3.cell_offsets)), owners[g3.cells_on_cell]
    assert (colours[parts] == colours[neighbour_parts]).tolist() == (parts == neighbour_parts).tolist()
    assert len(colours) == ranks and colours.min() == 0 and colours.max() < 12


@pytest.mark.parametrize(("ranks", "layers"), [(1, 1), (12, 3), (300, 1)])
def test_pictures_of_few_and_many_parts(g3, tmp_path, ranks, layers):
    owners = owners_of(g3, ranks)
    part = areas_of(Decomposition(g3, owners, 0, layers))
    decomposition_plot(tmp_path / "cut.png", g3, owners, part, {"natural": part.owned}, title="a cut")
    assert (tmp_path / "cut.png").read_bytes()[:4] == b"\x89PNG"


def test_the_image_of_a_matrix_keeps_all_bytes(g3, monkeypatch):
    """The sum of the image is the bytes of all messages, also if several ranks share a pixel."""
    owners = owners_of(g3, 100)
    volumes = halo_volumes(g3, owners, 100, cell_bytes=8)
    for most in (1000, 7):
        monkeypatch.setattr(volumes_plots, "MOST_PIXELS", most)
        image = matrix_image(volumes)
        assert image.shape == (min(most, 100),) * 2
        assert np.nansum(image) == volumes.bytes.sum()
    one_message = Volumes(np.array([0, 0, 1, 1]), np.array([2]), np.array([1]), np.array([5]))
    assert np.argwhere(np.isfinite(matrix_image(one_message))).tolist() == [[2, 1]]


def test_pictures_of_volumes_for_any_numbers_of_ranks(g3, tmp_path):
    for numbers in ([1], [2, 8, 40, 100]):
        cases = [halo_volumes(g3, owners_of(g3, ranks), ranks, cell_bytes=8) for ranks in numbers]
        for plot in (volumes_plot, distribution_plot):
            plot(tmp_path / "p.png", cases, steps=60, title="a mesh")
            assert (tmp_path / "p.png").read_bytes()[:4] == b"\x89PNG"
