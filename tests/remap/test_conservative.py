"""Means of cell values over the boxes of longitude-latitude grids: conservation, directions, missing
values."""

from itertools import pairwise

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import ConfigError, InputError
from halcyon.remap import Conservative, Faces, grid_around, regular_grid

GRIDS = [
    regular_grid(shape=(7, 5)),
    regular_grid((10, 370, -90, 90), shape=(91, 45)),
    regular_grid(resolution=1),
]


@pytest.fixture(scope="module", params=[3, 4])
def mesh(request):
    return halcyon.mesh.uniform(request.param)


def remapping(mesh, grid, **options):
    """The conservative remapping from the cells of a mesh to a grid."""
    return Conservative(Faces.of_mesh(mesh), grid, **options)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_a_constant_stays(mesh, grid):
    """Means of a constant have its bits."""
    means = remapping(mesh, grid).mean(np.full(mesh.n_cells, 4.7))
    assert means.shape == grid.shape
    assert (means == 4.7).all()


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_the_integral_over_the_globe_stays(mesh, grid):
    """Means times covered areas of boxes sum to values times areas of cells."""
    values = np.random.default_rng(3).normal(5, 2, mesh.n_cells)
    remap = remapping(mesh, grid)
    integral = (remap.mean(values).ravel() * remap.covered().ravel()) @ np.asarray(remap.overlaps.box_areas)
    assert integral == pytest.approx(values @ np.asarray(mesh.area_cell), rel=1e-12)


def test_means_of_a_linear_field_come_nearer_as_cells_get_finer():
    """First order: half the error on cells of half the size. The exact mean of z over a box is the mean
    of the sines of its latitudes."""
    grid = regular_grid(resolution=0.5)
    sines = np.sin(np.radians(grid.latitude_edges))
    exact = np.repeat((sines[1:] + sines[:-1]) / 2, grid.n_longitudes)
    errors = []
    for level in (1, 2, 3):
        mesh = halcyon.mesh.uniform(level)
        remap = remapping(mesh, grid)
        square = (remap.mean(mesh.cell_points[:, 2]).ravel() - exact) ** 2
        errors.append(np.sqrt(np.average(square, weights=remap.overlaps.box_areas)))
    assert errors[0] < 0.13
    assert all(1.9 < coarse / fine < 2.2 for coarse, fine in pairwise(errors))


def test_a_part_of_the_globe_covers_a_part_of_its_boxes(mesh):
    """Boxes have means where the covered fraction reaches the coverage; with coverage 0 nothing is lost."""
    north = halcyon.mesh.cut(mesh, (mesh.cell_latitude > 0.3).astype(np.uint8))
    values = np.linspace(1, 2, north.n_cells)
    grid = regular_grid(resolution=5)
    whole, half, any_part = (remapping(north, grid, coverage=c) for c in (1.0, 0.5, 0.0))
    covered = half.covered()
    assert covered[0].max() == 0
    assert np.abs(covered[-1] - 1).max() < 1e-12
    assert ((covered > 0.01) & (covered < 0.99)).any()
    assert np.array_equal(np.isfinite(half.mean(values)), covered >= 0.5)
    assert np.array_equal(np.isfinite(any_part.mean(values)), covered > 0)
    assert np.isfinite(whole.mean(values)).sum() <= np.isfinite(half.mean(values)).sum()
    integral = np.nansum(
        any_part.mean(values) * covered * np.asarray(half.overlaps.box_areas).reshape(grid.shape)
    )
    assert integral == pytest.approx(values @ np.asarray(north.area_cell), rel=1e-12)


def test_missing_values_are_left_out(mesh):
    """Boxes among missing cells have no mean, the others the constant 3."""
    grid = regular_grid(resolution=5)
    values = np.full(mesh.n_cells, 3.0)
    missing = mesh.cell_longitude < np.pi
    values[missing] = np.nan
    means = remapping(mesh, grid).mean(values)
    assert np.unique(means[np.isfinite(means)]) == pytest.approx(3)
    inside = (grid.longitude > 20) & (grid.longitude < 160)
    assert np.isnan(means[5:-5, inside]).all()
    assert np.isfinite(means[5:-5, (grid.longitude > -160) & (grid.longitude < -20)]).all()


def test_directions_are_averaged_as_vectors(mesh):
    """Directions of 350 and 10 degrees have means near 0."""
    grid = regular_grid(resolution=30)
    remap = remapping(mesh, grid)
    around_north = np.where(np.arange(mesh.n_cells) % 2, 350.0, 10.0)
    directions = remap.mean_direction(around_north)
    assert np.abs((directions + 180) % 360 - 180).max() < 10
    assert ((directions >= 0) & (directions < 360)).all()
    assert remap.mean_direction(np.full(mesh.n_cells, 725.0)) == pytest.approx(5, abs=1e-9)


def test_directions_that_cancel_are_none():
    """Two halves of a box with waves from east and from west."""
    faces = Faces.of_table([0, 10, 10, 0, -10, -10], [0, 0, 10, 10, 0, 10], [[0, 1, 2, 3], [4, 0, 3, 5]])
    remap = Conservative(faces, regular_grid((-10, 10, 0, 10), shape=(1, 1)))
    assert np.isnan(remap.mean_direction([90, 270])).all()
    direction = remap.mean_direction([80, 280])
    assert np.abs((direction + 180) % 360 - 180).max() < 1e-9


def test_grids_fit_what_they_are_around():
    """Grids around points have boxes of about the size of cells, and edges at multiples of the resolution."""
    mesh = halcyon.mesh.uniform(4)
    lon, lat = np.degrees(mesh.vertex_longitude), np.degrees(mesh.vertex_latitude)
    mean_area = 4 * np.pi / mesh.n_cells
    globe = grid_around(lon, lat, mean_area)
    assert (globe.west, globe.east, globe.south, globe.north) == (-180, 180, -90, 90)
    assert globe.shape == (72, 144)  # G4 has cells of 4 degrees
    near = (np.abs(np.mod(lon, 360) - 180) < 22) & (np.abs(lat) < 31)
    part = grid_around(lon[near], lat[near], mean_area, resolution=2)
    assert 156 <= part.west < 162 and 198 < part.east <= 204
    assert part.west % 2 == 0 and part.south % 2 == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        pytest.param(
            {"resolution": 0.7},
            r"0.7 degrees do not fill a region 360 degrees wide, .* 514.286",
            id="options0-0.7 degrees do not fill a region 360 degrees wide: .* 514.286",
        ),
        pytest.param(
            {"resolution": 0},
            "A resolution of 0 degrees is invalid",
            id="options1-A resolution of 0 degrees is none",
        ),
        pytest.param({"shape": (0, 5)}, "0 x 5 boxes is empty", id="options2-0 x 5 boxes has none"),
        ({"resolution": 1e-4}, "3,600,000 x 1,800,000 boxes is too large: at most 100,000,000"),
        ({"region": (10, 10, 0, 5), "resolution": 1}, "10 to 10 E. East must be above west"),
        ({"region": (0, 10, 5, 95), "resolution": 1}, "5 to 95 N"),
        ({"region": (0, 10, 5, -5), "resolution": 1}, "5 to -5 N"),
    ],
)
def test_grids_that_cannot_be_are_refused(options, text):
    with pytest.raises(ConfigError, match=text):
        regular_grid(**options)


def test_wrong_numbers_are_refused():
    mesh = halcyon.mesh.uniform(1)
    with pytest.raises(ConfigError, match=r"A coverage of 1\.5 is invalid"):
        remapping(mesh, GRIDS[0], coverage=1.5)
    with pytest.raises(InputError, match="There are 3 values, but 42 faces"):
        remapping(mesh, GRIDS[0]).mean(np.zeros(3))
